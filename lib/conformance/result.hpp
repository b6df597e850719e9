// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "conformance/case.hpp"
#include "conformance/target.hpp"
#include "roce/headers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::conformance {

enum class Verdict : std::uint8_t {
  kPass,
  kFail,
  kKnownDeviation,  ///< the case failed exactly as the profile predicts
  kInconclusive,    ///< the environment prevented a judgement
  kNotApplicable,   ///< the target or the profile lacks what the case needs
  kMeasured,        ///< a figure was measured, and no limit was exceeded
  kNotRun,          ///< the time limit or a dead target ended the run before this case
};
std::string_view name_of(Verdict verdict);  ///< "pass", "fail", "known deviation", ...

/// A packet in the trace of a case.
struct TracePacket {
  enum class Judgement : std::uint8_t {
    kSent,        ///< sent to the target
    kNotSent,     ///< not sent, because a fault rule dropped it
    kExpected,    ///< received from the target, as expected
    kUnexpected,  ///< received from the target, but not expected
    kTolerated,   ///< received from the target, not expected, but permitted by IBA or the profile
    kForeign,     ///< received from the target for a queue pair of an earlier case
  };
  /// What a fault rule did to a packet that was sent.
  enum class Fault : std::uint8_t {
    kNone,
    kChanged,    ///< bytes were changed or cut off after the iCRC was computed
    kDuplicate,  ///< a copy of another packet that was sent
    kLate,       ///< the packet was delayed, or sent after packets that should follow it
  };
  Time at = 0;  ///< time since the start of the case
  Judgement judgement = Judgement::kSent;
  Fault fault = Fault::kNone;
  std::uint32_t part = 0;  ///< number of the part, from 1; 0 if the case has no parts
  /// Number of the step in its part, from 1; 0 for a packet before the first or after the last step.
  std::uint32_t step = 0;
  std::uint8_t opcode = 0;
  roce::Psn psn = 0;
  roce::Psn first_psn = 0;  ///< initial PSN (e) of the packet's queue pair
  std::uint32_t qp = 0;     ///< number of the queue pair in the case
  std::optional<roce::Aeth> aeth;
  std::uint32_t length = 0;  ///< payload in bytes
  bool ack_req = false;
  std::string comment;  ///< for the reader: the notation of a sent packet, or what is wrong with an answer
  std::vector<std::uint8_t> frame;

  bool from_target() const { return judgement != Judgement::kSent && judgement != Judgement::kNotSent; }
};

/// An answer that was expected and did not arrive.
struct MissingAnswer {
  std::uint32_t part = 0;  ///< number of the part, as in TracePacket
  std::uint32_t step = 0;
  Time at = 0;  ///< time from the start of the case to the end of the wait
  std::string what;
};

/// An error that a checker has found. Checkers apply the same rules in every case.
struct CheckerFinding {
  std::string checker;  ///< "form", "ack", "go-back-n", "memory", "cnp", "counters"
  std::string text;
  std::optional<std::size_t> packet;  ///< index into the trace
};

/// A measured quantity.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> limit{};  ///< limit in the profile
  bool more_is_better = false;    ///< `limit` is the smallest permitted value, not the largest one
  std::string text{};             ///< used instead of `value` if the figure is not a number
  /// True if the figure is on the wrong side of its limit.
  bool exceeded() const { return limit && (more_is_better ? value < *limit : value > *limit); }
};

struct RuleResult {
  std::string text;
  std::uint64_t hits = 0;
};

/// A range of memory with wrong bytes.
struct MemoryDifference {
  std::uint32_t region = 0;
  std::uint64_t offset = 0;
  std::vector<std::uint8_t> expected;  ///< required bytes, at most 64
  std::vector<std::uint8_t> found;     ///< bytes in memory, as many as in `expected`
  bool guard = false;                  ///< no packet may change these bytes
  /// Explanation, for example "packet 3 was written although it was refused"
  std::string text;
};

/// The outcome of one case.
struct CaseResult {
  const Case* of = nullptr;  ///< owned by the catalogue
  Verdict verdict = Verdict::kNotRun;
  std::string reason;  ///< why the verdict is not kPass, in one sentence
  double seconds = 0;
  unsigned attempts = 0;
  std::vector<TracePacket> trace;  ///< packets of the last attempt
  std::vector<MissingAnswer> missing;
  std::vector<CheckerFinding> findings;
  std::vector<MemoryDifference> memory;
  std::vector<Completion> completions;
  std::optional<TargetState> state;  ///< state of the case's first queue pair, if the target reports it
  std::vector<Figure> figures;
  std::vector<RuleResult> rules;
  std::uint64_t foreign = 0;  ///< packets for queue pairs of earlier cases
  std::string deviation;      ///< Deviation::why, if the profile lists a deviation for this case
};

/// Times that a run uses. Calibration determines all of them except `t_case`. A profile may set `t_ack` and
/// `silence` instead.
struct Timing {
  Time round_trip_p50 = 0;
  Time round_trip_p99 = 0;
  Time t_ack = kMillisecond;        ///< maximum time until an answer arrives
  Time silence = 5 * kMillisecond;  ///< a target that does not answer within this time is silent
  Time t_case = 2 * kSecond;        ///< time limit for each part of a case, in addition to its waits
};

/// The outcome of a run.
struct SuiteResult {
  TargetDevice device;
  std::string target;   ///< as given on the command line or in the configuration
  std::string profile;  ///< name of the profile
  Timing timing;
  std::uint64_t seed = 0;
  std::vector<CaseResult> cases;      ///< in the order of the catalogue
  std::vector<std::string> not_seen;  ///< deviations and limits of the profile that the run did not confirm
  /// Set if the target stopped answering; names the case after which it stopped.
  std::optional<std::string> dead;
  /// If no case was judged, the reason: which packets were sent and received, and the likely causes.
  std::optional<std::string> no_baseline;
  double seconds = 0;
};

struct Totals {
  std::size_t pass = 0, fail = 0, known_deviation = 0, inconclusive = 0, not_applicable = 0, measured = 0,
              not_run = 0;
};
Totals totals_of(const SuiteResult& result);

}  // namespace softfeb::conformance
