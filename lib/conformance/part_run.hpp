// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "conformance/checkers.hpp"
#include "conformance/memory_model.hpp"
#include "conformance/profile.hpp"
#include "conformance/result.hpp"
#include "conformance/target.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace softfeb::conformance {

/// The environment in which cases run: the target and the board's addresses.
struct CaseEnvironment {
  Capabilities target;
  Timing timing;
  roce::Path path;                    ///< path from the board to the target, over IPv4
  std::optional<roce::Path> v6_path;  ///< set if the target has an IPv6 address
  roce::IpAddress second_ip;          ///< the board's second IP address
  /// The four regions of the target: a normal one, a read-only one, one of another protection domain, and a
  /// deregistered one.
  std::vector<RegionPlace> regions;
  roce::Qpn unused_qp = 0xabcdef;
  const Profile* profile = nullptr;  ///< not null
  // The remaining members are for traffic runs (TrafficSpec).
  /// Rate of the board's port, in bytes per second on the wire.
  std::uint64_t link_rate = 1'250'000'000;
  Time longest_traffic = kNever;  ///< traffic runs with a longer duration end after this time
  /// Returns the number of frames that the port has not sent yet. Null if this number is unknown.
  std::function<std::size_t()> waiting_frames{};
};

/// The respects in which a part failed, as a combination of bits.
using Failures = std::uint8_t;
inline constexpr Failures kAnswersFailed = 1U << 0;
inline constexpr Failures kMemoryFailed = 1U << 1;
inline constexpr Failures kCompletionsFailed = 1U << 2;
inline constexpr Failures kStateFailed = 1U << 3;
inline constexpr Failures kCheckersFailed = 1U << 4;

/// Maximum number of packets in the trace of a case.
inline constexpr std::size_t kMostTraced = 4000;

/// Frames to be sent now.
using Frames = std::vector<std::vector<std::uint8_t>>;

/// Carries out one part of a case: opens its queue pairs, sends the packets of its steps, and compares the
/// answers with the expected ones. Then reads memory, completions and states, and closes the queue pairs.
/// Sans-I/O: the caller passes time and answers, sends frames, and carries out one request at a time.
class PartRun {
 public:
  /// `c`, `part` and `environment` must outlive this object. The queue pairs of the board get the QPNs
  /// first_qpn, first_qpn + 1, and so on.
  PartRun(const Case& c, const Part& part, const CaseEnvironment& environment, Rng& rng, roce::Qpn first_qpn,
          Time began, CaseResult& result);

  /// True if answers to `qpn` belong to this part.
  bool owns(roce::Qpn qpn) const { return find_qp(qpn) != nullptr; }
  void on_answer(const Answer& answer, Time now);
  /// Returns each request once; std::nullopt if there is none, or if the previous one has not been answered.
  std::optional<TargetRequest> take_request();
  void on_reply(const TargetReply& reply, Time now);
  /// Does what is due at `now`, and appends frames that must be sent.
  void run(Time now, Frames& out);
  /// Time at which run() must be called again; kNever if the part waits for a reply.
  Time next_event() const;

  bool done() const { return phase_ == Phase::kDone; }
  Failures failures() const { return failures_; }
  /// Failures that the deviation in the profile does not explain. This does not include wrong answers:
  /// CaseRun compares the answers with the deviation.
  Failures unlisted() const { return unlisted_; }
  /// Reason why the part could not be carried out, for example because the target refused a request. Empty if
  /// there was no such obstacle.
  const std::string& broken() const { return broken_; }
  bool target_gone() const { return gone_; }
  bool unsupported() const { return unsupported_; }

 private:
  enum class Phase : std::uint8_t {
    kFill,
    kCountersBefore,
    kOpen,
    kSteps,
    kProbe,
    kState,
    kMemory,
    kCompletions,
    kEvents,
    kCountersAfter,
    kClose,
    kDone
  };
  enum class StepPhase : std::uint8_t { kBegin, kSending, kAwaiting, kSettling, kRequest };

  struct Qp {
    QpSpec spec;
    roce::Psn first_psn = 0;
    roce::Qpn own = 0;     ///< QPN of the board
    roce::Qpn remote = 0;  ///< QPN of the target
    bool open = false;
    std::optional<Script> script;
    std::optional<AckChecker> checker;
    std::optional<Matcher> matcher;
    bool answered = true;                ///< the expectation is fulfilled; the next kSend step sets a new one
    roce::Psn last_psn = 0;              ///< highest PSN sent so far; probe() sends the next one
    Time touched = 0;                    ///< time of the latest packet or answer
    std::set<roce::Psn> unrequested;     ///< PSNs of packets that do not request an acknowledgement
    std::optional<Answer> first_answer;  ///< first answer that is not a CNP
  };

