// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "switchtest/settings.hpp"

/// The switches of the validation sets: three senders p0 to p2 and a receiver p3 at one switch.
namespace softfeb::test {

inline constexpr std::uint64_t kTenGigabit = 1'250'000'000;
inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;

/// Settings for these sets: A, B, C and D are p0 to p3.
inline switchtest::Settings four_ports() {
  switchtest::Settings out;
  out.roles = {.a = 0, .d = 3, .b = 1, .c = 2, .e = 2};
  return out;
}

/// V1, the base of all other sets: 1 MiB, no marking, pauses only to and from p3.
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

inline void mark_all_queues(fabric::SwitchConfig& dut, std::uint64_t kmin, std::uint64_t kmax,
                            std::uint64_t pmax = std::uint64_t{1} << 32) {
  for (auto& queue : dut.queues) queue.ecn = {.enabled = true, .kmin = kmin, .kmax = kmax, .pmax = pmax};
}

/// V2: a memory limit for each port.
inline fabric::NetworkConfig set_v2() {
  fabric::NetworkConfig out = set_v1();
  out.switches[0].buffer = 4 * kMiB;
  out.switches[0].port_limit = 512 * kKiB;
  mark_all_queues(out.switches[0], 40 * kKiB, 160 * kKiB);
  out.links[2].flow_control = fabric::PauseMode::kPause;
  return out;
}

/// V3: dynamic thresholds and a marking ramp up to 10 %.
inline fabric::NetworkConfig set_v3() {
  fabric::NetworkConfig out = set_v1();
  out.switches[0].buffer = 2 * kMiB;
  out.switches[0].dynamic_alpha = 256;
  mark_all_queues(out.switches[0], 100 * kKiB, 400 * kKiB, (std::uint64_t{1} << 32) / 10);
  return out;
}

/// V4: lossless, as in conf/lab/incast.yaml.
inline fabric::NetworkConfig set_v4() {
  fabric::NetworkConfig out = set_v1();
  fabric::SwitchConfig& dut = out.switches[0];
  dut.buffer = 4 * kMiB;
  dut.queues[3] = {.ecn = {.enabled = true, .kmin = 40 * kKiB, .kmax = 160 * kKiB}, .lossless = true};
  dut.queues[6].weight = 0;
  dut.dscp_to_queue[26] = 3;
  dut.dscp_to_queue[48] = 6;
  dut.pause = {.xoff = 256 * kKiB, .xon = 192 * kKiB, .headroom = 32 * kKiB};
  for (auto& link : out.links) link.flow_control = fabric::PauseMode::kPfc;
  return out;
}

/// V5: long links, with pauses on all of them.
inline fabric::NetworkConfig set_v5() {
  fabric::NetworkConfig out = set_v1();
  out.switches[0].pause = {.xoff = 128 * kKiB, .xon = 32 * kKiB, .headroom = 8 * kKiB, .quanta = 1000};
  for (auto& link : out.links) {
    link.delay = 4 * kMicrosecond;
    link.flow_control = fabric::PauseMode::kPause;
  }
  return out;
}

/// V6: queues with weights and with strict priority.
inline fabric::NetworkConfig set_v6() {
  fabric::NetworkConfig out = set_v1();
  fabric::SwitchConfig& dut = out.switches[0];
  dut.buffer = 16 * kMiB;
  dut.queues[1].weight = 2;
  dut.queues[2].weight = 4;
  dut.queues[6].weight = 0;
  dut.queues[7].weight = 0;
  dut.dscp_to_queue[8] = 1;
  dut.dscp_to_queue[16] = 2;
  dut.dscp_to_queue[26] = 3;
  dut.dscp_to_queue[48] = 6;
  dut.dscp_to_queue[56] = 7;
  return out;
}

/// V7: faster senders, and CNPs that the switch itself sends.
inline fabric::NetworkConfig set_v7() {
  fabric::NetworkConfig out = set_v1();
  for (std::size_t i = 0; i < 3; ++i) out.links[i].rate = kTenGigabit * 5 / 2;
  out.switches[0].forge.threshold = 1'000'000'000;
  return out;
}

}  // namespace softfeb::test
