// SPDX-License-Identifier: BSD-3-Clause
// The phases of a part: requests to the target, answers from it, and the end. part_steps.cpp carries out the
// steps.
#include "conformance/part_run.hpp"

#include "conformance/answer.hpp"
#include "roce/opcode.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::conformance {

namespace {

constexpr std::size_t kMostDifferences = 16;  ///< maximum number of memory differences in a result

/// Compares completions with the required ones. Returns a description of the difference; empty if there is
/// none.
std::string wrong_completions(const std::vector<CompletionSpec>& wanted, const std::vector<Completion>& found,
                              const Script& script) {
  if (found.size() != wanted.size())
    return std::to_string(found.size()) + " completions instead of " + std::to_string(wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const CompletionSpec& w = wanted[k];
    const std::string number = "completion " + std::to_string(k + 1);
    if (w.success != found[k].success) return number + (w.success ? " failed" : " succeeded");
    if (w.length && w.length->value(script.symbols(k)) != found[k].length)
      return number + " has length " + std::to_string(found[k].length);
    if (w.immediate && w.immediate != found[k].immediate) return number + " has another immediate";
  }
  return {};
}

}  // namespace

PartRun::PartRun(const Case& c, const Part& part, const CaseEnvironment& environment, Rng& rng,
                 roce::Qpn first_qpn, Time began, CaseResult& result)
    : case_(c),
      part_(part),
      environment_(environment),
      rng_(rng),
      began_(began),
      result_(result),
      memory_(environment.regions.front().size),
      cnps_(environment.profile->cnps_with_naks.value_or(false)) {
  const auto& deviations = environment.profile->deviations;
  if (const auto it = deviations.find(c.id); it != deviations.end()) deviation_ = &it->second;
  for (const QpSpec& spec : part.qps) {
    Qp& qp = qps_.emplace_back();
    qp.spec = spec;
    qp.own = first_qpn + static_cast<roce::Qpn>(qps_.size() - 1);
    qp.first_psn = spec.psn.value_or(static_cast<std::uint32_t>(rng.next())) & roce::kPsnMask;
    qp.last_psn = (qp.first_psn - 1) & roce::kPsnMask;
  }
  if (environment.target.memory) {
    ask(FillRequest{});
  } else {
    next_phase(Phase::kCountersBefore);
  }
}

void PartRun::begin_memory() {
  next_phase(Phase::kMemory);
  const bool compares = environment_.target.memory && part_.written.kind != WrittenSpec::Kind::kAny;
  ranges_ = compares ? memory_.ranges() : std::vector<MemoryModel::Range>();
  range_ = 0;
}

void PartRun::next_phase(Phase phase) {
  phase_ = phase;
  qp_ = 0;
}

std::optional<TargetRequest> PartRun::take_request() {
  if (waiting_ || !request_) return std::nullopt;
  waiting_ = true;
  return std::exchange(request_, std::nullopt);
}

/// Asks the target to open the next queue pair. Returns true if all queue pairs are open.
bool PartRun::open_next() {
  if (qp_ == qps_.size()) {
    next_phase(Phase::kSteps);
    return true;
  }
  const Qp& qp = qps_[qp_];
  const bool v6 = (case_.needs & kNeedsV6) != 0 && environment_.v6_path;
  ask(OpenRequest{.spec = qp.spec,
                  .psn = qp.first_psn,
                  .requester_qp = qp.own,
                  .requester_ip = (v6 ? *environment_.v6_path : environment_.path).source_ip});
  return false;
}

const PartRun::Qp* PartRun::find_qp(roce::Qpn qpn) const {
  const auto it = std::find_if(qps_.begin(), qps_.end(), [&](const Qp& qp) { return qp.own == qpn; });
  return it == qps_.end() ? nullptr : &*it;
}

