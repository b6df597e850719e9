// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/case_task.hpp"
#include "conformance/traffic_sender.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace softfeb::conformance {

/// Carries out a case that consists of traffic runs (TrafficSpec). The runs follow one another, each on new
/// queue pairs.
class TrafficRun final : public CaseTask {
 public:
  /// `c` and `environment` must outlive this object. The object takes the QPNs of the board from `next_qpn`,
  /// and advances `next_qpn`.
  TrafficRun(const Case& c, const CaseEnvironment& environment, std::uint64_t seed, roce::Qpn& next_qpn,
             Time now);

  bool owns(roce::Qpn qpn) const override { return own_.count(qpn) != 0; }
  void on_answer(const Answer& answer, Time now) override;
  void on_foreign(const Answer& answer, Time now) override;
  std::optional<TargetRequest> take_request() override;
  void on_reply(const TargetReply& reply, Time now) override;
  void run(Time now, Frames& out) override;
  Time next_event() const override;
  bool done() const override { return phase_ == Phase::kDone; }
  bool target_gone() const override { return gone_; }
  CaseResult take_result(Time now) override;

 private:
  enum class Phase : std::uint8_t {
    kFill,
    kCountersBefore,
    kOpen,
    kTraffic,
    kSettle,
    kMemory,
    kCompletions,
    kCountersAfter,
    kClose,
    kDone
  };
  /// One pass of a traffic run. A traffic run with a clean queue pair has two passes: in the first one, only
  /// the clean queue pair sends.
  struct Pass {
    const TrafficSpec* spec = nullptr;
    bool alone = false;  ///< only the clean queue pair sends
  };
  /// State of the queue pairs that are opened and closed while others send (TrafficSpec::churn).
  struct Churn {
    enum class Step : std::uint8_t { kOpen, kSend, kClose, kSendAgain };
    Step step = Step::kOpen;
    std::uint32_t done = 0;
    roce::Qpn own = 0;  ///< QPN of the board
    roce::Psn psn = 0;
    std::optional<Script> script;
    bool answered = false;
    Time sent = 0;
    /// For each closed queue pair: its QPN at the board, and the PSN that the target must not answer.
    std::map<roce::Qpn, roce::Psn> closed;
  };

  const TrafficSpec& spec() const { return *passes_[pass_].spec; }
  void ask(TargetRequest request) { request_ = std::move(request); }
  void begin_pass(Time now);
  bool advance(Time now, Frames& out);
  bool open_next(Time now);
  void opened(const TargetReply& reply);
  void start_sending(Time now);
  bool traffic(Time now, Frames& out);
  bool churn(Time now, Frames& out);
  bool settle(Time now, Frames& out);
  bool read_memory();
  void judge_memory(const TargetReply& reply);
  void take_completions(const TargetReply& reply);
  void judge_counters(const TargetReply& reply);
  void judge(const TrafficStats& stats);
  void judge_immediates();
  void finish_pass(Time now);
  void broken(const TargetReply& reply);
  void fail(const std::string& reason);
  bool needs_counters() const { return environment_.target.counters && !spec().counters.empty(); }
  void end(Phase phase) {
    phase_ = phase;
    at_ = 0;
  }

  const Case& case_;
  const CaseEnvironment& environment_;
  Rng rng_;
  roce::Qpn& next_qpn_;
  Time began_;
  CaseResult result_;
  std::vector<Pass> passes_;
  std::size_t pass_ = 0;
  Phase phase_ = Phase::kFill;
  /// Index of the queue pair that the current request concerns or, when memory is read, of the block of
  /// kMemoryPart bytes.
  std::size_t at_ = 0;
  std::optional<TargetRequest> request_;
  bool waiting_ = false;

  std::vector<TrafficQp> qps_;
  std::set<roce::Qpn> own_;  ///< QPNs of the board
  RegionPlace region_;
  std::unique_ptr<TrafficSender> sender_;
  std::optional<double> alone_;
  std::map<std::string, std::uint64_t> counters_;  ///< counters of the target before the run
  /// Immediates of each queue pair, in the order of completion.
  std::vector<std::vector<std::uint32_t>> immediates_;
  /// Receives to be posted: QPN of the target, and number of receives.
  std::vector<std::pair<roce::Qpn, std::uint32_t>> to_post_;
  Time poll_at_ = 0;  ///< time at which completions are requested next
  Churn churn_;
  Time quiet_since_ = 0;
  std::string never_hit_;  ///< text of a rule that selected no packet; empty if there is none
  std::string why_broken_;
  bool failed_ = false;
  bool unsupported_ = false;
  bool gone_ = false;
};

}  // namespace softfeb::conformance
