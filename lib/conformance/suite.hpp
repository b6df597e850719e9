// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/canary.hpp"
#include "conformance/case_task.hpp"
#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::conformance {

struct SuiteConfig {
  std::vector<const Case*> cases;  ///< cases to run, in this order (see select())
  Profile profile;
  std::string target;  ///< name of the target, for the result
  std::uint64_t seed = 1;
  unsigned attempts = 2;     ///< maximum number of attempts if a case stays inconclusive
  Time time_limit = kNever;  ///< longest duration of the run
  bool destructive = false;  ///< also run cases that the profile calls destructive
};

/// Runs cases one after the other against one target, and judges them. First it opens a canary and calibrates
/// the times, then it runs BAS-01 to BAS-03. If one of these fails, the run ends, because silence would then
/// prove nothing. Sans-I/O, like CaseTask.
class Suite {
 public:
  /// `catalogue` and everything that the other arguments refer to must outlive this object.
  Suite(const Catalogue& catalogue, SuiteConfig config, CaseEnvironment environment, TargetDevice device,
        Time now);

  /// `report` is called with each result, in the order in which the cases end.
  void on_case(std::function<void(const CaseResult&)> report) { report_ = std::move(report); }
  /// Reports the total number of packets that the port has lost. If this number has increased since the last
  /// call, the current attempt is inconclusive.
  void port_dropped(std::uint64_t packets);
  /// Reports that the thread was preempted for `gap`. If `gap` exceeds the silence window, the current
  /// attempt is inconclusive.
  void preempted(Time gap);

  /// Only answers from the target's addresses are judged; all others count as foreign.
  void on_answer(const Answer& answer, Time now);
  /// Returns each request once; std::nullopt if there is none, or if the previous one has not been answered.
  std::optional<TargetRequest> take_request();
  /// Passes the reply to the latest request. If the case of this request has already ended, the reply matters
  /// only if the target is gone.
  void on_reply(const TargetReply& reply, Time now);
  void run(Time now, Frames& out);
  Time next_event() const;
  bool done() const { return phase_ == Phase::kDone; }
  /// Ends the run. The remaining cases keep the verdict kNotRun.
  void stop(Time now);

  const SuiteResult& result() const { return result_; }

 private:
  enum class Phase : std::uint8_t {
    kOpenCanary,
    kCalibrate,
    kBaseline,
    kBefore,  ///< the canary is checked before a case
    kCase,
    kAfter,   ///< the canary is checked after a case
    kReopen,  ///< a new canary is opened after the old one was lost
    kDone,
  };

  bool from_target(const Answer& answer) const;
  Time limit() const { return saturating_add(began_, config_.time_limit); }
  void end_task();
  bool advance(Time now, Frames& out);
  void calibrate(Time now, Frames& out);
  bool baseline(Time now, Frames& out);
  void fail_baseline(Time now, const std::string& what);
  bool start_case(Time now);
  bool begin_attempt(const Case& c, Time now);
  bool case_step(Time now, Frames& out);
  bool after_case(Time now, Frames& out);
  void apply_profile(CaseResult& result) const;
  void record(CaseResult result, Time now);
  void not_run(const Case& c, Verdict verdict, const std::string& reason);
  void dead(Time now, const std::string& why = "the target no longer answered");
  void finish(Time now);
  void open_canary();
  std::size_t place_of(const Case& c) const;

  const Catalogue& catalogue_;
  SuiteConfig config_;
  CaseEnvironment environment_;
  std::function<void(const CaseResult&)> report_;
  SuiteResult result_;
  Canary canary_;
  std::unique_ptr<CaseTask> task_;
  std::optional<CaseResult> pending_;  ///< result of the latest attempt, until the canary has answered
  Phase phase_ = Phase::kOpenCanary;
  Time began_;
  std::size_t next_ = 0;      ///< index into SuiteConfig::cases
  std::size_t baseline_ = 0;  ///< index of the current baseline case
  unsigned attempt_ = 0;
  unsigned disturbed_baselines_ = 0;  ///< attempts of the current baseline case that were disturbed
  /// Reason why the current attempt is inconclusive; empty if it is not disturbed.
  std::string disturbed_;
  roce::Qpn next_qpn_ = 0x101;
  roce::Qpn canary_qp_ = 0x100;
  std::optional<TargetRequest> request_;
  bool outstanding_ = false;  ///< a request was taken and has not been answered
  bool stale_ = false;        ///< the case that made the outstanding request has ended
  std::uint64_t dropped_ = 0;
  bool canary_reopened_ = false;
  bool canary_checked_ = false;
  roce::Psn canary_psn_ = 0;
  std::size_t calibrated_ = 0;  ///< number of WRITEs that the calibration has sent
};

}  // namespace softfeb::conformance
