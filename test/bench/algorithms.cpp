// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace softfeb::bench {

namespace {

/// Parameters that are set to their highest value, for three reasons. Rates and credit must never delay a
/// packet. After a preemption of the worker has decreased a rate, the next increase must undo the decrease.
/// No algorithm may skip part of its work because a queue pair was silent.
constexpr std::array<std::string_view, 7> kHighest = {"line_rate", "initial_rate", "rtt_bytes",  "delta",
                                                      "ai",        "idle_reset",   "stale_after"};

congestion::AlgorithmSettings settings_of(const congestion::Algorithm& algorithm, std::uint32_t pmtu) {
  const congestion::PathFacts path{.line_rate = kMoreThanACore, .pmtu = pmtu};
  congestion::AlgorithmSettings settings{&algorithm, algorithm.defaults(path), path};
  const auto parameters = algorithm.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (std::ranges::find(kHighest, parameters[i].name) != kHighest.end())
      settings.values[i] = parameters[i].highest;
  }
  return settings;
}

}  // namespace

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names{"none", "firmware", "paper"};
  for (const congestion::Algorithm* a : congestion::algorithms()) names.emplace_back(a->name());
  return names;
}

engine::CongestionSettings benchmark_settings(const std::string& name, std::uint32_t pmtu) {
  if (name == "none") return {};
  if (name == "firmware") {
    dcqcn::FirmwareSettings s;
    s.build = {.line_rate = kMoreThanACore, .wrap32 = false};
    return s;
  }
  if (name == "paper") {
    dcqcn::PaperSettings s;
    s.parameters.line_rate = kMoreThanACore;
    s.bucket.size = dcqcn::BucketConfig{}.size;  // as in the firmware: credit must never delay a packet
    return s;
  }
  return settings_of(*congestion::find_algorithm(name), pmtu);
}

bool needs_int_records(const engine::CongestionSettings& settings) {
  const auto* other = std::get_if<congestion::AlgorithmSettings>(&settings);
  return other != nullptr && (other->algorithm->needs() & congestion::kNeedsIntRecords) != 0;
}

}  // namespace softfeb::bench
