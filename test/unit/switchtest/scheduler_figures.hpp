// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run_test.hpp"
#include "switch_sets.hpp"

#include <map>
#include <string>

#include <catch2/catch.hpp>

/// Access to the figures of the test `scheduler`, and checks of them.
namespace softfeb::test {

inline switchtest::Figure of_queue(const switchtest::SwitchReport& report, const char* name, unsigned dscp) {
  return figure(report, "scheduler", name, {{"queue", std::to_string(dscp)}});
}

inline std::string word_of(const switchtest::SwitchReport& report, const char* name) {
  return figure(report, "scheduler", name).text;
}

inline void check_contains(const switchtest::Figure& f, double truth, double within) {
  INFO(f.name << ": " << f.value.value_or(-1) << " [" << f.low.value_or(-1) << ", " << f.high.value_or(-1)
              << "], the truth is " << truth << "; " << f.reason);
  REQUIRE(f.value);
  CHECK(*f.value == Approx(truth).margin(within));
  CHECK(*f.low <= truth + 1e-9);
  CHECK(*f.high >= truth - 1e-9);
}

inline void check_weights(const switchtest::SwitchReport& report, const std::map<unsigned, double>& weights) {
  for (const auto& [dscp, weight] : weights)
    check_contains(of_queue(report, "weights", dscp), weight, 0.005 * weight);
}

/// Returns a switch whose queues 0 (DSCP 0) and 3 (DSCP 26) share the port.
inline fabric::NetworkConfig two_queues(std::uint32_t weight) {
  fabric::NetworkConfig out = set_v1();
  out.switches[0].buffer = 16 * kMiB;
  out.switches[0].dscp_to_queue[26] = 3;
  out.switches[0].queues[3].weight = weight;
  return out;
}

}  // namespace softfeb::test
