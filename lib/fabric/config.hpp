// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "fabric/multipath_config.hpp"
#include "fabric/scheduler_config.hpp"
#include "faults/fault_rules.hpp"
#include "faults/held_packets.hpp"
#include "roce/congestion_header.hpp"
#include "roce/mac_control.hpp"
#include "roce/path.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Configuration of a network: plain data. The loader in config/ validates it, and Network's constructor
/// throws std::invalid_argument if it cannot build the network. Sizes are in bytes, rates in bytes per second
/// on the wire (preamble, FCS and gap included), probabilities in units of 2^-32, times in picoseconds.
namespace softfeb::fabric {

/// Number of queues of a port, which are also the PFC priorities.
inline constexpr std::size_t kQueues = 8;

/// WRED-style marking of ECN-capable packets at an egress queue. By default, the decision depends on the
/// length of the queue when a packet is enqueued. A packet is never marked below kmin, and always at or above
/// kmax. In between, the marking probability grows from 0 to pmax.
struct EcnMarking {
  bool enabled = false;
  std::uint64_t kmin = 0;
  std::uint64_t kmax = 0;
  std::uint64_t pmax = std::uint64_t{1} << 32;  ///< marking probability just below kmax, in units of 2^-32
  /// If this is true, marking is decided when the first bit of a packet leaves, by the bytes that are queued
  /// behind the packet.
  bool at_dequeue = false;
  /// If this is 0, the decision depends on the current length of the queue. Otherwise, the decision depends
  /// on the average length, and this member is the exponent N: each arrival moves the average by 1/2^N of its
  /// difference to the current length. At most AverageLength::kMaxWeight.
  std::uint8_t weight = 0;
  bool drop_not_ect = false;  ///< drop packets that are not ECN-capable in cases where ECN-capable packets
                              ///< would be marked

  bool extended() const { return enabled && (at_dequeue || weight != 0 || drop_not_ect); }
};

struct QueueConfig {
  EcnMarking ecn;
  bool lossless = false;  ///< PFC may pause this priority
  /// Weight in round robin (SchedulerConfig). 0 means strict priority; of the queues with strict priority,
  /// the one with the highest number is served first.
  std::uint32_t weight = 1;
  /// Bytes that each port guarantees to the queue, in addition to SwitchConfig::buffer.
  std::uint64_t minimum = 0;
  QueueRates rates;
};

using roce::PauseMode;

/// Flow control thresholds. They apply to the bytes that one ingress port (or, with PFC, one priority of an
/// ingress port) occupies in the switch buffer.
struct PauseThresholds {
  /// The port sends a pause frame if it occupies at least this many bytes of the buffer. Any use of headroom
  /// also causes a pause. If xoff is 0, the threshold is dynamic (xoff_alpha), or there is no threshold.
  std::uint64_t xoff = 0;
  /// The port resumes the sender when the port occupies at most this many bytes and its headroom is empty. If
  /// xoff is not 0, xon must be less than xoff. With kNoXon, only the dynamic threshold decides.
  std::uint64_t xon = 0;
  /// Bytes for each ingress port (with PFC, for each lossless priority of a port) in addition to the shared
  /// buffer. This memory holds frames that are in flight when a pause frame is sent.
  std::uint64_t headroom = 0;
  /// Duration that a pause frame requests, in units of 512 bit times. The frame is repeated for as long as
  /// the pause lasts.
  std::uint16_t quanta = 0xffff;
  /// Alpha of the dynamic threshold, in units of 1/256: the port sends a pause frame if its bytes exceed
  /// alpha times the free bytes of the shared buffer. If this is 0, xoff applies.
  std::uint32_t xoff_alpha = 0;
  /// With xoff_alpha: the port resumes the sender when its bytes are below the dynamic threshold by at least
  /// this number, and are at most xon.
  std::uint64_t xon_offset = 0;
  /// Bytes that the headroom of all ports may occupy together. If this is 0, each port may occupy as much as
  /// `headroom` permits.
  std::uint64_t headroom_pool = 0;

  static constexpr std::uint64_t kNoXon = UINT64_MAX;
  bool given() const { return xoff != 0 || xoff_alpha != 0; }
};

/// The congestion point of the firmware's test bench. The congestion point measures the throughput towards an
/// egress port instead of queue lengths. Above the threshold it forges CNPs to the sources of passing
/// packets.
struct ThresholdForge {
  std::uint64_t threshold = 0;        ///< bytes per second on the wire, per egress port; 0 means off
  Time window = 100 * kMicrosecond;   ///< measurement window of the throughput
  Time interval = 50 * kMicrosecond;  ///< minimum interval between two CNPs to the same flow
};

/// Delays inside a switch, each at most kMax. By default there are none, and the switch stores a frame
/// completely before it forwards the frame.
struct SwitchTimes {
  static constexpr Time kMax = kMillisecond;

