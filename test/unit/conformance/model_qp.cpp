// SPDX-License-Identifier: BSD-3-Clause
#include "model_qp.hpp"

#include <algorithm>

namespace softfeb::test {

namespace {

using M = Mutation;
using conformance::TargetState;

constexpr Time kNotificationInterval = 50 * kMicrosecond;
constexpr std::uint8_t kSyndromeAck = 0x1f, kSyndromeGap = 0x60, kSyndromeInvalid = 0x61,
                       kSyndromeAccess = 0x62;

/// Returns a - b modulo 2^24, as a number from -2^23 to 2^23 - 1.
std::int64_t distance(roce::Psn a, roce::Psn b) {
  const std::int64_t d = (std::int64_t{a} - b) & 0xffffff;
  return d < 0x800000 ? d : d - 0x1000000;
}

void append_be(std::vector<std::uint8_t>& out, std::uint64_t value, unsigned bytes) {
  while (bytes-- > 0) out.push_back(static_cast<std::uint8_t>(value >> (8 * bytes)));
}

}  // namespace

ModelQp::ModelQp(const conformance::OpenRequest& request, roce::Qpn qpn, std::vector<ModelRegion>& regions,
                 std::vector<conformance::Completion>& completions, Mutation mutation)
    : mutation_(mutation),
      qpn_(qpn),
      requester_qp_(request.requester_qp),
      peer_(request.requester_ip),
      transport_(request.spec.transport),
      spec_(request.spec),
      regions_(regions),
      completions_(completions),
      state_(request.spec.state),
      first_(request.psn),
      expected_(request.psn),
      receives_(request.spec.receives) {
  if (is(M::kPmtu256Is512) && spec_.pmtu == 256) spec_.pmtu = 512;
  if (is(M::kPmtu512Is256) && spec_.pmtu == 512) spec_.pmtu = 256;
  if (is(M::kPmtu2048Is1024) && spec_.pmtu == 2048) spec_.pmtu = 1024;
  if (is(M::kPmtu4096Is2048) && spec_.pmtu == 4096) spec_.pmtu = 2048;
}

void ModelQp::modify(TargetState state) {
  if (state == TargetState::kError) return set_error();
  state_ = state;
}

/// Enters the error state. The remaining receives complete with errors (IBA 10.3.1).
void ModelQp::set_error() {
  if (state_ == TargetState::kError) return;
  state_ = TargetState::kError;
  message_.active = false;
  for (; receives_ != 0; --receives_)
    completions_.push_back({.qp = qpn_, .success = is(M::kFlushSucceeds), .status = "flushed"});
}

ModelQp::Operation ModelQp::operation_of(unsigned code) {
  switch (code) {
    case 0x00:
      return {Type::kSend, true, false, false, false};
    case 0x01:
      return {Type::kSend, false, false, false, false};
    case 0x02:
      return {Type::kSend, false, true, false, false};
    case 0x03:
      return {Type::kSend, false, true, true, false};
    case 0x04:
      return {Type::kSend, true, true, false, false};
    case 0x05:
      return {Type::kSend, true, true, true, false};
    case 0x06:
      return {Type::kWrite, true, false, false, false};
    case 0x07:
      return {Type::kWrite, false, false, false, false};
    case 0x08:
      return {Type::kWrite, false, true, false, false};
    case 0x09:
      return {Type::kWrite, false, true, true, false};
    case 0x0a:
      return {Type::kWrite, true, true, false, false};
    case 0x0b:
      return {Type::kWrite, true, true, true, false};
    case 0x0c:
      return {Type::kRead, true, true, false, false};
    case 0x13:
    case 0x14:
      return {Type::kAtomic, true, true, false, false};
    case 0x16:
      return {Type::kSend, false, true, false, true};
    case 0x17:
      return {Type::kSend, true, true, false, true};
    default:
      return {};
  }
}

/// Splits a packet into extended headers and payload. Returns std::nullopt if it is shorter than its headers
/// and pad.
std::optional<ModelQp::Content> ModelQp::content_of(const ModelPacket& packet, const Operation& op) const {
  Content out;
  ByteSpan rest(packet.behind);
  const auto take = [&rest](std::size_t n) {
    const ByteSpan part = rest.first(n);
    rest = rest.subspan(n);
    return part;
  };
  const bool reth = (op.type == Type::kWrite && op.begins) || op.type == Type::kRead;
  const std::size_t headers = (reth ? 16U : 0U) + (op.type == Type::kAtomic ? 28U : 0U) +
                              (op.immediate ? 4U : 0U) + (op.invalidates ? 4U : 0U);
  const std::size_t pad = is(M::kPadCountIgnored) ? 0 : packet.bth.pad_count;
  if (rest.size() < headers + pad) return std::nullopt;
  if (reth || op.type == Type::kAtomic) {
    out.address = load_be64(take(8).data());
    out.rkey = load_be32(take(4).data());
  }
  if (reth) out.length = load_be32(take(4).data());
  if (op.type == Type::kAtomic) {
    out.operand = load_be64(take(8).data());
    out.compare = load_be64(take(8).data());
    out.length = 8;
  }
  if (op.immediate) out.immediate = load_be32(take(4).data());
  if (op.invalidates) take(4);
  out.payload = rest.first(rest.size() - pad);
  return out;
}

ModelReply ModelQp::reply(std::uint8_t opcode, std::uint8_t syndrome, roce::Psn psn,
                          std::uint32_t msn) const {
  ModelReply out{.opcode = opcode, .psn = psn & 0xffffff, .behind = {}};
  append_be(out.behind, syndrome, 1);
  append_be(out.behind, msn, 3);
  if (is(M::kAckDscpOfRequest)) out.tos = request_tos_;
  return out;
}

void ModelQp::notify(const ModelPacket& packet, Time now, std::vector<ModelReply>& out) {
  if (notified_ && now < *notified_ + kNotificationInterval) return;
  notified_ = now;
  ModelReply cnp{.opcode = 0x81, .psn = 0, .behind = std::vector<std::uint8_t>(16)};
  cnp.pkey = is(M::kCnpWithoutPkey) ? 0 : packet.bth.pkey;
  cnp.byte4 = is(M::kCnpWithoutBecn) ? 0 : 0x40;
  cnp.ecn = is(M::kCnpCe) ? 3 : 2;
  cnp.tos = 48 << 2;
  if (is(M::kCnpPsn)) cnp.psn = packet.bth.psn;
  if (is(M::kCnpReservedBytes)) cnp.behind[15] = 1;
  out.push_back(cnp);
}

/// Applies the mutations that depend on the BTH alone. Returns true if the packet must be dropped.
bool ModelQp::headers_refused(const ModelPacket& packet) {
  if (!mig_req_) mig_req_ = packet.bth.mig_req;
  return (is(M::kSolicitedDropped) && packet.bth.solicited) ||
         (is(M::kMigReq0Dropped) && !packet.bth.mig_req) ||
         (is(M::kMigReqMustStay) && packet.bth.mig_req != *mig_req_) ||
         (is(M::kReservedBitsChecked) && packet.reserved7 != 0) ||
         (is(M::kByte4MustBe0) && packet.byte4 != 0);
}

void ModelQp::receive(const ModelPacket& packet, Time now, std::vector<ModelReply>& out) {
  const unsigned code = packet.bth.opcode;
  request_tos_ = packet.tos;
  if (state_ == TargetState::kInit && !is(M::kInitReceives)) return;
  if (state_ == TargetState::kRtr && is(M::kRtrIsDeaf)) return;
  if (state_ == TargetState::kError) {
    if (is(M::kErrorAcknowledges)) out.push_back(reply(0x11, kSyndromeAck, packet.bth.psn, msn_));
    if (is(M::kErrorNaksAgain)) out.push_back(reply(0x11, kSyndromeInvalid, expected_, msn_));
    return;
  }
  write_late();
  if (headers_refused(packet)) return;
  if (code == 0x81) {
    if (is(M::kCnpMovesPsn)) expected_ = (expected_ + 1) & 0xffffff;
    return;
  }
  const bool rc_code_on_uc = is(M::kUcTakesRc) && !rc() && code >> 5 == 0;
  if (code >> 5 != static_cast<unsigned>(transport_) && !rc_code_on_uc) {
    if (is(M::kOtherServiceNaked)) refuse(Fault::kInvalidRequest, packet, {}, {}, out);
    return;
  }
  if ((code & 0x1f) >= 0x0d && (code & 0x1f) <= 0x12) {
    if (is(M::kResponsesNaked)) refuse(Fault::kInvalidRequest, packet, {}, {}, out);
    return;
  }
  const Operation op = operation_of(code & 0x1f);
  if (is(M::kBecnAnswered) && (packet.byte4 & 0x40) != 0) notify(packet, now, out);
  bool marked = packet.ce() || (is(M::kCnpForEct) && (packet.tos & 3) == 1);
  if (is(M::kCnpForFirstOnly)) marked = marked && op.begins;
  if (is(M::kCnpAtEnd) || is(M::kCnpsGoOn)) {
    mark_pending_ = mark_pending_ || marked;
    marked = mark_pending_ && (op.ends || is(M::kCnpsGoOn));
    mark_pending_ = mark_pending_ && (!marked || is(M::kCnpsGoOn));
  }
  const std::int64_t ahead = distance(packet.bth.psn, expected_);
  if (is(M::kNoCnpForDuplicate) && ahead < 0) marked = false;
  if (is(M::kNoCnpBehindGap) && ahead > 0) marked = false;
  if (is(M::kNoCnpOnUc) && !rc()) marked = false;
  if (marked && !is(M::kNoCnp)) notify(packet, now, out);
  const auto content = content_of(packet, op);
  if (!content) {
    if (is(M::kShortHeadersNaked)) refuse(Fault::kInvalidRequest, packet, op, {}, out);
    return;
  }
  const std::size_t before = out.size();
  if (rc()) {
    on_rc(packet, op, *content, out);
  } else {
    on_uc(packet, op, *content, out);
  }
  const bool naked = out.size() > before && out.back().behind[0] == kSyndromeGap;
  if (is(M::kCnpForNak) && naked) notify(packet, now, out);
}

void ModelQp::on_rc(const ModelPacket& packet, const Operation& op, const Content& c,
                    std::vector<ModelReply>& out) {
  std::int64_t ahead = distance(packet.bth.psn, expected_);
  if (is(M::kPsnDoesNotWrap)) ahead = std::int64_t{packet.bth.psn} - expected_;
  if (ahead < 0) return on_duplicate(packet, op, c, out);
  if (ahead > 0) return on_gap(packet, op, c, out);
  const Fault fault = examine(packet, op, c);
  if (fault != Fault::kNone) return refuse(fault, packet, op, c, out);
  if (!is(M::kNakNeverArmed)) nak_sent_ = false;
  refused_once_ = false;
  if (op.type == Type::kRead) return read(packet, c, out);
  if (op.type == Type::kAtomic) return atomic(packet, c, out);
  accept(packet, op, c);
  acknowledge(packet, op, out);
}

void ModelQp::acknowledge(const ModelPacket& packet, const Operation& op, std::vector<ModelReply>& out) {
  if (!packet.bth.ack_req) return;
  if (is(M::kEvery64thAckMissing) && msn_ % 64 == 0 && msn_ != 0) return;
  roce::Psn psn = packet.bth.psn;
  if (is(M::kAckNextPsn) || (is(M::kLastAckNextPsn) && op.ends && !op.begins)) ++psn;
  const bool wrong_msn = is(M::kMsnOfMiddle) && !op.begins && !op.ends;
  std::uint8_t syndrome = kSyndromeAck;
  if (is(M::kTooManyCredits) && op.immediate) syndrome = 0x0a;  // 32 credits
  out.push_back(reply(0x11, syndrome, psn, msn_ + (wrong_msn ? 1 : 0)));
}

/// Handles a duplicate request. It is acknowledged with the latest PSN, but not carried out again. For READ
/// and atomic requests, the answers are sent again (IBA 9.7.5.1.4, C9-105).
void ModelQp::on_duplicate(const ModelPacket& packet, const Operation& op, const Content& c,
                           std::vector<ModelReply>& out) {
  if (is(M::kNoAckForDuplicates) || (is(M::kDuplicatesIgnoredInGap) && nak_sent_)) return;
  if (is(M::kDuplicateArmsNak)) nak_sent_ = false;
  if (op.type == Type::kRead && distance(packet.bth.psn, first_) >= 0) {
    const roce::Psn expected = expected_;
    --msn_;
    read(packet, c, out);
    expected_ = expected;
    return;
  }
  if (op.type == Type::kAtomic) {
    const auto known = std::find_if(atomics_.begin(), atomics_.end(),
                                    [&](const Atomic& a) { return a.psn == packet.bth.psn; });
    if (known == atomics_.end()) return;
    if (is(M::kAtomicTwice)) {
      const roce::Psn expected = expected_;
      --msn_;
      atomic(packet, c, out);
      expected_ = expected;
      return;
    }
    out.push_back(reply(0x12, kSyndromeAck, packet.bth.psn, msn_));
    append_be(out.back().behind, known->original, 8);
    return;
  }
  if (is(M::kDuplicateWritten) && op.type == Type::kWrite && op.begins) {
    if (ModelRegion* const region = region_of(c.rkey, true)) store(*region, c.address, c.payload);
  }
  if (is(M::kDuplicateFirstRestarts) && op.begins && !op.ends) message_.done = 0;
  if (is(M::kDuplicateMiddleCounts) && !op.begins && !op.ends) message_.done += c.payload.size();
  if (is(M::kDuplicateValidated) && op.begins && check_memory(op, c) != Fault::kNone)
    return refuse(Fault::kRemoteAccess, packet, op, c, out);
  if (is(M::kDuplicateCompletes) && op.immediate)
    completions_.push_back({.qp = qpn_, .success = true, .status = "success", .length = 8});
  if (is(M::kDuplicateNeedsReceive) && op.immediate && receives_ == 0)
    return refuse(Fault::kNoReceive, packet, op, c, out);
  roce::Psn latest = expected_ - 1;
  if (is(M::kDuplicateAckOwnPsn)) latest = packet.bth.psn;
  if (is(M::kBeforeFirstAcked) && expected_ == first_) latest = expected_;
  out.push_back(reply(0x11, kSyndromeAck, latest, msn_));
}

/// Handles a packet after a gap. The first such packet causes a NAK with the expected PSN (IBA 9.7.5.1);
/// further ones cause no answer.
void ModelQp::on_gap(const ModelPacket& packet, const Operation& op, const Content& c,
                     std::vector<ModelReply>& out) {
  if (is(M::kOrderBeforePsn) && message_.active) {
    const Fault fault = examine(packet, op, c);
    if (fault != Fault::kNone) return refuse(fault, packet, op, c, out);
  }
  if (is(M::kReadAheadAnswered) && op.type == Type::kRead) {
    read(packet, c, out);
    return;
  }
  if (is(M::kGapWritten) && op.type == Type::kWrite && op.begins) {
    if (ModelRegion* const region = region_of(c.rkey, true)) store(*region, c.address, c.payload);
  }
  if (nak_sent_ && !is(M::kNakForEachPacket) && !is(M::kNakBehindRnr)) return;
  if (nak_sent_ && is(M::kNakBehindRnr) && !refused_once_) return;
  if (is(M::kNoNakBeforeFirstPacket) && expected_ == first_) return;
  nak_sent_ = true;
  out.push_back(reply(0x11, kSyndromeGap, is(M::kNakReceivedPsn) ? packet.bth.psn : expected_, msn_));
}

void ModelQp::refuse(Fault fault, const ModelPacket& packet, const Operation& op, const Content& c,
                     std::vector<ModelReply>& out) {
  if (fault == Fault::kIgnored) return;
  if (fault == Fault::kRemoteAccess && is(M::kBadKeyDropped)) return;
  if (fault == Fault::kNoReceive) {
    if (is(M::kRnrOnce) && refused_once_) return;
    refused_once_ = nak_sent_ = true;
    if (is(M::kRnrConsumes)) ++receives_lost_;
    if (is(M::kRnrWritten) && op.begins) {
      if (ModelRegion* const region = region_of(c.rkey, true)) store(*region, c.address, c.payload);
    }
    const unsigned code = is(M::kRnrCodeFixed) ? 12 : spec_.rnr_timer;
    out.push_back(reply(0x11, static_cast<std::uint8_t>(0x20 | code), packet.bth.psn, msn_));
    if (is(M::kRnrFatal)) set_error();
    return;
  }
  if (is(M::kRefusedCompletes) && op.immediate && receives_ != 0) complete(packet, op, c);
  const std::uint8_t syndrome = fault == Fault::kRemoteAccess ? kSyndromeAccess : kSyndromeInvalid;
  if (rc()) out.push_back(reply(0x11, syndrome, expected_, is(M::kMsnOfNak) ? 0 : msn_));
  set_error();
}

void ModelQp::on_uc(const ModelPacket& packet, const Operation& op, const Content& c,
                    std::vector<ModelReply>& out) {
  const bool in_sequence = packet.bth.psn == expected_;
  if (!in_sequence &&
      (is(M::kUcNeedsExpectedPsn) || (is(M::kUcDropsOlder) && distance(packet.bth.psn, expected_) < 0)))
    return;
  if (deaf_ || (cut_at_ && packet.bth.psn != *cut_at_)) return;
  cut_at_.reset();
  const bool cuts = message_.active && (op.begins || !in_sequence);
  if (cuts && is(M::kUcStaysCut)) {
    cut_at_ = expected_;
    return;
  }
  if (cuts && is(M::kUcCutForEver)) deaf_ = true;
  expected_ = (packet.bth.psn + 1) & 0xffffff;
  if (op.begins || !in_sequence) message_.active = false;
  if (!op.begins && !message_.active) {
    if (is(M::kUcOrderFatal)) set_error();
    if (is(M::kUcCutCompletes) && op.immediate && receives_ != 0) complete(packet, op, c);
    return;
  }
  const Fault fault = examine(packet, op, c);
  if (fault != Fault::kNone) {
    message_.active = false;
    if (is(M::kUcErrorFatal)) set_error();
    if (is(M::kUcNeedsReceive) && fault == Fault::kNoReceive) refuse(fault, packet, op, c, out);
    return;
  }
  accept(packet, op, c);
  if (is(M::kUcAcknowledged) && packet.bth.ack_req)
    out.push_back(reply(0x11, kSyndromeAck, packet.bth.psn, msn_));
}

void ModelQp::write_late() {
  for (const Late& late : late_) store(*late.region, late.address, late.bytes);
  late_.clear();
}

}  // namespace softfeb::test
