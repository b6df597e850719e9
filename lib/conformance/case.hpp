// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "conformance/expectation.hpp"
#include "conformance/field_check.hpp"
#include "conformance/packet_spec.hpp"
#include "conformance/traffic_spec.hpp"
#include "roce/opcode.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// lib/conformance: what a RoCEv2 receiver must do, case by case, and the requester that tests it. A Case
/// (this header) comes from the catalogue. It lists the packets to send (packet_spec.hpp) and the expected
/// answers (expectation.hpp). CaseRun (case_run.hpp) sends the packets and judges the answers; Suite
/// (suite.hpp) runs the cases. Sans-I/O: time and packets are arguments, and the target is reached through
/// requests (target.hpp). May include engine and the libraries below it. doc/conformance.md describes the
/// notation.
namespace softfeb::conformance {

enum class Level : std::uint8_t { kShall, kShould, kMay, kMeasure, kRobustness };
enum class Severity : std::uint8_t { kCritical, kHigh, kMedium, kLow, kInfo };

/// What a case needs from the target, as a combination of bits.
using Needs = std::uint16_t;
inline constexpr Needs kNeedsMemory = 1U << 0;    ///< memory can be read
inline constexpr Needs kNeedsReceives = 1U << 1;  ///< receives can be posted, and completions can be read
inline constexpr Needs kNeedsSink = 1U << 2;      ///< queue pairs or regions can have special attributes
inline constexpr Needs kNeedsCounters = 1U << 3;  ///< hardware counters can be read
inline constexpr Needs kNeedsVlan = 1U << 4;      ///< the target has an interface with a VLAN
inline constexpr Needs kNeedsTwoIps = 1U << 5;    ///< the board has a second IP address
inline constexpr Needs kDestructive = 1U << 6;    ///< not a need: the case may crash the target
inline constexpr Needs kNeedsV6 = 1U << 7;        ///< the target has an IPv6 address
inline constexpr Needs kNeedsReads = 1U << 8;     ///< READ requests are supported
inline constexpr Needs kNeedsAtomics = 1U << 9;   ///< atomic operations are supported
inline constexpr Needs kNeedsSends = 1U << 10;    ///< SENDs are supported
inline constexpr Needs kNeedsCnps = 1U << 11;     ///< the target has a notification point
inline constexpr Needs kNeedsRate = 1U << 12;     ///< the sender reaches the rate of the link
inline constexpr Needs kNeedsBounds = 1U << 13;   ///< no other memory is registered around the region

/// State of a queue pair of the target.
enum class TargetState : std::uint8_t { kInit, kRtr, kRts, kError };

/// A queue pair of the target.
struct QpSpec {
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 1024;
  std::optional<std::uint32_t> psn;  ///< initial PSN, the symbol e of the notation; random if empty
  std::uint32_t receives = 0;        ///< number of receives that are posted at the start
  std::uint32_t receive_size = 64;   ///< size of each receive in bytes
  std::uint8_t rnr_timer = 12;
  std::uint8_t max_dest_rd_atomic = 1;
  bool remote_write = true;
  bool remote_read = true;
  bool remote_atomic = true;
  bool solicited_only = false;  ///< the completion queue raises events for solicited messages only
  TargetState state = TargetState::kRts;
};

/// A step of a case. Steps are carried out one after the other. A step that expects answers ends when all of
/// them have arrived.
struct Step {
  enum class Kind : std::uint8_t {
    kSend,      ///< sends `packets` back to back
    kDrop,      ///< sends each packet alone and awaits silence; then sends `then`, which must be accepted
    kEveryBit,  ///< sends `packets[0]` once for each bit from the IP version to the iCRC, with that bit
                ///< flipped; omits the bits of masked fields
    kMutate,    ///< sends `times` packets with random bytes changed
    kWait,      ///< waits for `time`
    kReceive,   ///< posts `times` receives at the target
    kModify,    ///< changes the state of the queue pair to `state`
    kDestroy,   ///< destroys the queue pair
    kFill,      ///< fills the first region with guard bytes (kGuard) again
    kCheck,     ///< compares the memory at this point
  };
  Kind kind = Kind::kSend;
  std::uint32_t qp = 0;  ///< index into Part::qps
  std::vector<PacketSpec> packets;
  /// For kDrop, the packet to send after those that must be dropped. If empty, the last of the dropped
  /// packets is sent again without its errors (PacketSpec::unspoilt()).
  std::optional<PacketSpec> then;
  /// Expected answers to the packets. If empty, the next step follows at once, and the expectation of a later
  /// step also covers the answers to this step.
  std::optional<Expectation> expect;
  /// Used instead of `expect` if the profile says that the target checks the bounds of the region before it
  /// checks the length of the message.
  std::optional<Expectation> bounds_first;
  std::vector<FieldCheck> fields;      ///< every answer to the step, except CNPs, must have these values
  std::vector<FieldCheck> cnp_fields;  ///< every CNP must have these values
  /// If this is not empty, the time from the first packet to the last answer becomes a figure with this name.
  std::string figure;
  /// If this is not empty, the step contributes to latency figures with this name: the median, the 99th
  /// percentile and the maximum of the time from a packet to the first answer, over all repetitions and all
  /// steps with this name.
  std::string latency;
  /// If this is true, the step also waits for the silence window (Timing::silence), during which no further
  /// answer may arrive.
  bool settle = false;
  std::uint64_t times = 1;     ///< number of repetitions; the symbol i is the index of the repetition, from 0
  bool one_at_a_time = false;  ///< if true, the answers are awaited after each repetition
  Time interval = 0;           ///< time between repetitions
  /// Time limit for the answers after the last packet. If empty, this is the silence window.
  std::optional<Time> within;
  Time time = 0;  ///< for kWait: the time to wait
  TargetState state = TargetState::kRtr;
};

/// A work completion that the target must report.
struct CompletionSpec {
  bool success = true;
  std::optional<Expression> length;  ///< received bytes; not compared if empty
  std::optional<std::uint32_t> immediate;
  bool operator==(const CompletionSpec&) const = default;
};

/// State in which a queue pair must be at the end of a part.
enum class Ending : std::uint8_t {
  kAlive,  ///< the queue pair is not in the error state
  kError,  ///< the queue pair is in the error state, so one more packet gets no answer
  kAny,    ///< both states are permitted
};

/// Packets whose payload must be in memory at the end of a part.
struct WrittenSpec {
  enum class Kind : std::uint8_t {
    kAcknowledged,  ///< packets that the target acknowledged
    kAll,
    kNone,
    kAny,  ///< memory is not compared
    kListed,
  };
  Kind kind = Kind::kAcknowledged;
  std::vector<std::uint32_t> packets;    ///< numbers of the packets, counted from 1 in the order of sending
  std::vector<std::uint32_t> tolerated;  ///< numbers of packets that may or may not be in memory
};

/// A part of a case. Each part uses new queue pairs.
struct Part {
  std::vector<QpSpec> qps{QpSpec{}};
  std::vector<Step> steps;
  Ending ending = Ending::kAlive;
  WrittenSpec written;
  std::optional<std::vector<CompletionSpec>> completions;  ///< expected completions; not compared if empty
  /// Permitted increase of the target's counters, by name.
  std::map<std::string, Range> counters;
  /// Whether a queue pair with `solicited_only` must have raised an event. If empty, this is not checked.
  std::optional<bool> solicited_event;
};

struct Case {
  std::string id;
  std::string title;
  std::string section;   ///< section of the IBA specification or another standard
  std::string service;   ///< RC or UC
  std::string opcodes;   ///< opcodes of the packets, in hexadecimal
  std::string stimulus;  ///< what is sent, in words
  std::string expected;  ///< what is expected, in words
  Severity severity = Severity::kMedium;
  Level level = Level::kShall;
  Needs needs = 0;
  std::vector<Part> parts;
  /// Traffic runs, one after the other. If empty, the case consists of `parts`.
  std::vector<TrafficSpec> traffic;
  std::string not_available;  ///< why softfeb cannot carry out the case; empty if it can

  std::string_view group() const { return std::string_view(id).substr(0, id.find('-')); }
};

std::string_view name_of(Level level);
std::string_view name_of(Severity severity);
std::optional<Level> level_of(std::string_view name);
std::optional<Severity> severity_of(std::string_view name);
std::optional<Needs> need_of(std::string_view name);
/// Returns the names of all needs, in the order of their bits.
std::span<const std::string_view> need_names();
/// Returns the names of the needs in `needs`, as the catalogue spells them, separated by spaces.
std::string text_of(Needs needs);

}  // namespace softfeb::conformance