  /// Forwarding latency: from the arrival of a frame (with cut_through: of its header) to the egress queue.
  Time pipeline = 0;
  /// Time from the arrival of a pause frame's last bit until the frame takes effect: the transmitter stops
  /// and the duration of the pause begins or, if the frame ends a pause, the transmitter resumes.
  Time pause_response = 0;
  /// Time from the decision to send a pause frame until the transmitter may send the frame.
  Time pause_generation = 0;
  /// If true, the switch forwards a frame after its first kHeader bytes, provided that the egress port is
  /// idle, has no other frames to send, is not held back by pauses or rate limits, and is not faster than the
  /// ingress port. Frames from links with faults are always stored completely.
  bool cut_through = false;
  static constexpr std::uint32_t kHeader = 64;

  bool any() const { return (pipeline | pause_response | pause_generation) != 0 || cut_through; }
};

/// PFC watchdog of all ports. The watchdog ends storms. A storm is a sequence of pauses that keeps a class
/// (PFC priority) of a port from sending for too long.
struct WatchdogConfig {
  enum class Action : std::uint8_t {
    kDrop,     ///< drop waiting and arriving frames of the class
    kForward,  ///< send the frames of the class in spite of pauses
  };
  /// The action begins when a class has been paused for this time, and has had frames to send during this
  /// time but sent none. If this is 0, there is no watchdog.
  Time detection = 0;
  Time restoration = 0;  ///< the action ends when the class has not been paused for this time
  Action action = Action::kDrop;
};

/// How frames occupy the memory of a switch.
struct MemoryConfig {
  static constexpr std::uint32_t kMaxCell = 65'536;
  static constexpr std::uint32_t kMaxOverhead = 4'096;

  /// A frame of L bytes occupies ⌈(L + cell_overhead) / cell⌉ · cell bytes. Limits and thresholds of the
  /// buffer and of pauses count these bytes. Marking and counters count the bytes of frames.
  std::uint32_t cell = 1;
  std::uint32_t cell_overhead = 0;
  /// The MAC of a port takes frames from each queue in advance, even while the queue is paused, as long as
  /// the MAC holds fewer bytes of this queue than this number. These frames no longer occupy the buffer, and
  /// are not counted as queued.
  std::uint64_t mac_leak = 0;
};

struct SwitchConfig {
  std::string name;
  /// Bytes shared by all ports; packets that fit neither here nor into headroom are dropped.
  std::uint64_t buffer = 0;
  /// Bytes of the buffer that one egress port may use; 0 means the whole buffer.
  std::uint64_t port_limit = 0;
  /// Alpha of dynamic thresholds, in units of 1/256: an egress queue may use alpha times the free bytes of
  /// the buffer. If this is 0, there are no dynamic thresholds.
  std::uint32_t dynamic_alpha = 0;
  std::array<QueueConfig, kQueues> queues{};
  /// Number of strict-priority queues that use_priorities() has set up. The counters of each of these queues
  /// are reported. 0 if use_priorities() has not changed `queues`.
  std::uint8_t priorities = 0;
  bool trust_pcp = false;  ///< the PCP, and not the DSCP, of a tagged frame selects the queue
  std::array<std::uint8_t, 64> dscp_to_queue{};
  std::array<std::uint8_t, kQueues> pcp_to_queue{0, 1, 2, 3, 4, 5, 6, 7};
  PauseThresholds pause;
  MemoryConfig memory;
  SwitchTimes times;
  WatchdogConfig watchdog;
  ThresholdForge forge;
  /// In-band network telemetry. If true, the switch counts a hop in each congestion control header (CCH) that
  /// it forwards and, if the CCH's profile is INT, adds the state of the egress port. If false, the switch
  /// ignores CCHs.
  bool int_on = false;
  /// Identifies the switch in the path of a CCH. If this is 0, the identifier is derived from the index of
  /// the switch (int_id_of()).
  std::uint16_t int_id = 0;
  SchedulerConfig scheduler;
  /// Longest frame that the switch forwards: bytes between Ethernet header and FCS, not including an 802.1Q
  /// tag unless mtu_counts_tag. Longer frames are dropped. If this is 0, there is no limit.
  std::uint32_t mtu = 0;
  bool mtu_counts_tag = false;
  bool routes = false;  ///< decrement the TTL or hop limit of IP packets, and drop them when it reaches 0
  /// How the switch chooses among next hops. If this is empty, NetworkConfig::multipath applies. May be set
  /// only if NetworkConfig::multipath is set.
  std::optional<MultipathConfig> multipath;
};

/// An edge node: one of our endpoints, or an external port with an arbitrary network behind it.
struct StationConfig {
  std::string name;
  std::optional<roce::MacAddress> mac;  ///< empty if the station's addresses are learnt
  /// Kind of pause frames that the network honours on behalf of the station, by delaying the station's
  /// frames. This is necessary because some stations react too late in real time. With kOff, the station
  /// itself honours or ignores pause frames.
  PauseMode obeys = PauseMode::kOff;
  /// Map from DSCP to priority for untagged frames; must be the same as in the station.
  std::array<std::uint8_t, 64> dscp_to_priority{};
};

struct NodeRef {
  enum class Kind : std::uint8_t { kStation, kSwitch };
  Kind kind = Kind::kStation;
  std::uint32_t index = 0;  ///< index into NetworkConfig::stations or ::switches
  bool operator==(const NodeRef&) const = default;
};

/// Fault injection in one direction of a link. Random faults are independent of each other, and the same
/// network seed gives the same faults. Fault rules act before random faults.
struct LinkFaults {
  std::uint64_t drop = 0, duplicate = 0, corrupt = 0, reorder = 0;  ///< probabilities in units of 2^-32
  Time reorder_by = 10 * kMicrosecond;  ///< maximum extra delay of a reordered frame
  std::vector<faults::FaultRule> rules;
  /// Queue pairs whose packets pass in this direction; FaultQp::rules contains indices into `rules`.
  std::vector<faults::FaultQp> qps;
  faults::HoldLimits hold;  ///< limits of the frames that rules hold

