// SPDX-License-Identifier: BSD-3-Clause
#include "study/table.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace softfeb::study {

namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

/// True if any point has a value in the column.
bool shown(const Measure& m, const Points& points) {
  return std::any_of(points.begin(), points.end(), [&](const Json& p) { return measured(p, m).has_value(); });
}

int digits_of(const Measure& m) {
  if (m.check == nullptr) return 3;
  return m.unit == config::LimitUnit::kShare ? 4 : 0;
}

}  // namespace

bool all_held(const Points& points) { return std::all_of(points.begin(), points.end(), held); }

std::string csv(const Grid& grid, const Points& points) {
  std::vector<std::string> row;
  for (const config::SweepAxis& a : grid.axes()) row.push_back(quoted(a.key));
  for (const Measure& m : kMeasures) row.emplace_back(m.name);
  std::string text = fmt::format("{}\n", fmt::join(row, ","));
  for (std::size_t p = 0; p < points.size(); ++p) {
    row.clear();
    for (const std::string& v : grid.values(p)) row.push_back(quoted(v));
    for (const Measure& m : kMeasures) {
      const auto v = measured(points[p], m);
      row.push_back(v ? fmt::format("{:.9g}", *v) : "");
    }
    text += fmt::format("{}\n", fmt::join(row, ","));
  }
  return text;
}

Json result_json(const Json& config, const Points& points) {
  return {{"schema_version", 1},
          {"verdict", all_held(points) ? "held" : "failed"},
          {"config", config},
          {"points", points}};
}

std::string text_table(const Grid& grid, const Points& points) {
  std::string t = "\n";
  std::vector<std::size_t> widths;
  for (std::size_t a = 0; a < grid.axes().size(); ++a) {
    std::size_t width = grid.heading(a).size();
    for (const std::string& v : grid.axes()[a].values) width = std::max(width, v.size());
    widths.push_back(width);
    t += fmt::format("{:<{}}  ", grid.heading(a), width);
  }
  std::vector<Measure> measures;
  std::copy_if(kMeasures.begin(), kMeasures.end(), std::back_inserter(measures),
               [&](const Measure& m) { return shown(m, points); });
  for (const Measure& m : measures) t += fmt::format("{:>18}", m.name);
  t += '\n';
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::vector<std::string> values = grid.values(p);
    for (std::size_t a = 0; a < values.size(); ++a) t += fmt::format("{:<{}}  ", values[a], widths[a]);
    for (const Measure& m : measures) {
      const auto v = measured(points[p], m);
      t += v ? fmt::format("{:>18.{}f}", *v, digits_of(m)) : fmt::format("{:>18}", "-");
    }
    t += '\n';
  }
  return t;
}

std::vector<std::string> complaints(const Grid& grid, const Points& points) {
  std::vector<std::string> out;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Json& point = points[p];
    if (point.contains("error")) out.push_back(grid.name(p) + ": " + point["error"].get<std::string>());
    if (!point.contains("failed_checks")) continue;
    for (const Json& check : point["failed_checks"])
      out.push_back(fmt::format("{}: check {} failed", grid.name(p), check.get<std::string>()));
  }
  return out;
}

}  // namespace softfeb::study
