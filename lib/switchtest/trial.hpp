// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "latency/stage_histogram.hpp"
#include "roce/ip.hpp"
#include "roce/mac_control.hpp"
#include "roce/path.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A trial is a script for all test ports: which frames they send, when they pause the switch, and how they
/// obey the switch's pause frames. The result of a trial contains the frames that arrived and, if the trial
/// is void, the reason. All times are relative to the start of the trial.
namespace softfeb::switchtest {

/// Sizes of a frame without FCS, in bytes. The smallest RoCE frame has no payload.
inline constexpr std::uint32_t kSmallestRoceFrame = 74;
inline constexpr std::uint32_t kSmallestUdpFrame = 60;
/// The payload of a RoCE packet is at most the largest path MTU, 4096 bytes.
inline constexpr std::uint32_t kLargestRoceFrame = kSmallestRoceFrame + 4096;
inline constexpr std::uint32_t kFcsSize = 4;

/// Addresses of a rig port.
struct PortAddress {
  roce::MacAddress mac{};
  roce::IpAddress v4;
  roce::IpAddress v6;
};

/// A kind of frame. All frames of a kind have consecutive sequence numbers.
struct FrameKind {
  std::uint16_t to = 0;  ///< rig port to which the frames go
  /// Length of the frame in bytes, without FCS and 802.1Q tag. The length of a RoCE frame is
  /// kSmallestRoceFrame plus a multiple of 4.
  std::uint32_t length = kSmallestRoceFrame;
  std::uint8_t dscp = 26;
  roce::Ecn ecn = roce::Ecn::kEct0;
  std::optional<roce::VlanTag> vlan;
  bool ipv6 = false;
  /// If this is true, the frame is UDP to port 7 (RFC 2544) instead of a RoCE packet, and may have any length
  /// from kSmallestUdpFrame.
  bool plain_udp = false;
  std::uint16_t udp_source_port = 0xc000;
  std::uint32_t dest_qp = 0x100;
  /// Number of the sending queue pair if the frames use RC; empty if they use UC. Port `to` answers RC frames
  /// as Trial::answers says. All frames of the kind must come from one source.
  std::optional<std::uint32_t> rc_source_qp;
  std::uint16_t source_host = 0;           ///< added to the source IP address
  std::optional<PortAddress> destination;  ///< destination addresses; if empty, those of port `to` are used
  std::uint8_t ttl = 64;
  bool record = false;              ///< whether each arrival is recorded in TrialResult::arrivals
  std::uint16_t latency_group = 0;  ///< index into TrialResult::latency
};

enum class GapKind : std::uint8_t {
  kConstant,
  kExponential,  ///< the gaps between starts have the mean Source::gap and are at least the time on the wire
};

/// A sequence of frames that one port sends.
struct Source {
  std::uint16_t port = 0;
  std::vector<std::uint16_t> kinds;  ///< indices into Trial::kinds; the source uses them in turn
  /// If this is true, the source draws the kind of each frame at random from `kinds`.
  bool mixed = false;
  Time start = 0;
  Time end = kNever;                 ///< no frame starts at or after this time
  std::uint64_t count = UINT64_MAX;  ///< maximum number of frames
  /// Time from the start of a frame to the start of the next. 0 means that frames are sent as fast as the
  /// link permits.
  Time gap = 0;
  GapKind gap_kind = GapKind::kConstant;
  std::uint64_t seed = 1;
  /// If set, the source is a board whose DCQCN determines the rate, and `gap` is ignored. The source must
  /// have a single kind, which must be RC. Lost frames are not retransmitted.
  std::optional<dcqcn::FirmwareSettings> dcqcn;
};

/// How ports answer RC frames.
struct Answers {
  std::uint32_t frames_per_ack = 16;      ///< frames from one acknowledgement request to the next
  bool cnps = true;                       ///< whether ports answer CE marks with CNPs
  Time cnp_interval = 50 * kMicrosecond;  ///< minimum time between two CNPs for the same kind
  /// DSCP of acknowledgements and CNPs; the default is common for CNPs.
  std::uint8_t dscp = 48;
};

/// A CNP that the receiver of a kind of RC frames sends to the sender of this kind although no frame was
/// marked.
struct ForgedCnp {
  std::uint16_t kind = 0;
  Time at = 0;
};

/// A port pauses the switch from `from` to `until`. The port repeats the pause frame every quarter of the
/// pause duration. At `until`, the port sends a pause frame with duration 0.
struct Freeze {
  std::uint16_t port = 0;
  Time from = 0;
  Time until = 0;
  roce::MacControl::Kind kind = roce::MacControl::Kind::kPause;
  std::uint8_t classes = 0xff;  ///< PFC: bit mask of the priorities
};

/// Returns a pause frame of this freeze with the duration `quanta`.
roce::MacControl pause_of(const Freeze& freeze, std::uint16_t quanta);

/// A single pause frame.
struct PauseFrame {
  std::uint16_t port = 0;
  Time at = 0;
  roce::MacControl control;
};

/// How a port reacts to pause frames of the switch.
struct Obedience {
  bool obeys = true;
  Time after = 0;  ///< time from the arrival of a pause frame until the pause takes effect
};

/// Number of DSCPs with the same class selector (RFC 2474). The lowest of these DSCPs is the class selector
/// itself: 0, 8, 16, …
inline constexpr std::uint8_t kDscpsPerClass = 8;

/// Returns a map from DSCPs to priorities in which the priority is the upper three bits of the DSCP (class
/// selectors, RFC 2474).
constexpr std::array<std::uint8_t, 64> priorities_by_class_selector() {
  std::array<std::uint8_t, 64> out{};
  for (std::size_t dscp = 0; dscp < out.size(); ++dscp)
    out[dscp] = static_cast<std::uint8_t>(dscp / kDscpsPerClass);
  return out;
}

struct Trial {
  std::vector<FrameKind> kinds;
  std::vector<Source> sources;
  std::vector<Freeze> freezes;
  std::vector<PauseFrame> pauses;
  std::optional<Answers> answers;  ///< empty if RC frames are not answered
  std::vector<ForgedCnp> forged_cnps;
  std::vector<Obedience> obedience;  ///< indexed by rig port; ports without an entry obey at once
  /// Frames that arrive after this time are ignored, so leave enough time for the last frames.
  Time end = 0;
  /// If this is true, TrialResult::missing is filled in.
  bool list_missing = false;
  /// If this is true, only counts matter. In real time, the trial is then valid even if frames leave late or
  /// a loop of the rig is interrupted; TrialResult::disturbance then contains the reason.
  bool counts_only = false;
  /// If this is false, the trial is valid even if a port receives more pause frames than it can record.
  /// TrialResult::pauses then contains only the first pause frames.
  bool all_pauses = true;
  Time series_interval = 0;  ///< interval of KindStats::series; 0 means no series
  /// Kind of pause frames that the ports obey.
  roce::PauseMode obeyed = roce::PauseMode::kPfc;
  /// Priority of untagged frames by DSCP, for ports that obey PFC. The priority of a tagged frame is its PCP.
  std::array<std::uint8_t, 64> priority_of_dscp = priorities_by_class_selector();
  /// Largest permitted delay of a frame behind its schedule. In real time, the trial is void if a frame
  /// leaves later. The delay must be less than Rig::settle() if the trial sends one train after another.
  Time lateness = kMillisecond;
};

/// A recorded frame.
struct Arrival {
  std::uint16_t kind = 0;      ///< index into Trial::kinds
  std::uint16_t port = 0;      ///< rig port at which the frame arrived
  std::uint64_t sequence = 0;  ///< position among the frames of its kind, from 0
  Time departed = 0;           ///< time of the first bit
  Time at = 0;                 ///< time of the last bit
  std::uint8_t dscp = 0;
  roce::Ecn ecn = roce::Ecn::kNotEct;
  std::optional<roce::VlanTag> vlan;
  std::uint8_t ttl = 0;
  /// True if the length and, for RoCE, the iCRC are right, and no 802.1Q tag was added. (A frame with a wrong
  /// IP checksum is not recorded; it counts as TrialResult::foreign.)
  bool intact = true;
};

/// Counts of the frames of one kind. Duplicates count neither as arrived nor as reordered.
struct KindStats {
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;
  std::uint64_t next = 0;  ///< one more than the highest sequence number that arrived
  /// Frames that arrived at a port other than FrameKind::to; not counted in `arrived`.
  std::uint64_t misdelivered = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;  ///< frames that arrived after a later frame of their kind (RFC 4737)
  /// Largest difference between the sequence number of a reordered frame and the highest sequence number that
  /// had arrived before the frame.
  std::uint64_t reorder_extent = 0;
  std::uint64_t damaged = 0;           ///< see Arrival::intact; not counted in `arrived`
  std::array<std::uint64_t, 4> ecn{};  ///< arrived frames by their ECN field
  Time first_departure = kNever, last_departure = 0;
  Time first_arrival = kNever, last_arrival = 0;
  Time delay_sum = 0;                 ///< sum of the delays from first bit sent to last bit received
  Time delay_variation_max = 0;       ///< largest difference between the delays of consecutive frames
  std::vector<std::uint32_t> series;  ///< arrived frames in each Trial::series_interval
  std::uint64_t missing() const { return sent - arrived; }
};

/// A frame that did not arrive, or arrived damaged.
struct MissingFrame {
  std::uint16_t kind = 0;
  std::uint64_t sequence = 0;
  /// Departure time of the next frame of its kind that arrived; the missing frame departed earlier. kNever if
  /// no later frame arrived.
  Time before = 0;
};

/// A pause frame that a port received from the switch.
struct PauseSeen {
  std::uint16_t port = 0;
  Time at = 0;  ///< time of the last bit
  roce::MacControl control;
};

/// A pause frame that a port sent.
struct PauseSent {
  std::uint16_t port = 0;
  Time departed = 0;  ///< time of the first bit
  roce::MacControl control;
};

/// A CNP for the sender of a kind of RC frames.
struct Cnp {
  std::uint16_t kind = 0;
  std::uint16_t identification = 0;  ///< IPv4 identification; a port numbers its CNPs for each kind
  Time at = 0;                       ///< time of the first bit if sent, of the last bit if received
};

struct TrialResult {
  std::vector<KindStats> kinds;   ///< indexed like Trial::kinds
  std::vector<Arrival> arrivals;  ///< frames of recorded kinds, in the order of arrival
  std::vector<PauseSeen> pauses;  ///< in order of arrival
  std::vector<PauseSent> sent_pauses;
  std::vector<Cnp> sent_cnps;  ///< in order of departure
  std::vector<Cnp> cnps;       ///< received, in order of arrival
  /// With Trial::list_missing: frames that did not arrive although later frames of their kind did, up to
  /// MissingList::kMost for each port. list_last_frames() adds the frames after the last arrival of each
  /// kind.
  std::vector<MissingFrame> missing;
  std::vector<latency::StageHistogram> latency;  ///< indexed by FrameKind::latency_group
  std::vector<Time> start_skew;                  ///< for each source, how late its first frame left
  std::uint64_t unrecorded_pauses = 0;           ///< pause frames that are missing in `pauses`
  std::uint64_t foreign = 0;                     ///< frames that no port of this trial sent
  Time late_max = 0;                             ///< largest delay of a frame behind its schedule
  /// Largest error of a time stamp, caused by an interruption of a loop of the rig. It is 0 if all times are
  /// exact.
  Time time_error = 0;
  /// For a valid trial with Trial::counts_only, the reason why times are wrong, or why the rig may have lost
  /// frames. Empty if there is no such reason.
  std::string disturbance;
  /// Reason why the trial is of no use, because a sender or receiver of the rig failed. Empty if the trial is
  /// valid.
  std::string void_reason;
  bool valid() const { return void_reason.empty(); }
};

/// Time that a frame of `length` bytes (without FCS) occupies a link of `rate` bytes per second.
Time time_on_wire(std::uint32_t length, std::uint64_t rate);

/// Returns the default addresses of a port: 198.18.PORT.1 (RFC 2544), 2001:2:0:PORT::1 (RFC 5180), and
/// 02:53:54:50:00:PORT.
PortAddress default_address(std::uint16_t port);

}  // namespace softfeb::switchtest