void PartRun::opened(Qp& qp, const TargetReply& reply, Time now) {
  const bool v6 = (case_.needs & kNeedsV6) != 0 && environment_.v6_path;
  std::vector<RegionPlace> regions = environment_.regions;
  if (reply.fixed) {
    qp.own = reply.fixed->requester_qp;
    qp.first_psn = reply.fixed->psn;
    qp.last_psn = (qp.first_psn - 1) & roce::kPsnMask;
    regions.front() = reply.fixed->region;
  }
  qp.remote = reply.qp;
  qp.open = true;
  qp.touched = now;
  qp.script.emplace(ScriptSetup{.path = v6 ? *environment_.v6_path : environment_.path,
                                .transport = qp.spec.transport,
                                .dest_qp = reply.qp,
                                .unused_qp = environment_.unused_qp,
                                .first_psn = qp.first_psn,
                                .pmtu = qp.spec.pmtu,
                                .regions = std::move(regions),
                                .second_ip = environment_.second_ip});
  qp.checker.emplace(qp.first_psn);
}

void PartRun::on_reply(const TargetReply& reply, Time now) {
  if (!waiting_) return;
  waiting_ = false;
  if (reply.error) {
    if (broken_.empty()) broken_ = *reply.error;
    gone_ = gone_ || reply.gone;
    unsupported_ = unsupported_ || reply.unsupported;
    phase_ = gone_ || phase_ == Phase::kClose ? Phase::kDone : Phase::kClose;
    qp_ = 0;
    return;
  }
  switch (phase_) {
    case Phase::kFill:
      next_phase(Phase::kCountersBefore);
      break;
    case Phase::kCountersBefore:
      counters_ = reply.counters;
      next_phase(Phase::kOpen);
      break;
    case Phase::kOpen: {
      Qp& qp = qps_[qp_++];
      opened(qp, reply, now);
      memory_.open(static_cast<std::uint32_t>(qp_ - 1), qp.first_psn);
      break;
    }
    case Phase::kSteps:
      if (checking_) {
        judge_memory(reply);
      } else {
        next_step();
      }
      break;
    case Phase::kState:
      judge_state(reply.state);
      begin_memory();
      break;
    case Phase::kMemory:
      judge_memory(reply);
      break;
    case Phase::kCompletions:
      judge_completions(reply);
      next_phase(Phase::kEvents);
      break;
    case Phase::kEvents:
      if (part_.solicited_event && reply.event != *part_.solicited_event)
        fail(kCompletionsFailed,
             reply.event ? "an event although none was solicited" : "no event although one was solicited");
      next_phase(Phase::kCountersAfter);
      break;
    case Phase::kCountersAfter:
      judge_counters(reply);
      next_phase(Phase::kClose);
      break;
    case Phase::kClose:
      qps_[qp_++].open = false;
      break;
    case Phase::kProbe:
    case Phase::kDone:
      break;
  }
}

/// Carries out the next action of the current phase. Returns false if it has to wait.
bool PartRun::advance(Time now, Frames& out) {
  switch (phase_) {
    case Phase::kCountersBefore:
      if (needs_counters()) {
        ask(CountersRequest{});
        return false;
      }
      next_phase(Phase::kOpen);
      return true;
    case Phase::kOpen:
      return open_next();
    case Phase::kSteps:
      return run_step(now, out);
    case Phase::kProbe:
      probe(now, out);
      return phase_ != Phase::kProbe;
    case Phase::kState:
      if (environment_.target.states && qps_[0].open) {
        ask(StateRequest{qps_[0].remote});
        return false;
      }
      begin_memory();
      return true;
    case Phase::kMemory:
      if (range_ < ranges_.size()) {
        read_next();
        return false;
      }
      next_phase(Phase::kCompletions);
      return true;
    case Phase::kCompletions:
      if (environment_.target.receives) {
        ask(CompletionsRequest{});
        return false;
      }
      next_phase(Phase::kEvents);
      return true;
    case Phase::kEvents:
      if (part_.solicited_event && environment_.target.states) {
        ask(EventRequest{qps_[0].remote});
        return false;
      }
      next_phase(Phase::kCountersAfter);
      return true;
    case Phase::kCountersAfter:
      if (needs_counters()) {
        ask(CountersRequest{});
        return false;
      }
      next_phase(Phase::kClose);
      return true;
    case Phase::kClose:
      report_latencies();
      while (qp_ < qps_.size() && !qps_[qp_].open) ++qp_;
      if (qp_ < qps_.size()) {
        ask(CloseRequest{qps_[qp_].remote});
        return false;
      }
      phase_ = Phase::kDone;
      return false;
    case Phase::kFill:
    case Phase::kDone:
      break;
  }
  return false;
}

