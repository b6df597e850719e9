// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softfeb::telemetry {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

/// Writes metrics in the Prometheus text exposition format 0.0.4. Each family has a HELP line and a TYPE
/// line, followed by all its series. Metric names follow the Prometheus conventions: base units (bytes,
/// seconds), and `_total` for counters.
class PrometheusText {
 public:
  static constexpr const char* kCounter = "counter";
  static constexpr const char* kGauge = "gauge";
  static constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

  /// Starts a metric family. `type` is kCounter, kGauge or "summary".
  void family(std::string_view name, std::string_view type, std::string_view help);
  /// Adds a series to the current family. `suffix`, which is _sum or _count in a summary, is appended to the
  /// name of the family.
  void series(const Labels& labels, std::uint64_t value, std::string_view suffix = {});
  void series(const Labels& labels, double value, std::string_view suffix = {});

  std::string take() { return std::move(text_); }

 private:
  void begin(const Labels& labels, std::string_view suffix);

  std::string text_;
  std::string name_;
};

/// Escapes a label value for use between quotes: \\, \" and \n.
std::string escape_label(std::string_view value);

}  // namespace softfeb::telemetry
