// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/tests.hpp"

#include <algorithm>
#include <array>

namespace softfeb::switchtest {

namespace {

constexpr std::array kTests{
    SwitchTest{"dscp", "which DSCPs share a queue", 2, run_dscp},
    SwitchTest{"mtu", "the largest frame", 2, run_mtu},
    SwitchTest{"throughput", "the largest load without loss", 2, run_throughput},
    SwitchTest{"latency", "delay and jitter", 2, run_latency},
    SwitchTest{"burst", "the longest train at line rate without loss", 2, run_burst},
    SwitchTest{"buffer", "the memory that queues may take", 2, run_buffer},
    SwitchTest{"ecn", "the marking curve", 2, run_ecn},
    SwitchTest{"xoff", "the thresholds of pauses", 2, run_xoff},
    SwitchTest{"cells", "the unit in which memory is allocated", 2, run_cells},
    SwitchTest{"headroom", "the memory for frames that are still on their way", 3, run_headroom},
    SwitchTest{"obedience", "how the switch obeys pauses", 2, run_obedience},
    SwitchTest{"codepoints", "what becomes of ECN bits", 2, run_codepoints},
    SwitchTest{"scheduler", "the order and the weights of queues", 2, run_scheduler},
    SwitchTest{"incast", "the largest synchronous burst of several senders", 3, run_incast},
    SwitchTest{"fairness", "the shares of competing senders", 3, run_fairness},
    SwitchTest{"victim", "head-of-line blocking", 4, run_victim},
    SwitchTest{"storm", "the watchdog against pause storms", 3, run_storm},
    SwitchTest{"ecmp", "the spread over equal paths", 3, run_ecmp},
    SwitchTest{"order", "reordering and duplication", 2, run_order},
    SwitchTest{"dcqcn", "DCQCN over this switch", 3, run_dcqcn},
    SwitchTest{"soak", "a long run in which every frame is accounted for", 2, run_soak, true},
};

}  // namespace

std::span<const SwitchTest> all_tests() { return kTests; }

const SwitchTest* find_test(std::string_view name) {
  const auto* const it =
      std::find_if(kTests.begin(), kTests.end(), [&](const SwitchTest& t) { return t.name == name; });
  return it == kTests.end() ? nullptr : it;
}

}  // namespace softfeb::switchtest
