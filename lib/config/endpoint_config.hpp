// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/values.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::config {

struct Neighbour {
  IpAddress ip;
  MacAddress mac{};
};

/// The pause frames that an endpoint's MAC obeys.
enum class PauseMode : std::uint8_t {
  kOff,
  kPause,  ///< IEEE 802.3x, the whole link: what the board's MAC does
  kPfc,    ///< IEEE 802.1Qbb, per priority: PCP of tagged frames, else the upper three bits of the DSCP
};

/// What boards and receivers have in common: an address on a port, and the worker that owns them.
struct EndpointConfig {
  std::string name;      ///< unique over boards and receivers
  std::size_t port = 0;  ///< index into RunConfig::ports
  /// `softfeb lab`: the network that its link leads into, where one does; between two networks there is no
  /// way. Its port is then the ring to the network's worker.
  std::optional<std::uint32_t> network;
  std::size_t worker = 0;  ///< 0 … WorkersConfig::count - 1
  MacAddress mac{};
  IpAddress ip;
  std::uint8_t prefix_length = 32;
  std::optional<std::uint16_t> vlan;  ///< 802.1Q VLAN id 1…4094; none: untagged
  std::uint8_t pcp = 0;               ///< 802.1Q priority; not 0 only with a VLAN
  std::optional<IpAddress> gateway;   ///< next hop for peers outside the prefix
  std::vector<Neighbour> neighbours;  ///< static ARP/ND entries, never expired
  std::uint8_t dscp = 0;
  roce::Ecn ecn = roce::Ecn::kEct0;
  std::uint8_t ttl = 32;  ///< hop limit for IPv6
  PauseMode pause = PauseMode::kPause;
  Where where;
};

/// When a receiver sends CNPs for packets marked CE (annex A17.9.3).
enum class CnpScope : std::uint8_t { kQp, kIpPair };

struct CnpConfig {
  bool enabled = true;
  Time interval = 50 * kMicrosecond;  ///< at most one CNP per scope in it
  CnpScope scope = CnpScope::kQp;
  Where where;
};

/// A responder of ours. Its QPs are made by the boards' `to:`: one for each QP that names it, in the order of
/// the file.
struct ReceiverConfig {
  EndpointConfig endpoint;
  /// Bytes of the memory region every QP gets for itself. The regions stand one after the other in the order
  /// of the QPs.
  std::uint64_t memory = 0;
  std::uint32_t qpn = 0x800;            ///< of its first QP; they count up
  std::uint8_t rnr_timer = 12;          ///< code in RNR NAKs
  std::uint64_t receives = UINT64_MAX;  ///< receive requests of each QP; UINT64_MAX: never out of them
  bool check_payload = true;  ///< compare what arrives with what the sending QP is configured to send
  CnpConfig cnp;
  /// File all regions are written to at the end, each up to its last byte written; empty: none.
  std::string out;
  Where where;
};

}  // namespace softfeb::config
