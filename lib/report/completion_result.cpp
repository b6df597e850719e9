// SPDX-License-Identifier: BSD-3-Clause
#include "report/completion_result.hpp"

#include "lab/run_stats.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using engine::CompletionTimes;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, CompletionTimes::kClasses> kNames{"up to 10 kB", "10 to 100 kB",
                                                                    "100 kB to 1 MB", "above 1 MB"};
/// Nanoseconds per microsecond.
constexpr double kPerMicrosecond = 1000;

/// Returns the statistics of a histogram. The histogram's values are divided by `unit` to convert them to the
/// unit of the result.
Json statistics(const LogHistogram& h, double unit) {
  if (h.count() == 0) return nullptr;
  return {{"mean", h.mean() / unit},
          {"p50", h.percentile(0.5) / unit},
          {"p99", h.percentile(0.99) / unit},
          {"max", static_cast<double>(h.max()) / unit}};
}

Json class_json(const CompletionTimes::Class& c) {
  return {{"messages", c.time.count()},
          {"time_us", statistics(c.time, kPerMicrosecond)},
          {"slowdown", statistics(c.slowdown, CompletionTimes::kPerSlowdown)}};
}

std::string row(const std::string& name, const CompletionTimes::Class& c) {
  std::string t = fmt::format("{:<20} {:>10}", name, c.time.count());
  if (c.time.count() == 0) return t + '\n';
  const auto us = [](double ns) { return ns / kPerMicrosecond; };
  t += fmt::format(" {:>12.1f} {:>12.1f} {:>12.1f}", us(c.time.percentile(0.5)), us(c.time.percentile(0.99)),
                   us(c.time.mean()));
  if (c.slowdown.count() == 0) return t + '\n';
  const auto times = [](double thousandths) { return thousandths / CompletionTimes::kPerSlowdown; };
  return t + fmt::format(" {:>9.2f} {:>9.2f} {:>9.2f}\n", times(c.slowdown.percentile(0.5)),
                         times(c.slowdown.percentile(0.99)), times(c.slowdown.mean()));
}

}  // namespace

Json completion_json(const CompletionTimes& times) {
  Json classes = Json::array();
  for (std::size_t i = 0; i < CompletionTimes::kClasses; ++i) {
    const bool last = i == CompletionTimes::kLimits.size();
    Json j{{"up_to_bytes", last ? Json(nullptr) : Json(CompletionTimes::kLimits[i])}};
    j.update(class_json(times.classes()[i]));
    classes.push_back(std::move(j));
  }
  Json j = class_json(times.all());
  j["classes"] = std::move(classes);
  j["shorter_half"] = class_json(times.shorter_half());
  return j;
}

void add_completion_times(Json& result, const endpoints::Endpoints& endpoints, Time end) {
  const auto all = lab::completion_times(endpoints);
  if (!all) return;
  std::uint64_t backlog = 0;
  for (std::size_t b = 0; b < endpoints.messages.size(); ++b) {
    const endpoints::BoardMessages& board = endpoints.messages[b];
    if (!board.times) continue;
    Json& j = result["boards"][b]["completion_times"];
    j = completion_json(*board.times);
    const std::uint64_t left = endpoints::backlog_of(board, end);
    j["backlog"] = left;
    backlog += left;
  }
  result["completion_times"] = completion_json(*all);
  result["completion_times"]["backlog"] = backlog;
}

std::string completion_table(const CompletionTimes& times, const std::string& what) {
  const CompletionTimes::Class all = times.all();
  if (all.time.count() == 0) return "";
  const bool slowdown = all.slowdown.count() != 0;
  std::string t = fmt::format("\n{:<20} {:>10} {:>12} {:>12} {:>12}", what, "completed", "p50 (us)",
                              "p99 (us)", "mean (us)");
  t += slowdown ? fmt::format(" {:>9} {:>9} {:>9}\n", "slowdown", "p99", "mean") : "\n";
  for (std::size_t i = 0; i < CompletionTimes::kClasses; ++i) t += row(kNames[i], times.classes()[i]);
  return t + row("shorter half", times.shorter_half()) + row("all", all);
}

}  // namespace softfeb::report
