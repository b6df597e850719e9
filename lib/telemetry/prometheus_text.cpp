// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/prometheus_text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace softfeb::telemetry {

std::string escape_label(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '"') {
      out += "\\\"";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

void PrometheusText::begin(const Labels& labels, std::string_view suffix) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  for (const auto& [name, value] : labels) {
    text_ += fmt::format("{}{}=\"{}\"", before, name, escape_label(value));
    before = ',';
  }
  text_ += before == ',' ? "} " : " ";
}

void PrometheusText::series(const Labels& labels, std::uint64_t value, std::string_view suffix) {
  begin(labels, suffix);
  text_ += fmt::format("{}\n", value);
}

void PrometheusText::series(const Labels& labels, double value, std::string_view suffix) {
  begin(labels, suffix);
  if (std::isnan(value)) {
    text_ += "NaN\n";
  } else if (std::isinf(value)) {
    text_ += value > 0 ? "+Inf\n" : "-Inf\n";
  } else {
    text_ += fmt::format("{:.17g}\n", value);
  }
}

}  // namespace softfeb::telemetry
