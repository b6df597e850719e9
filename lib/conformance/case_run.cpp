// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/case_run.hpp"

#include <algorithm>

namespace softfeb::conformance {

namespace {

/// Total duration of the waits and intervals that the steps of a case prescribe.
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
  const auto& deviations = environment.profile->deviations;
  if (const auto it = deviations.find(c.id); it != deviations.end()) result_.deviation = it->second.why;
  const Timing& timing = environment.timing;
  limit_ = now + timing.t_case * std::max<std::size_t>(c.parts.size(), 1) + duration_of(c) +
           windows_of(c) * 2 * timing.silence;
  begin_part(now);
}

void CaseRun::begin_part(Time /*now*/) {
  const Part& part = case_.parts[number_];
  part_ = std::make_unique<PartRun>(case_, part, environment_, rng_, next_qpn_, began_, result_);
  next_qpn_ += static_cast<roce::Qpn>(part.qps.size());
  from_ = result_.trace.size();
  missing_from_ = result_.missing.size();
}

void CaseRun::on_foreign(const Answer& answer, Time now) {
  ++result_.foreign;
  if (result_.trace.size() >= kMostTraced) return;
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
      number_parts();
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
  number_parts();
  if (!part_->broken().empty()) {
    result_.verdict = part_->unsupported() ? Verdict::kNotApplicable : Verdict::kInconclusive;
    result_.reason = part_->broken();
    gone_ = part_->target_gone();
    part_.reset();
    return;
  }
  if (part_->failures() != 0) {
    failed_ = true;
    known_ = known_ && is_known();
  }
  part_.reset();
  if (++number_ < case_.parts.size()) begin_part(now);
}

/// Stores the number of the current part in its packets and missing answers.
void CaseRun::number_parts() {
  const auto part = static_cast<std::uint32_t>(number_ + 1);
  for (std::size_t k = from_; k < result_.trace.size(); ++k) result_.trace[k].part = part;
  for (std::size_t k = missing_from_; k < result_.missing.size(); ++k) result_.missing[k].part = part;
}

/// True if the failures of the current part are exactly what the profile lists for this case.
bool CaseRun::is_known() const {
  const auto& deviations = environment_.profile->deviations;
  const auto it = deviations.find(case_.id);
  if (it == deviations.end()) return false;
  const Deviation& deviation = it->second;
  if (!deviation.says_what()) return true;
  if (part_->unlisted() != 0) return false;
  if (!deviation.observe) return (part_->failures() & kAnswersFailed) == 0;
  if (result_.trace.size() >= kMostTraced) return false;  // answers may be missing from the trace
  const std::set<std::uint32_t> qps = qps_that_differ();
  return std::all_of(qps.begin(), qps.end(), [&](std::uint32_t qp) { return gives(deviation, qp); });
}

/// Returns the queue pairs whose answers in the current part are not as expected. If only the memory,
/// completions or the state differ, returns all queue pairs.
std::set<std::uint32_t> CaseRun::qps_that_differ() const {
  std::set<std::uint32_t> out;
  for (std::size_t k = from_; k < result_.trace.size(); ++k) {
    if (result_.trace[k].judgement == TracePacket::Judgement::kUnexpected) out.insert(result_.trace[k].qp);
  }
  const Part& part = case_.parts[number_];
  for (std::size_t k = missing_from_; k < result_.missing.size(); ++k)
    out.insert(part.steps[result_.missing[k].step - 1].qp);
  for (const CheckerFinding& finding : result_.findings) {
    if (finding.packet && *finding.packet >= from_) out.insert(result_.trace[*finding.packet].qp);
  }
  for (std::uint32_t qp = 0; out.empty() && qp < part.qps.size(); ++qp) out.insert(qp);
  return out;
}

/// True if the answers of the queue pair in the current part are those of the deviation.
bool CaseRun::gives(const Deviation& deviation, std::uint32_t qp) const {
  const auto of_qp = [&](const TracePacket& p) {
    return p.qp == qp && p.judgement != TracePacket::Judgement::kForeign;
  };
  const auto begin = result_.trace.begin() + static_cast<std::ptrdiff_t>(from_);
  const auto any = std::find_if(begin, result_.trace.end(), of_qp);
  if (any == result_.trace.end()) return deviation.observe->items.empty();
  Matcher matcher(*deviation.observe, {.e = any->first_psn,
                                       .pmtu = case_.parts[number_].qps[qp].pmtu,
                                       .size = environment_.regions.front().size});
  for (auto packet = begin; packet != result_.trace.end(); ++packet) {
    const bool counts =
        packet->from_target() && of_qp(*packet) && packet->judgement != TracePacket::Judgement::kTolerated;
    if (!counts) continue;
    Answer answer;
    answer.opcode = packet->opcode;
    answer.psn = packet->psn;
    answer.aeth = packet->aeth;
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
  } else {
    result_.verdict = Verdict::kFail;
  }
  return std::move(result_);
}

}  // namespace softfeb::conformance
