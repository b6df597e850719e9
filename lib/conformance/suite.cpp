// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/suite.hpp"

#include "conformance/case_run.hpp"
#include "conformance/traffic_run.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace softfeb::conformance {

namespace {

constexpr std::array<std::string_view, 3> kBaseline = {"BAS-01", "BAS-02", "BAS-03"};
constexpr std::size_t kCalibrationWrites = 64;
constexpr Time kFirstLimit = kSecond;  ///< time limit for answers while the round-trip time is unknown
constexpr Time kLeastAck = kMillisecond;
constexpr Time kLeastSilence = 5 * kMillisecond;
constexpr Time kAckOfP99 = 20;  ///< T_ack is this multiple of the round-trip time's 99th percentile
/// The silence window is this multiple of T_ack.
constexpr Time kSilenceOfAck = 3;

/// True for cases that the catalogue or the profile calls destructive. Such cases run last.
bool harms(const Profile& profile, const Case& c) {
  const auto it = profile.deviations.find(c.id);
  return (c.needs & kDestructive) != 0 || (it != profile.deviations.end() && it->second.destructive);
}

Time percentile(std::vector<Time> times, std::size_t percent) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1, times.size() * percent / 100)];
}

}  // namespace

Suite::Suite(const Catalogue& catalogue, SuiteConfig config, CaseEnvironment environment, TargetDevice device,
             Time now)
    : catalogue_(catalogue), config_(std::move(config)), environment_(std::move(environment)), began_(now) {
  environment_.profile = &config_.profile;
  std::stable_partition(config_.cases.begin(), config_.cases.end(),
                        [&](const Case* c) { return !harms(config_.profile, *c); });
  environment_.timing.t_ack = config_.profile.t_ack.value_or(kFirstLimit);
  environment_.timing.silence = config_.profile.silence.value_or(kFirstLimit);
  result_.device = std::move(device);
  result_.target = config_.target;
  result_.profile = config_.profile.name;
  result_.seed = config_.seed;
  for (const CaseGroup& group : catalogue.groups()) {
    for (const Case& c : group.cases) {
      const bool selected = std::find(config_.cases.begin(), config_.cases.end(), &c) != config_.cases.end();
      if (!selected) continue;
      result_.cases.push_back({.of = &c, .verdict = Verdict::kNotRun, .reason = "the run ended before"});
    }
  }
  open_canary();
}

void Suite::open_canary() {
  const roce::Psn psn = static_cast<roce::Psn>(Rng::mixed(config_.seed, 0, next_qpn_)) & roce::kPsnMask;
  canary_qp_ = next_qpn_++;
  request_ = OpenRequest{
      .spec = {}, .psn = psn, .requester_qp = canary_qp_, .requester_ip = environment_.path.source_ip};
  canary_psn_ = psn;
}

std::size_t Suite::place_of(const Case& c) const {
  const auto it = std::find_if(result_.cases.begin(), result_.cases.end(),
                               [&](const CaseResult& r) { return r.of == &c; });
  return static_cast<std::size_t>(it - result_.cases.begin());
}

void Suite::port_dropped(std::uint64_t packets) {
  if (packets > dropped_ && disturbed_.empty()) disturbed_ = "softfeb's own port dropped packets";
  dropped_ = packets;
}

void Suite::preempted(Time gap) {
  if (gap > environment_.timing.silence && disturbed_.empty())
    disturbed_ = "softfeb did not get the CPU for longer than the silence window";
}

std::optional<TargetRequest> Suite::take_request() {
  if (outstanding_ || done()) return std::nullopt;
  auto request = task_ ? task_->take_request() : std::exchange(request_, std::nullopt);
  outstanding_ = request.has_value();
  return request;
}

/// Ends the current attempt, even if it is still waiting for a reply.
void Suite::end_task() {
  task_.reset();
  stale_ = outstanding_;
}

void Suite::on_reply(const TargetReply& reply, Time now) {
  if (!outstanding_) return;
  outstanding_ = false;
  if (std::exchange(stale_, false) || done()) {
    if (reply.gone && !done()) dead(now);
    return;
  }
  if (task_) return task_->on_reply(reply, now);
  if (reply.error) {
    if (phase_ == Phase::kOpenCanary)
      return fail_baseline(now, "the target refused a queue pair: " + *reply.error);
    return dead(now);
  }
  if (reply.fixed) {
    canary_qp_ = reply.fixed->requester_qp;
    canary_psn_ = reply.fixed->psn;
  }
  canary_.open(environment_, canary_qp_, reply.qp, canary_psn_, reply.fixed ? &reply.fixed->region : nullptr);
  phase_ = phase_ == Phase::kOpenCanary ? Phase::kCalibrate : Phase::kAfter;
  canary_checked_ = false;
}

bool Suite::from_target(const Answer& answer) const {
  return answer.source_ip == environment_.path.dest_ip ||
         (environment_.v6_path && answer.source_ip == environment_.v6_path->dest_ip);
}

