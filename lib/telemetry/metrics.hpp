// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"
#include "telemetry/links.hpp"
#include "telemetry/run_info.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softfeb::telemetry {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

/// Writes metrics in Prometheus' text exposition format 0.0.4: one family after the other, each with HELP,
/// TYPE and all its series. Names follow its conventions: base units (bytes, seconds), `_total` for counters.
class PrometheusText {
 public:
  static constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

  /// Starts a family. `type` is counter or gauge.
  void family(std::string_view name, std::string_view type, std::string_view help);
  /// Adds a series to the current family.
  void series(const Labels& labels, std::uint64_t value);
  void series(const Labels& labels, double value);

  std::string take() { return std::move(text_); }

 private:
  void begin(const Labels& labels);

  std::string text_;
  std::string name_;
};

/// Escapes a label value for use between quotes: \\, \" and \n.
std::string escape_label(std::string_view value);

/// Maximum number of QPs with their own series. With more QPs, there are only series per board.
inline constexpr std::size_t kQpSeries = 64;

/// Formats `sample` in Prometheus' text format (doc/telemetry.md lists the names). If `sample.endpoints` is
/// null, before the first sample, writes only the run's description and its slow control links.
std::string metrics(const RunInfo& info, const stats::Sample& sample,
                    const std::vector<LinkView>& links = {});

}  // namespace softfeb::telemetry