void PartRun::run(Time now, Frames& out) {
  while (!waiting_ && !request_ && !done() && advance(now, out)) {
  }
}

Time PartRun::next_event() const {
  if (waiting_ || done()) return kNever;
  if (request_) return 0;
  return phase_ == Phase::kSteps || phase_ == Phase::kProbe ? deadline_ : 0;
}

void PartRun::read_next() {
  const MemoryModel::Range& range = ranges_[range_];
  ask(ReadRequest{.region = 0, .offset = range.offset, .length = range.length});
}

void PartRun::fail(Failures what, const std::string& reason) {
  failures_ |= what;
  if (result_.reason.empty()) result_.reason = reason;
}

void PartRun::find(const std::string& checker, const std::string& text) {
  if (result_.findings.size() < kMostTraced) {
    CheckerFinding finding{.checker = checker, .text = text, .packet = std::nullopt};
    // A full trace does not contain the packet.
    const std::size_t traced = result_.trace.size();
    if (traced != 0 && traced < kMostTraced) finding.packet = traced - 1;
    result_.findings.push_back(std::move(finding));
  }
  // The checker "ack" checks the PSNs and MSNs of answers. CaseRun compares these values with the deviation,
  // so a finding of "ack" does not count as unlisted here.
  if (checker != "ack") unlisted_ |= kCheckersFailed;
  fail(kCheckersFailed, text);
}

void PartRun::trace_sent(const ScriptPacket& packet, std::uint32_t qp, TracePacket::Fault fault, Time now) {
  if (result_.trace.size() >= kMostTraced) return;
  for (const auto& frame : packet.frames) {
    result_.trace.push_back({.at = now - began_,
                             .judgement = TracePacket::Judgement::kSent,
                             .fault = fault,
                             .step = static_cast<std::uint32_t>(phase_ == Phase::kSteps ? step_ + 1 : 0),
                             .opcode = packet.opcode,
                             .psn = packet.psn,
                             .first_psn = qps_[qp].first_psn,
                             .qp = qp,
                             .length = static_cast<std::uint32_t>(packet.payload.size()),
                             .ack_req = packet.spec.ack_req,
                             .comment = packet.spec.text,
                             .frame = frame});
  }
}

/// Compares an answer with the expectation, and records the judgement in `trace`.
void PartRun::take_answer(Qp& qp, const Answer& answer, TracePacket& trace) {
  const bool taken = qp.matcher && qp.matcher->take(answer);
  if (taken) {
    trace.judgement = TracePacket::Judgement::kExpected;
    return;
  }
  if (answer.is_ack() && answer.opcode == roce::kOpcodeRcAck && qp.unrequested.count(answer.psn) != 0) {
    trace.judgement = TracePacket::Judgement::kTolerated;
    trace.comment = "the packet did not request this acknowledgement, which is allowed";
    return;
  }
  if (answer.is_cnp() && cnps_.with_nak()) {
    trace.judgement = TracePacket::Judgement::kTolerated;
    trace.comment = "with a NAK, as the profile says";
    return;
  }
  trace.judgement = TracePacket::Judgement::kUnexpected;
  const std::string what = describe_opcode(answer.opcode, answer.aeth) +
                           (answer.is_cnp() ? "" : " PSN " + describe_psn(answer.psn, qp.first_psn)) +
                           (answer.aeth ? ", MSN " + std::to_string(answer.aeth->msn) : "");
  trace.comment = "unexpected: " + what;
  fail(kAnswersFailed,
       "unexpected " + what +
           (qp.matcher && !qp.matcher->missing().empty() ? " instead of " + qp.matcher->missing() : ""));
  failed_ = true;
}

