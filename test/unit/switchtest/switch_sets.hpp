// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

/// The switches of the validation sets: three senders p0 to p2 and a receiver p3 at one switch.
namespace softfeb::test {

inline constexpr std::uint64_t kTenGigabit = 1'250'000'000;
inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;

/// Base of all sets: 1 MiB, no marking, pauses only to and from p3.
inline fabric::NetworkConfig set_v1() {
  fabric::NetworkConfig out;
  fabric::SwitchConfig dut{.name = "dut", .buffer = kMiB};
  dut.pause.xoff = 1000 * kKiB;
  dut.pause.xon = 500 * kKiB;
  out.switches.push_back(dut);
  for (std::uint32_t i = 0; i < 4; ++i) {
    out.stations.push_back({.name = "p" + std::to_string(i)});
    fabric::LinkConfig link{.a = {fabric::NodeRef::Kind::kStation, i},
                            .b = {fabric::NodeRef::Kind::kSwitch, 0},
                            .rate = kTenGigabit,
                            .delay = 500 * kNanosecond};
    if (i == 3) link.flow_control = fabric::PauseMode::kPause;
    out.links.push_back(link);
  }
  return out;
}

}  // namespace softfeb::test
