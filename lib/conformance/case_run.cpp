// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/case_run.hpp"

#include <algorithm>

namespace softfeb::conformance {

namespace {

/// Time that the stimuli of a case take, besides the answers.
Time duration_of(const Case& c) {
  Time sum = 0;
  for (const Part& part : c.parts) {
    for (const Step& step : part.steps) sum += step.time + step.times * step.interval;
  }
  return sum;
}

std::size_t windows_of(const Case& c) {
  std::size_t windows = 0;
  for (const Part& part : c.parts) {
    for (const Step& step : part.steps)
      windows += 2 + step.packets.size() + (step.one_at_a_time ? step.times : 0);
    windows += 2;
  }
  return windows;
}

}  // namespace

CaseRun::CaseRun(const Case& c, const CaseEnvironment& environment, std::uint64_t seed, roce::Qpn& next_qpn,
                 Time now)
    : case_(c), environment_(environment), rng_(seed), next_qpn_(next_qpn), began_(now) {
  result_.of = &c;
  const Timing& timing = environment.timing;
  limit_ = now + timing.t_case * std::max<std::size_t>(c.parts.size(), 1) + duration_of(c) +
           windows_of(c) * 2 * timing.silence;
  begin_part(now);
}

void CaseRun::begin_part(Time /*now*/) {
  const Part& part = case_.parts[number_];
  part_ = std::make_unique<PartRun>(case_, part, environment_, rng_, next_qpn_, began_, result_);
  next_qpn_ += static_cast<roce::Qpn>(part.qps.size());
}

void CaseRun::on_foreign(const Answer& answer, Time now) {
  ++result_.foreign;
  if (result_.trace.size() >= 4000) return;
  result_.trace.push_back({.at = now - began_,
                           .judgement = TracePacket::Judgement::kForeign,
                           .opcode = answer.opcode,
                           .psn = answer.psn,
                           .aeth = answer.aeth,
                           .length = static_cast<std::uint32_t>(answer.payload),
                           .comment = "for a queue pair of an earlier case",
                           .frame = answer.frame});
}

void CaseRun::on_reply(const TargetReply& reply, Time now) {
  if (part_) part_->on_reply(reply, now);
}

void CaseRun::run(Time now, Frames& out) {
  while (part_) {
    part_->run(now, out);
    if (!part_->done()) {
      if (now < limit_) return;
      if (result_.reason.empty()) result_.reason = "the case took longer than its time limit";
      failed_ = true;
      known_ = false;
      part_.reset();
      return;
    }
    end_part(now);
  }
}

void CaseRun::end_part(Time now) {
  const Failures failures = part_->failures();
  if (!part_->broken().empty()) {
    result_.verdict = part_->unsupported() ? Verdict::kNotApplicable : Verdict::kInconclusive;
    result_.reason = part_->broken();
    gone_ = part_->target_gone();
    part_.reset();
    return;
  }
  if (failures != 0) {
    failed_ = true;
    known_ = known_ && is_known(failures);
  }
  part_.reset();
  if (++number_ < case_.parts.size()) begin_part(now);
}

/// True if the profile lists this deviation, and the answers are those that it gives.
bool CaseRun::is_known(Failures failures) const {
  const auto& deviations = environment_.profile->deviations;
  const auto deviation = deviations.find(case_.id);
  if (deviation == deviations.end()) return false;
  if (!deviation->second.observe) return true;
  // Compare with the answers to this part, which follow its first sent packet in the trace.
  if ((failures & kAnswersFailed) == 0 && deviation->second.observe->items.empty()) return true;
  Matcher matcher(*deviation->second.observe,
                  {.e = result_.trace.empty() ? 0 : result_.trace.back().first_psn, .pmtu = 1024});
  for (const TracePacket& packet : result_.trace) {
    if (!packet.from_target() || packet.judgement == TracePacket::Judgement::kForeign) continue;
    if (packet.first_psn != result_.trace.back().first_psn) continue;
    Answer answer;
    answer.opcode = packet.opcode;
    answer.psn = packet.psn;
    answer.aeth = packet.aeth;
    if (!matcher.take(answer)) return false;
  }
  return matcher.complete();
}

CaseResult CaseRun::take_result(Time now) {
  result_.seconds = to_seconds(now - began_);
  if (result_.verdict != Verdict::kNotRun) return std::move(result_);
  if (!failed_) {
    result_.verdict = case_.level == Level::kMeasure ? Verdict::kMeasured : Verdict::kPass;
    result_.reason.clear();
  } else if (known_) {
    result_.verdict = Verdict::kKnownDeviation;
    result_.deviation = environment_.profile->deviations.at(case_.id).why;
  } else {
    result_.verdict = Verdict::kFail;
  }
  return std::move(result_);
}

}  // namespace softfeb::conformance