  bool any_random() const { return (drop | duplicate | corrupt | reorder) != 0; }
  bool any() const { return any_random() || !qps.empty(); }
};

struct LinkConfig {
  NodeRef a, b;
  std::uint64_t rate = 0;
  Time delay = 0;  ///< propagation delay
  /// Kind of pause frames that the switches at the ends of this link send and honour.
  PauseMode flow_control = PauseMode::kOff;
  LinkFaults a_to_b, b_to_a;
  /// VLANs (1…4094) whose tagged frames the switches at the ends accept from and send to this link; nullopt
  /// means all VLANs.
  std::optional<std::vector<std::uint16_t>> vlans;
  bool untagged = true;  ///< with `vlans`: whether untagged frames pass
};

/// Configuration of a whole network. Without `multipath`, the network must be a forest, in which there is at
/// most one path between two nodes.
struct NetworkConfig {
  std::vector<SwitchConfig> switches;
  std::vector<StationConfig> stations;
  std::vector<LinkConfig> links;  ///< each station must have exactly one link
  /// Permits parallel links and links that form loops. Frames take the paths with the fewest links. The value
  /// applies to all switches whose SwitchConfig::multipath is empty. If the value is empty, links must not
  /// form a loop.
  std::optional<MultipathConfig> multipath;
  std::uint64_t seed = 1;
  /// Number of flows with counters of their own; further flows appear only in the counters of ports.
  std::uint32_t flows = kUsualFlows;
  static constexpr std::uint32_t kUsualFlows = 4'096;
  static constexpr std::uint32_t kMostFlows = 1U << 22;
  std::uint16_t cc_port = roce::kCongestionUdpPort;  ///< UDP port of frames with a CCH
};

/// Gives a switch `levels` strict-priority queues (1…kQueues). The queue with the highest number is served
/// first. The upper three bits of the DSCP select the queue, and also the PFC priority in endpoints: level p
/// has DSCP 8p and queue p. If trust_pcp is true, the PCP of a tagged frame selects the queue. A DSCP
/// or PCP above the last level selects the queue with the highest number.
void use_priorities(SwitchConfig& config, std::uint8_t levels);

/// Returns the identifier of switch `index` in the path of a CCH. Identifiers derived from the index are all
/// different. They are scattered over 16 bits, so that the XORs of different paths are unlikely to be equal.
std::uint16_t int_id_of(const NetworkConfig& config, std::size_t index);

/// Validates each link and each switch, cc_port, and the INT identifiers. Throws std::invalid_argument.
/// The class Topology validates the connections between switches and stations.
void check(const NetworkConfig& config);

}  // namespace softfeb::fabric