void Suite::on_answer(const Answer& answer, Time now) {
  const bool own = from_target(answer);
  if (own && canary_.owns(answer.dest_qp)) {
    canary_.on_answer(answer, now);
  } else if (own && task_ && task_->owns(answer.dest_qp)) {
    task_->on_answer(answer, now);
  } else if (task_) {
    task_->on_foreign(answer, now);
  }
}

void Suite::run(Time now, Frames& out) {
  canary_.run(now, out);
  while (!done() && advance(now, out)) {
  }
}

Time Suite::next_event() const {
  if (done()) return kNever;
  const Time task = task_ ? task_->next_event() : kNever;
  const Time canary = canary_.next_event();
  const bool waits = (outstanding_ && !stale_) || request_;
  if (!task_ && !waits && canary == kNever) return 0;
  return std::min({task, canary, limit()});
}

bool Suite::advance(Time now, Frames& out) {
  if (limit() <= now && phase_ != Phase::kDone) {
    stop(now);
    return false;
  }
  switch (phase_) {
    case Phase::kCalibrate:
      calibrate(now, out);
      return phase_ != Phase::kCalibrate;
    case Phase::kBaseline:
      return baseline(now, out);
    case Phase::kBefore:
    case Phase::kAfter:
      return after_case(now, out);
    case Phase::kCase:
      return case_step(now, out);
    case Phase::kOpenCanary:
    case Phase::kReopen:
    case Phase::kDone:
      break;
  }
  return false;
}

/// Measures the round-trip time, and derives T_ack and the silence window from it.
void Suite::calibrate(Time now, Frames& out) {
  if (canary_.state() == Canary::State::kWaiting) return;
  if (canary_.state() == Canary::State::kLost) return fail_baseline(now, "no WRITE was acknowledged");
  if (canary_.round_trips().size() < kCalibrationWrites && calibrated_++ < 2 * kCalibrationWrites) {
    canary_.check(now, environment_.timing.silence, out);
    return;
  }
  Timing& timing = environment_.timing;
  timing.round_trip_p50 = percentile(canary_.round_trips(), 50);
  timing.round_trip_p99 = percentile(canary_.round_trips(), 99);
  timing.t_ack = config_.profile.t_ack.value_or(std::max(kAckOfP99 * timing.round_trip_p99, kLeastAck));
  timing.silence = config_.profile.silence.value_or(std::max(kSilenceOfAck * timing.t_ack, kLeastSilence));
  result_.timing = timing;
  phase_ = Phase::kBaseline;
}

void Suite::fail_baseline(Time now, const std::string& what) {
  result_.no_baseline =
      what + ". Sent: WRITE ONLY, 8 bytes, to " + environment_.path.dest_ip.to_string() +
      "; received: " + (canary_.answers() == 0 ? std::string("nothing") : canary_.last_answer()) +
      ". The likeliest causes: the path's MTU is smaller than the packets; the target cannot resolve the "
      "board's "
      "address " +
      environment_.path.source_ip.to_string() +
      " (ARP or neighbour discovery); the target's queue pair uses a GID of another address or of RoCE v1";
  finish(now);
}

/// Runs the three baseline cases. If one of them fails, silence of the target in later cases proves nothing.
/// Returns false if it has to wait or the run has ended.
bool Suite::baseline(Time now, Frames& out) {
  if (!task_) {
    const Case* const c = baseline_ < kBaseline.size() ? catalogue_.find(kBaseline[baseline_]) : nullptr;
    if (c == nullptr) {
      phase_ = Phase::kBefore;
      return start_case(now);
    }
    disturbed_.clear();
    task_ =
        std::make_unique<CaseRun>(*c, environment_, Rng::mixed(config_.seed, 1, baseline_), next_qpn_, now);
  }
  task_->run(now, out);
  if (!task_->done()) return false;
  const CaseResult result = task_->take_result(now);
  end_task();
  if (result.verdict != Verdict::kPass) {
    // Repeat an attempt that was disturbed, because it says nothing about the target.
    if (!disturbed_.empty() && ++disturbed_baselines_ < config_.attempts) return true;
    const std::string why = disturbed_.empty() ? "" : " (" + disturbed_ + ")";
    const std::string what = std::string(kBaseline[baseline_]) + " failed: " + result.reason + why;
    if (next_ == 0) {
      fail_baseline(now, what);
    } else {
      dead(now, "the target no longer passed the baseline: " + what);
    }
    return false;
  }
  disturbed_baselines_ = 0;
  ++baseline_;
  return true;
}

void Suite::not_run(const Case& c, Verdict verdict, const std::string& reason) {
  CaseResult& place = result_.cases[place_of(c)];
  place.verdict = verdict;
  place.reason = reason;
  if (report_) report_(place);
}