  const Qp* find_qp(roce::Qpn qpn) const;
  void opened(Qp& qp, const TargetReply& reply, Time now);
  void ask(TargetRequest request) { request_ = std::move(request); }
  void next_phase(Phase phase);
  bool advance(Time now, Frames& out);
  bool open_next();
  bool run_step(Time now, Frames& out);
  void begin_step(const Step& step, Time now);
  bool send_some(const Step& step, Time now, Frames& out);
  bool send_dropped(const Step& step, Time now, Frames& out);
  bool send_flipped(const Step& step, Time now, Frames& out);
  bool send_mutated(const Step& step, Time now, Frames& out);
  bool after_sending(const Step& step, Time now);
  bool await(const Step& step, Time now);
  bool settle(const Step& step, Time now);
  void finish_repetition(const Step& step);
  void next_step();
  void request_of(const Step& step);
  void expect(std::uint32_t qp, const Expectation* expectation, std::uint64_t repetition);
  const Expectation* expectation_for(std::size_t step) const;
  bool last_of_part(std::size_t step) const;

  void send(std::uint32_t qp, const PacketSpec& spec, std::uint64_t repetition, bool dropped, Time now,
            Frames& out);
  void trace_sent(const ScriptPacket& packet, std::uint32_t qp, TracePacket::Fault fault, Time now);
  void probe(Time now, Frames& out);
  void read_next();
  void judge_memory(const TargetReply& reply);
  void judge_completions(const TargetReply& reply);
  void judge_state(TargetState state);
  void judge_counters(const TargetReply& reply);
  void time_answer(const Answer& answer);
  void report_latencies();
  void check_fields(const Qp& qp, const Answer& answer);
  void check_field(const FieldCheck& check, const Qp& qp, const Answer& answer);
  bool needs_counters() const { return !part_.counters.empty() && environment_.target.counters; }
  void begin_memory();
  void compare_with_deviation(const MemoryModel::Range& range, const TargetReply& reply,
                              const std::vector<MemoryDifference>& differences);
  void fail(Failures what, const std::string& reason);
  void find(const std::string& checker, const std::string& text);
  void take_answer(Qp& qp, const Answer& answer, TracePacket& trace);

  const Case& case_;
  const Part& part_;
  const CaseEnvironment& environment_;
  Rng& rng_;
  Time began_;
  CaseResult& result_;
  std::vector<Qp> qps_;
  MemoryModel memory_;
  CnpChecker cnps_;
  /// Expectations for kDrop steps without `expect`: an ACK of the packet that the target must accept.
  std::deque<Expectation> made_;

  Phase phase_ = Phase::kFill;
  StepPhase step_phase_ = StepPhase::kBegin;
  std::size_t step_ = 0;
  std::uint64_t repetition_ = 0;
  std::size_t packet_ = 0;  ///< for kDrop, index of the packet; for kEveryBit, index of the bit
  bool unspoilt_ = false;   ///< for kDrop, whether the packet that must be accepted has been sent
  bool probed_ = false;
  bool failed_ = false;    ///< the answers were wrong, so the remaining steps are skipped
  bool checking_ = false;  ///< memory is read for a kCheck step
  Time due_ = 0;           ///< earliest time of the next packet
  Time deadline_ = kNever;
  std::size_t qp_ = 0;  ///< index of the queue pair that the current request concerns
  std::vector<MemoryModel::Range> ranges_;
  std::size_t range_ = 0;
  std::map<std::string, std::uint64_t> counters_;  ///< counters of the target before the steps
  Time step_began_ = 0;
  /// Departure time of the packet whose latency is measured, until its first answer arrives; otherwise empty.
  std::optional<Time> timed_;
  std::map<std::string, std::vector<Time>> latencies_;  ///< measured times; the key is Step::latency
  std::optional<TargetRequest> request_;
  bool waiting_ = false;
  /// Deviation that the profile lists for this case; null if there is none.
  const Deviation* deviation_ = nullptr;
  Failures failures_ = 0;
  Failures unlisted_ = 0;
  std::string broken_;
  bool gone_ = false;
  bool unsupported_ = false;
};

}  // namespace softfeb::conformance