void PartRun::on_answer(const Answer& answer, Time now) {
  const auto index = static_cast<std::uint32_t>(find_qp(answer.dest_qp) - qps_.data());
  Qp& qp = qps_[index];
  qp.touched = now;
  TracePacket trace{.at = now - began_,
                    .step = static_cast<std::uint32_t>(phase_ == Phase::kSteps ? step_ + 1 : 0),
                    .opcode = answer.opcode,
                    .psn = answer.psn,
                    .first_psn = qp.first_psn,
                    .qp = index,
                    .aeth = answer.aeth,
                    .length = static_cast<std::uint32_t>(answer.payload),
                    .frame = answer.frame};
  if (phase_ == Phase::kSteps && step_ < part_.steps.size() && part_.steps[step_].qp == index)
    time_answer(answer);
  take_answer(qp, answer, trace);
  const bool keep = result_.trace.size() < kMostTraced;
  if (keep) result_.trace.push_back(std::move(trace));
  if (!qp.checker) return;
  if (const std::string text = wrong_form(answer, qp.spec.transport); !text.empty()) find("form", text);
  // In a kMutate step, a random change may turn a packet into a different valid packet. The acknowledgements
  // then cannot be predicted.
  const bool mutating =
      phase_ == Phase::kSteps && step_ < part_.steps.size() && part_.steps[step_].kind == Step::Kind::kMutate;
  if (const std::string text = qp.checker->answer(answer); !text.empty() && !mutating) find("ack", text);
  if (const std::string text = cnps_.answer(answer); !text.empty()) find("cnp", text);
  if (!answer.is_cnp() && !qp.first_answer) qp.first_answer = answer;
  if (phase_ == Phase::kSteps && step_ < part_.steps.size()) check_fields(qp, answer);
  if (!answer.aeth || answer.opcode != 0x11) return;
  const roce::Psn before = (answer.psn - 1) & roce::kPsnMask;
  if (answer.aeth->kind() == roce::AethKind::kRnrNak) memory_.refused(index, answer.psn);
  memory_.acknowledged(index, answer.is_ack() ? answer.psn : before);
}

void PartRun::check_fields(const Qp& qp, const Answer& answer) {
  const Step& step = part_.steps[step_];
  for (const FieldCheck& check : answer.is_cnp() ? step.cnp_fields : step.fields)
    check_field(check, qp, answer);
  if (step.figure.empty() || answer.is_cnp()) return;
  auto& figures = result_.figures;
  const auto it =
      std::find_if(figures.begin(), figures.end(), [&](const Figure& f) { return f.name == step.figure; });
  Figure& figure = it == figures.end() ? figures.emplace_back() : *it;
  figure.name = step.figure;
  figure.value = to_seconds(answer.at - step_began_) * 1e6;
  figure.unit = "us";
}

void PartRun::check_field(const FieldCheck& check, const Qp& qp, const Answer& answer) {
  const auto found = field_of(answer, check.name);
  const auto differs = [&](const std::string& wanted) {
    fail(kAnswersFailed, check.name + " of " + describe_opcode(answer.opcode, answer.aeth) + " is " +
                             (found ? std::to_string(*found) : std::string("missing")) + " instead of " +
                             wanted);
  };
  switch (check.kind) {
    case FieldCheck::Kind::kNumbers:
      if (!found || std::find(check.numbers.begin(), check.numbers.end(), *found) == check.numbers.end())
        differs(std::to_string(check.numbers.front()));
      break;
    case FieldCheck::Kind::kOwn: {
      // Only the requester's MAC address and QPN are known here, not those of the target.
      const auto& mac = qp.script->setup().path.source_mac;
      const std::uint64_t own_mac = std::uint64_t{load_be16(&mac[0])} << 32 | load_be32(&mac[2]);
      const std::uint64_t own = check.name == "dmac" ? own_mac : answer.dest_qp;
      if (found != own) differs("that of the queue pair");
      break;
    }
    case FieldCheck::Kind::kSame:
      if (qp.first_answer && found != field_of(*qp.first_answer, check.name))
        differs("that of the first answer");
      break;
    case FieldCheck::Kind::kValid:
      if (!udp_checksum_valid(answer)) differs("0 or the right checksum");
      break;
    case FieldCheck::Kind::kReport:
      result_.figures.push_back(
          {.name = check.name, .value = static_cast<double>(found.value_or(0)), .unit = ""});
      break;
  }
}