/// Advances to the next case that can run with this target. Returns false if there is none.
bool Suite::start_case(Time now) {
  for (; next_ < config_.cases.size(); ++next_) {
    const Case& c = *config_.cases[next_];
    std::string why = why_not_applicable(c, environment_.target);
    if (why.empty()) why = why_not_applicable(c, config_.profile, config_.destructive);
    if (!why.empty()) {
      not_run(c, Verdict::kNotApplicable, why);
      continue;
    }
    attempt_ = 0;
    phase_ = Phase::kBefore;
    canary_checked_ = false;
    return true;
  }
  finish(now);
  return false;
}

bool Suite::begin_attempt(const Case& c, Time now) {
  disturbed_.clear();
  ++attempt_;
  const std::uint64_t seed = Rng::mixed(config_.seed, 2 + next_, attempt_);
  if (c.traffic.empty()) {
    task_ = std::make_unique<CaseRun>(c, environment_, seed, next_qpn_, now);
  } else {
    task_ = std::make_unique<TrafficRun>(c, environment_, seed, next_qpn_, now);
  }
  phase_ = Phase::kCase;
  return true;
}

bool Suite::case_step(Time now, Frames& out) {
  task_->run(now, out);
  if (!task_->done()) return false;
  const bool gone = task_->target_gone();
  pending_ = task_->take_result(now);
  end_task();
  if (gone) {
    dead(now);
    return false;
  }
  phase_ = Phase::kAfter;
  canary_checked_ = false;
  return true;
}

/// Checks the canary, before and after a case. Returns false if it has to wait.
bool Suite::after_case(Time now, Frames& out) {
  if (!canary_checked_) {
    canary_checked_ = true;
    canary_.check(now, environment_.timing.silence, out);
  }
  if (canary_.state() == Canary::State::kWaiting) return false;
  if (canary_.state() == Canary::State::kLost) {
    if (canary_reopened_) {
      dead(now);
      return false;
    }
    canary_reopened_ = true;
    if (disturbed_.empty()) disturbed_ = "the canary was not acknowledged";
    phase_ = Phase::kReopen;
    open_canary();
    return false;
  }
  canary_reopened_ = false;
  if (!pending_) return begin_attempt(*config_.cases[next_], now);
  record(*std::exchange(pending_, std::nullopt), now);
  return !done();
}

/// Applies the profile to the result of a case: its limits, and a deviation that does not describe the
/// behaviour of the target. Such a deviation explains every failure, including the failure of a measurement.
void Suite::apply_profile(CaseResult& result) const {
  apply_limits(config_.profile, result);
  const auto it = config_.profile.deviations.find(result.of->id);
  if (it == config_.profile.deviations.end()) return;
  result.deviation = it->second.why;
  if (result.verdict == Verdict::kFail && !it->second.says_what()) result.verdict = Verdict::kKnownDeviation;
}

/// Stores the result of an attempt, or repeats the attempt if it was inconclusive.
void Suite::record(CaseResult result, Time now) {
  if (!disturbed_.empty() && result.verdict != Verdict::kNotApplicable) {
    result.verdict = Verdict::kInconclusive;
    result.reason = disturbed_;
  }
  if (result.verdict == Verdict::kInconclusive && attempt_ < config_.attempts) {
    begin_attempt(*result.of, now);
    return;
  }
  apply_profile(result);
  result.attempts = attempt_;
  CaseResult& place = result_.cases[place_of(*result.of)];
  place = std::move(result);
  if (report_) report_(place);
  const std::string_view group = place.of->group();
  ++next_;
  if (next_ < config_.cases.size() && config_.cases[next_]->group() != group) {
    baseline_ = 0;  // the next group begins with the baseline again
    phase_ = Phase::kBaseline;
    return;
  }
  start_case(now);
}

/// Ends the run because the target no longer answers. At most the current case fails; the remaining ones do
/// not run.
void Suite::dead(Time now, const std::string& why) {
  const bool any = pending_.has_value();
  result_.dead = any         ? pending_->of->id
                 : next_ > 0 ? config_.cases[next_ - 1]->id
                             : std::string("the baseline");
  if (any) {
    pending_->verdict = Verdict::kFail;
    pending_->reason = "the target answers nothing any more";
    apply_profile(*pending_);
    pending_->attempts = attempt_;
    CaseResult& place = result_.cases[place_of(*pending_->of)];
    place = std::move(*pending_);
    pending_.reset();
    if (report_) report_(place);
  }
  for (CaseResult& r : result_.cases) {
    if (r.verdict == Verdict::kNotRun) r.reason = why;
  }
  finish(now);
}

void Suite::stop(Time now) {
  if (done()) return;
  for (CaseResult& r : result_.cases) {
    if (r.verdict == Verdict::kNotRun) r.reason = "the run ended before";
  }
  finish(now);
}

void Suite::finish(Time now) {
  end_task();
  result_.seconds = to_seconds(now - began_);
  result_.not_seen = not_seen(config_.profile, result_);
  phase_ = Phase::kDone;
}

}  // namespace softfeb::conformance
