// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/path.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a network is made of. Plain data, checked by whoever reads it (config/); Network's constructor throws
/// std::invalid_argument where it cannot be built. Sizes in bytes, rates in bytes per second on the wire
/// (preamble, FCS and gap included), probabilities in parts of 2^32, times in picoseconds.
namespace softfeb::fabric {

/// Queues of a port, and priorities of PFC: the same eight.
inline constexpr std::size_t kQueues = 8;

/// Marking of ECN-capable packets at a queue's exit side as WRED does it, on the instantaneous length when
/// the packet is queued: never below kmin, always at or above kmax, between them with a probability that
/// grows from 0 to pmax.
struct EcnMarking {
  bool enabled = false;
  std::uint64_t kmin = 0;
  std::uint64_t kmax = 0;
  std::uint64_t pmax = std::uint64_t{1} << 32;  ///< of 2^32
};

struct QueueConfig {
  EcnMarking ecn;
  bool lossless = false;  ///< its priority may be paused by PFC
  std::uint32_t weight =
      1;  ///< bytes shared in proportion to it (deficit round robin); 0: strict, the highest number first
};

/// Signals to whoever sends to us. Thresholds are on the bytes that one ingress port (one priority of it,
/// with PFC) has in the shared buffer.
enum class PauseKind : std::uint8_t {
  kOff,
  kPause,  ///< IEEE 802.3x: the whole link
  kPfc,    ///< IEEE 802.1Qbb: per priority
};

struct PauseThresholds {
  std::uint64_t xoff = 0;         ///< pause at or above
  std::uint64_t xon = 0;          ///< resume at or below; less than xoff
  std::uint64_t headroom = 0;     ///< of each ingress port (and lossless priority), beside the shared buffer:
                                  ///< what is on its way when a pause is sent
  std::uint16_t quanta = 0xffff;  ///< of 512 bit times that a pause frame asks for; renewed while above xon
};

/// The congestion point of the firmware's own test bench: no queue at all is looked at, but the throughput
/// towards a port; above the threshold it forges CNPs to the sources of what passes.
struct ThresholdForge {
  std::uint64_t threshold = 0;        ///< bytes per second on the wire of one egress port; 0: none
  Time window = 100 * kMicrosecond;   ///< over which throughput is measured
  Time interval = 50 * kMicrosecond;  ///< between two CNPs to one flow
};

struct SwitchConfig {
  std::string name;
  std::uint64_t buffer = 0;      ///< shared by all ports; packets beyond it are dropped
  std::uint64_t port_limit = 0;  ///< of the buffer that one egress port may use; 0: all of it
  std::uint32_t dynamic_alpha =
      0;  ///< of 256: an egress queue may use alpha times what is free of the buffer; 0: off
  std::array<QueueConfig, kQueues> queues{};
  bool trust_pcp = false;  ///< of tagged frames the PCP chooses the queue, else the DSCP
  std::array<std::uint8_t, 64> dscp_to_queue{};
  std::array<std::uint8_t, kQueues> pcp_to_queue{0, 1, 2, 3, 4, 5, 6, 7};
  PauseThresholds pause;
  ThresholdForge forge;
};

/// What hangs at the edge: an endpoint of ours, or a port of the machine behind which anything may be.
struct StationConfig {
  std::string name;
  std::optional<roce::MacAddress> mac;  ///< none: addresses behind it are learnt
  /// Pause frames that its transmitter obeys by itself, frames with it held back. For stations that come too
  /// late to do so: in real time what they have sent ahead waits here. Off: stations obey, or nobody.
  PauseKind obeys = PauseKind::kOff;
  std::array<std::uint8_t, 64> dscp_to_priority{};  ///< of frames without a tag, as the station has it
};

struct NodeRef {
  enum class Kind : std::uint8_t { kStation, kSwitch };
  Kind kind = Kind::kStation;
  std::uint32_t index = 0;  ///< into NetworkConfig::stations or ::switches
  bool operator==(const NodeRef&) const = default;
};

/// Made on purpose to frames in one direction of a link, each judged by itself, reproducible by the network's
/// seed.
struct LinkFaults {
  std::uint64_t drop = 0, duplicate = 0, corrupt = 0, reorder = 0;  ///< of 2^32
  Time reorder_by = 10 * kMicrosecond;  ///< a reordered frame takes up to so much longer
  bool any() const { return (drop | duplicate | corrupt | reorder) != 0; }
};

struct LinkConfig {
  NodeRef a, b;
  std::uint64_t rate = 0;
  Time delay = 0;                            ///< of a bit, from end to end
  PauseKind flow_control = PauseKind::kOff;  ///< that switches at its ends send and honour here
  LinkFaults a_to_b, b_to_a;
};

/// A forest: between two nodes there is at most one way.
struct NetworkConfig {
  std::vector<SwitchConfig> switches;
  std::vector<StationConfig> stations;
  std::vector<LinkConfig> links;  ///< a station has exactly one
  std::uint64_t seed = 1;
};

}  // namespace softfeb::fabric
