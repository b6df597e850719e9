// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "switchtest/trial.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

enum class RigKind : std::uint8_t {
  kVirtual,  ///< a simulated network in virtual time: times are exact, and the same trials give the same
             ///< results
  kRings,    ///< a simulated network in real time, behind shared-memory rings
  kPorts,    ///< DPDK ports at a real switch
};

/// Rig ports by the roles that they play in a test. A, B and C send; D and E receive. If the rig has three
/// ports, one port has the roles B, C and E. If it has four ports, one port has the roles C and E.
struct Roles {
  std::uint16_t a = 0;                   ///< port that sends
  std::uint16_t d = 1;                   ///< port that receives, and pauses the switch
  std::optional<std::uint16_t> b, c;     ///< further senders
  std::optional<std::uint16_t> e;        ///< second receiver
  std::vector<std::uint16_t> more;       ///< further senders, for tests that need many
  std::vector<std::uint16_t> next_hops;  ///< ports over which the switch distributes frames to one address

  /// Returns all ports that may send to D at the same time, without repetition: A, B, C, E and `more`.
  std::vector<std::uint16_t> senders() const;
};

/// Durations and numbers of trials of the tests.
enum class Effort : std::uint8_t {
  kQuick,     ///< about a minute in total: a smoke test of a rig
  kStandard,  ///< the times in doc/switch-tests.md
  kRfc,       ///< the times that RFC 2544 demands
};

struct Settings {
  Roles roles;
  Effort effort = Effort::kStandard;
  /// Frame sizes with FCS, for tests that use several sizes.
  std::vector<std::uint32_t> sizes{78, 130, 258, 514, 1026, 1282, 1518, 2126, 4174};
  /// Destination of frames that the switch distributes over Roles::next_hops: the MAC address of the switch's
  /// router, and IP addresses that are reachable through all next hops. If there is no value, the addresses
  /// of the first next hop are used.
  std::optional<PortAddress> behind_next_hops;
  bool plain_udp = false;
  std::uint8_t dscp = 26;
  std::uint64_t seed = 1;
  /// One-way delay of each cable between a port and the switch. Empty if the delay is unknown.
  std::optional<Time> cable;
  /// DCQCN parameters of the boards that the test `dcqcn` emulates. Three values differ from the reset values
  /// of the registers, so that boards share small queues fairly (doc/lab.md).
  dcqcn::FirmwareParameters dcqcn{
      .time_stage_threshold = 1, .clamp_tgt_rate = true, .rate_inc_interval = 4'688};  // 30 µs
  Time soak = 24 * 3600 * kSecond;
  /// Permits pause storms on rigs that are not virtual. A pause storm can stop a whole network.
  bool allow_storm = false;
};

}  // namespace softfeb::switchtest
