// SPDX-License-Identifier: BSD-3-Clause
// Carries out the steps of a part.
#include "conformance/part_run.hpp"
#include "roce/icrc.hpp"

#include <algorithm>

namespace softfeb::conformance {

namespace {

/// Maximum number of packets that one call of run() returns, so that they fit in small queues of a driver.
constexpr std::size_t kBurst = 64;

const Expectation& silence() {
  static const Expectation kSilence = Expectation::parse("silence");
  return kSilence;
}

bool sends(const Step& step) {
  return step.kind == Step::Kind::kSend || step.kind == Step::Kind::kDrop ||
         step.kind == Step::Kind::kEveryBit || step.kind == Step::Kind::kMutate;
}

bool marked_ce(const PacketSpec& spec) {
  return std::any_of(spec.overrides.begin(), spec.overrides.end(), [](const Override& o) {
    const bool number = o.mode == Override::Mode::kSet;
    return o.word == "ce" || (number && o.field == Field::kEcn && (o.value.value({}) & 3) == 3) ||
           (number && o.field == Field::kTos && (o.value.value({}) & 3) == 3);
  });
}

bool changed_on_the_way(const PacketSpec& spec) {
  return std::any_of(spec.overrides.begin(), spec.overrides.end(), [](const Override& o) { return o.late; });
}

/// True if an option changes a field that may alter the target's answers. AckChecker then cannot predict
/// them.
bool spoilt(const PacketSpec& spec) {
  return std::any_of(spec.overrides.begin(), spec.overrides.end(), [](const Override& o) {
    return o.field != Field::kAt && o.field != Field::kLength && o.field != Field::kFill &&
           o.field != Field::kImmediate && o.field != Field::kEcn && o.field != Field::kDscp &&
           o.field != Field::kTtl && o.field != Field::kSolicited && o.field != Field::kMigReq;
  });
}

}  // namespace

/// The next expectation for the queue pair of `step`, in this step or a later one; null if there is none.
const Expectation* PartRun::expectation_for(std::size_t step) const {
  for (std::size_t k = step; k < part_.steps.size(); ++k) {
    const Step& s = part_.steps[k];
    if (s.qp != part_.steps[step].qp) continue;
    if (s.kind == Step::Kind::kSend && s.expect) {
      const bool bounds_first = environment_.profile->bounds_before_length.value_or(false);
      return bounds_first && s.bounds_first ? &*s.bounds_first : &*s.expect;
    }
    if (k != step && sends(s) && s.kind != Step::Kind::kSend) break;
  }
  return nullptr;
}

bool PartRun::last_of_part(std::size_t step) const {
  return std::none_of(part_.steps.begin() + static_cast<std::ptrdiff_t>(step) + 1, part_.steps.end(), sends);
}

void PartRun::expect(std::uint32_t qp, const Expectation* expectation, std::uint64_t repetition) {
  qps_[qp].matcher.emplace(expectation == nullptr ? silence() : *expectation,
                           qps_[qp].script->symbols(repetition));
  qps_[qp].answered = false;
}

void PartRun::send(std::uint32_t qp, const PacketSpec& spec, std::uint64_t repetition, bool dropped, Time now,
                   Frames& out) {
  Qp& from = qps_[qp];
  const ScriptPacket packet = from.script->make(spec, repetition);
  trace_sent(packet, qp, changed_on_the_way(spec) ? TracePacket::Fault::kChanged : TracePacket::Fault::kNone,
             now);
  if (marked_ce(spec)) cnps_.marked();
  from.checker->sent(packet, dropped || spoilt(spec));
  memory_.sent(packet, qp, dropped);
  if (!spec.ack_req && !dropped && !spoilt(spec)) from.unrequested.insert(packet.psn);
  from.touched = now;
  if (!dropped && ((packet.psn - from.last_psn) & roce::kPsnMask) < (1U << 23))
    from.last_psn = (packet.psn + packet.psns - 1) & roce::kPsnMask;
  for (const auto& frame : packet.frames) out.push_back(frame);
}

bool PartRun::run_step(Time now, Frames& out) {
  if (step_ == part_.steps.size() || failed_) {
    if (failed_ && now < saturating_add(qps_[0].touched, environment_.timing.silence)) {
      // Wait for further answers, so that the report contains them.
      deadline_ = qps_[0].touched + environment_.timing.silence;
      return false;
    }
    next_phase(failed_ ? Phase::kState : Phase::kProbe);
    return true;
  }
  const Step& step = part_.steps[step_];
  switch (step_phase_) {
    case StepPhase::kBegin:
      begin_step(step, now);
      return step_phase_ != StepPhase::kRequest;
    case StepPhase::kSending:
      deadline_ = due_;
      if (now < due_) return false;
      if (step.kind == Step::Kind::kWait) {
        next_step();
        return true;
      }
      if (step.kind == Step::Kind::kDrop) return send_dropped(step, now, out);
      if (step.kind == Step::Kind::kEveryBit) return send_flipped(step, now, out);
      if (step.kind == Step::Kind::kMutate) return send_mutated(step, now, out);
      return send_some(step, now, out);
    case StepPhase::kAwaiting:
      return await(step, now);
    case StepPhase::kSettling:
      return settle(step, now);
    case StepPhase::kRequest:
      break;
  }
  return false;
}

void PartRun::begin_step(const Step& step, Time now) {
  repetition_ = 0;
  packet_ = 0;
  unspoilt_ = false;
  due_ = now;
  step_began_ = now;
  step_phase_ = StepPhase::kSending;
  if (step.kind == Step::Kind::kWait) {
    due_ = now + step.time;
  } else if (step.kind == Step::Kind::kSend) {
    if (qps_[step.qp].answered) expect(step.qp, expectation_for(step_), 0);
  } else if (!sends(step)) {
    step_phase_ = StepPhase::kRequest;
    request_of(step);
  }
}

void PartRun::request_of(const Step& step) {
  Qp& qp = qps_[step.qp];
  const roce::Qpn remote = qp.remote;
  switch (step.kind) {
    case Step::Kind::kReceive:
      return ask(ReceiveRequest{remote, static_cast<std::uint32_t>(step.times)});
    case Step::Kind::kModify:
      return ask(ModifyRequest{remote, step.state});
    case Step::Kind::kDestroy:
      qp.open = false;
      return ask(CloseRequest{remote});
    case Step::Kind::kFill:
      return ask(FillRequest{});
    case Step::Kind::kCheck:
      ranges_ = memory_.ranges();
      range_ = 0;
      checking_ = environment_.target.memory && !ranges_.empty();
      return checking_ ? read_next() : next_step();
    default:
      return next_step();
  }
}

void PartRun::next_step() {
  ++step_;
  step_phase_ = StepPhase::kBegin;
}

/// Sends those repetitions of a kSend step that are due.
bool PartRun::send_some(const Step& step, Time now, Frames& out) {
  while (repetition_ < step.times && due_ <= now && out.size() < kBurst) {
    for (const PacketSpec& spec : step.packets) send(step.qp, spec, repetition_, false, now, out);
    if (!step.latency.empty()) timed_ = now;
    if (step.one_at_a_time) return after_sending(step, now);
    ++repetition_;
    due_ += step.interval;
  }
  if (repetition_ == step.times) return after_sending(step, now);
  deadline_ = std::max(due_, now);
  return false;
}

bool PartRun::after_sending(const Step& step, Time now) {
  const bool last = last_of_part(step_);
  if (!step.expect && !last) {
    if (step.settle) {
      step_phase_ = StepPhase::kSettling;
    } else {
      next_step();
    }
    return true;
  }
  deadline_ = now + step.within.value_or(environment_.timing.silence);
  step_phase_ = StepPhase::kAwaiting;
  return true;
}

bool PartRun::await(const Step& step, Time now) {
  const Matcher& matcher = *qps_[step.qp].matcher;
  if (!matcher.complete()) {
    if (now < deadline_) return false;
    result_.missing.push_back(
        {.step = static_cast<std::uint32_t>(step_ + 1), .at = now - began_, .what = matcher.missing()});
    fail(kAnswersFailed, "no answer; expected: " + matcher.missing());
    failed_ = true;
    return true;
  }
  const bool last = last_of_part(step_) && (!step.one_at_a_time || repetition_ + 1 >= step.times);
  if (step.settle || last) {
    step_phase_ = StepPhase::kSettling;
  } else {
    finish_repetition(step);
  }
  return true;
}

/// Waits until no packet has been sent to the queue pair or received from it for the silence window.
bool PartRun::settle(const Step& step, Time now) {
  deadline_ = qps_[step.qp].touched + environment_.timing.silence;
  if (now < deadline_) return false;
  finish_repetition(step);
  return true;
}

void PartRun::finish_repetition(const Step& step) {
  if (step.kind == Step::Kind::kSend && step.one_at_a_time && ++repetition_ < step.times) {
    expect(step.qp, expectation_for(step_), repetition_);
    due_ += step.interval;
    step_phase_ = StepPhase::kSending;
    return;
  }
  if (step.kind == Step::Kind::kDrop && !unspoilt_) {
    ++packet_;
    step_phase_ = StepPhase::kSending;
    return;
  }
  qps_[step.qp].answered = step.expect || step.kind != Step::Kind::kSend;
  next_step();
}

/// Sends the next packet that the target must drop. After the last of them, sends the packet that it must
/// accept.
bool PartRun::send_dropped(const Step& step, Time now, Frames& out) {
  const bool uc = qps_[step.qp].spec.transport == roce::Transport::kUc;
  if (packet_ < step.packets.size()) {
    expect(step.qp, nullptr, 0);
    send(step.qp, step.packets[packet_], 0, true, now, out);
    step_phase_ = StepPhase::kSettling;
    return true;
  }
  unspoilt_ = true;
  const PacketSpec right = step.then ? *step.then : step.packets.back().unspoilt();
  const roce::Psn psn =
      static_cast<roce::Psn>(right.psn.value(qps_[step.qp].script->symbols(0))) & roce::kPsnMask;
  if (uc) {
    expect(step.qp, nullptr, 0);
  } else if (step.expect) {
    expect(step.qp, &*step.expect, 0);
  } else {
    made_.push_back(Expectation::parse("ACK " + std::to_string(psn)));
    expect(step.qp, &made_.back(), 0);
  }
  send(step.qp, right, 0, false, now, out);
  deadline_ = now + environment_.timing.silence;
  step_phase_ = StepPhase::kAwaiting;
  return true;
}

/// Sends the packet once for each bit that the iCRC covers and once for each bit of the iCRC, with this bit
/// flipped. The iCRC does not cover the masked fields: TOS, TTL, the checksums of IP and UDP, and byte 4 of
/// the BTH.
bool PartRun::send_flipped(const Step& step, Time now, Frames& out) {
  Qp& qp = qps_[step.qp];
  if (packet_ == 0) expect(step.qp, nullptr, 0);
  const ScriptPacket right = qp.script->make(step.packets.front());
  const std::vector<std::uint8_t>& frame = right.frames.front();
  constexpr std::size_t kIp = roce::kEthernetSize, kUdp = kIp + roce::kIpv4Size,
                        kBth = kUdp + roce::kUdpHeaderSize;
  const auto covered = [](std::size_t byte) {
    return byte != kIp + 1 && byte != kIp + 8 && byte != kIp + 10 && byte != kIp + 11 && byte != kUdp + 6 &&
           byte != kUdp + 7 && byte != kBth + 4;
  };
  const std::size_t bits = (frame.size() - kIp) * 8;
  for (; packet_ < bits && out.size() < kBurst; ++packet_) {
    const std::size_t byte = kIp + packet_ / 8;
    if (!covered(byte)) continue;
    ScriptPacket flipped = right;
    flipped.frames[0][byte] ^= static_cast<std::uint8_t>(0x80U >> (packet_ % 8));
    flipped.spec.text = "bit " + std::to_string(packet_) + " from the IP header on flipped";
    trace_sent(flipped, step.qp, TracePacket::Fault::kChanged, now);
    out.push_back(flipped.frames[0]);
  }
  qp.touched = now;
  if (packet_ < bits) {
    due_ = now + 100 * kMicrosecond;
    deadline_ = due_;
    return false;
  }
  step_phase_ = StepPhase::kSettling;
  return true;
}

/// Sends valid packets in which one to four bytes after the Ethernet header are replaced by random ones. In
/// every second packet, the IP and UDP headers stay unchanged and the iCRC is correct.
bool PartRun::send_mutated(const Step& step, Time now, Frames& out) {
  Qp& qp = qps_[step.qp];
  static const Expectation kAny = Expectation::parse("any");
  static const std::vector<PacketSpec> kValid = parse_packets("O(e+i,64)! F(e+i,P,len=2P) L(e+i,P)!");
  if (repetition_ == 0) expect(step.qp, &kAny, 0);
  constexpr std::size_t kIp = roce::kEthernetSize, kBth = kIp + roce::kIpv4Size + roce::kUdpHeaderSize;
  for (std::size_t n = 0; repetition_ < step.times && n < kBurst; ++n, ++repetition_) {
    const ScriptPacket valid = qp.script->make(kValid[rng_.next() % kValid.size()], repetition_);
    std::vector<std::uint8_t> frame = valid.frames.front();
    const bool right = repetition_ % 2 == 1;
    const std::size_t from = right ? kBth : kIp;
    for (std::uint64_t k = 1 + rng_.next() % 4; k != 0; --k)
      frame[from + rng_.next() % (frame.size() - from)] = static_cast<std::uint8_t>(rng_.next());
    if (right) {
      const auto icrc =
          roce::icrc_of(Segments(ByteSpan(frame).subspan(kIp, frame.size() - kIp - roce::kIcrcSize)));
      store_le32(&frame[frame.size() - roce::kIcrcSize], icrc);
    }
    out.push_back(std::move(frame));
  }
  qp.touched = now;
  if (repetition_ < step.times) {
    due_ = now + 100 * kMicrosecond;
    deadline_ = due_;
    return false;
  }
  step_phase_ = StepPhase::kSettling;
  return true;
}

/// Sends one more packet, to which a queue pair in the error state must not answer.
void PartRun::probe(Time now, Frames& out) {
  Qp& qp = qps_[0];
  const bool needed = part_.ending == Ending::kError && qp.spec.transport == roce::Transport::kRc && qp.open;
  if (needed && !probed_) {
    probed_ = true;
    expect(0, nullptr, 0);
    PacketSpec spec = parse_packets("O(e)!").front();
    spec.psn = Expression((qp.last_psn + 1) & roce::kPsnMask);
    spec.text = "one more packet";
    send(0, spec, 0, true, now, out);
  }
  deadline_ = qp.touched + environment_.timing.silence;
  if (!needed || now >= deadline_ || failed_) next_phase(Phase::kState);
}

}  // namespace softfeb::conformance