void PartRun::judge_counters(const TargetReply& reply) {
  for (const auto& [name, range] : part_.counters) {
    const auto after = reply.counters.find(name);
    if (after == reply.counters.end()) continue;  // the target does not have this counter
    const auto before = counters_.find(name);
    const std::uint64_t increase = after->second - (before == counters_.end() ? 0 : before->second);
    result_.figures.push_back(
        {.name = "counter_" + name, .value = static_cast<double>(increase), .unit = ""});
    if (range.contains(increase)) continue;
    unlisted_ |= kCheckersFailed;
    fail(kCheckersFailed, "counter " + name + " rose by " + std::to_string(increase));
  }
}

/// Records the time until the first answer to a timed packet.
void PartRun::time_answer(const Answer& answer) {
  if (!timed_) return;
  latencies_[part_.steps[step_].latency].push_back(answer.at - *timed_);
  timed_.reset();
}

void PartRun::report_latencies() {
  constexpr std::pair<const char*, std::size_t> kPercents[] = {{"_p50", 50}, {"_p99", 99}, {"_max", 100}};
  for (auto& [name, times] : std::exchange(latencies_, {})) {
    std::sort(times.begin(), times.end());
    for (const auto& [which, percent] : kPercents) {
      const std::size_t at = std::min(times.size() - 1, times.size() * percent / 100);
      result_.figures.push_back({.name = name + which, .value = to_seconds(times[at]) * 1e6, .unit = "us"});
    }
  }
}

/// Compares the memory with the deviation in the profile. `differences` lists where the memory differs from
/// what the case expects.
void PartRun::compare_with_deviation(const MemoryModel::Range& range, const TargetReply& reply,
                                     const std::vector<MemoryDifference>& differences) {
  if (deviation_ == nullptr) return;
  bool listed =
      std::none_of(differences.begin(), differences.end(), [](const MemoryDifference& d) { return d.guard; });
  if (deviation_->written && deviation_->written->kind != WrittenSpec::Kind::kAny) {
    std::vector<MemoryDifference> others;
    memory_.compare(range, *deviation_->written, reply.bytes, others);
    listed = others.empty();
  }
  if (!listed) unlisted_ |= kMemoryFailed;
}

void PartRun::judge_memory(const TargetReply& reply) {
  const MemoryModel::Range range = ranges_[range_++];
  std::vector<MemoryDifference> differences;
  memory_.compare(range, part_.written, reply.bytes, differences);
  compare_with_deviation(range, reply, differences);
  if (!differences.empty()) fail(kMemoryFailed, "memory: " + differences.front().text);
  for (MemoryDifference& d : differences) {
    if (result_.memory.size() < kMostDifferences) result_.memory.push_back(std::move(d));
  }
  if (!checking_ || range_ < ranges_.size()) {
    if (checking_) read_next();
    return;
  }
  checking_ = false;
  next_step();
}

void PartRun::judge_completions(const TargetReply& reply) {
  result_.completions.insert(result_.completions.end(), reply.completions.begin(), reply.completions.end());
  const Script& script = *qps_[0].script;
  if (deviation_ != nullptr && deviation_->completions &&
      !wrong_completions(*deviation_->completions, reply.completions, script).empty())
    unlisted_ |= kCompletionsFailed;
  if (!part_.completions) return;
  const std::string wrong = wrong_completions(*part_.completions, reply.completions, script);
  if (!wrong.empty()) fail(kCompletionsFailed, wrong);
}

void PartRun::judge_state(TargetState state) {
  result_.state = state;
  const bool error = state == TargetState::kError;
  if (deviation_ != nullptr && deviation_->state && *deviation_->state != state) unlisted_ |= kStateFailed;
  if (part_.ending == Ending::kError && !error)
    fail(kStateFailed, "the queue pair is not in the error state");
  if (part_.ending == Ending::kAlive && error) fail(kStateFailed, "the queue pair is in the error state");
}

}  // namespace softfeb::conformance
