// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/canary.hpp"

namespace softfeb::conformance {

void Canary::open(const CaseEnvironment& environment, roce::Qpn own, roce::Qpn remote, roce::Psn psn,
                  const RegionPlace* region) {
  std::vector<RegionPlace> regions = environment.regions;
  if (region != nullptr) regions.front() = *region;
  script_.emplace(ScriptSetup{.path = environment.path,
                              .dest_qp = remote,
                              .unused_qp = environment.unused_qp,
                              .first_psn = psn,
                              .regions = regions,
                              .second_ip = environment.second_ip});
  own_ = own;
  next_ = psn;
  state_ = State::kIdle;
}

void Canary::send(Time now, Frames& out) {
  // The WRITE goes to the end of the region, where no case expects guard bytes.
  static const PacketSpec kWrite = parse_packets("O(e,8,at=S-8)!").front();
  PacketSpec spec = kWrite;
  spec.psn = Expression(next_);
  out.push_back(script_->make(spec).frames.front());
  sent_ = now;
  deadline_ = now + limit_;
}

void Canary::check(Time now, Time limit, Frames& out) {
  tries_ = 1;
  limit_ = limit;
  state_ = State::kWaiting;
  send(now, out);
}

void Canary::on_answer(const Answer& answer, Time now) {
  ++answers_;
  last_answer_ = describe_opcode(answer.opcode, answer.aeth) + " PSN " +
                 describe_psn(answer.psn, script_->setup().first_psn);
  const bool acknowledges = answer.is_ack() && answer.icrc_right && answer.psn == next_;
  if (state_ != State::kWaiting || !acknowledges) return;
  if (tries_ == 1) round_trips_.push_back(now - sent_);
  next_ = (next_ + 1) & roce::kPsnMask;
  state_ = State::kIdle;
}

void Canary::run(Time now, Frames& out) {
  if (state_ != State::kWaiting || now < deadline_) return;
  if (tries_ == kTries) {
    state_ = State::kLost;
    return;
  }
  ++tries_;
  send(now, out);
}

}  // namespace softfeb::conformance
