// SPDX-License-Identifier: BSD-3-Clause
// How the model validates and carries out a request that has the expected PSN.
#include "model_qp.hpp"

#include <algorithm>

namespace softfeb::test {

namespace {

using M = Mutation;

constexpr std::uint8_t kNoCredits = 0x1f;
constexpr std::uint64_t kLongest = std::uint64_t{1} << 31;

void append_number(std::vector<std::uint8_t>& out, std::uint64_t value) {
  for (unsigned k = 8; k-- > 0;) out.push_back(static_cast<std::uint8_t>(value >> (8 * k)));
}

}  // namespace

ModelQp::Fault ModelQp::examine(const ModelPacket& packet, const Operation& op, const Content& c) {
  if (op.type == Type::kUnknown) return is(M::kReservedDropped) ? Fault::kIgnored : Fault::kInvalidRequest;
  if (!rc() && (op.type == Type::kRead || op.type == Type::kAtomic)) return Fault::kIgnored;
  if (op.invalidates && !is(M::kInvalidateAcknowledged)) return Fault::kInvalidRequest;
  if (const Fault fault = check_order(op); fault != Fault::kNone) return fault;
  if (const Fault fault = check_length(packet, op, c); fault != Fault::kNone) return fault;
  if (const Fault fault = check_memory(op, c); fault != Fault::kNone) return fault;
  const bool needs_receive = op.immediate || (op.type == Type::kSend && op.begins);
  const bool empty = is(M::kEmptyImmediateWithoutReceive) && c.payload.empty();
  if (needs_receive && receives_ <= receives_lost_ && !empty) return Fault::kNoReceive;
  return Fault::kNone;
}

/// Checks the order of opcodes: FIRST or ONLY begins a message; MIDDLE and LAST continue a message of the
/// same operation (IBA 9.7.4.1.2).
ModelQp::Fault ModelQp::check_order(const Operation& op) const {
  const bool middle = !op.begins && !op.ends, last = !op.begins && op.ends, first = op.begins && !op.ends;
  if (!message_.active) {
    if (op.begins || (middle && is(M::kMiddleWithoutFirst)) ||
        (last && is(op.immediate ? M::kLastImmWithoutFirst : M::kLastWithoutFirst)))
      return Fault::kNone;
    return Fault::kInvalidRequest;
  }
  if (op.type != message_.type) {
    if (op.type == Type::kSend && op.begins && is(M::kSendInWrite)) return Fault::kNone;
    if (op.type == Type::kSend && middle && is(M::kSendMiddleInWrite)) return Fault::kNone;
    if (op.type == Type::kRead && is(M::kReadInMessage)) return Fault::kNone;
    if (op.type == Type::kWrite && op.begins && is(M::kWriteInSend)) return Fault::kNone;
    return Fault::kInvalidRequest;
  }
  if (!op.begins) return Fault::kNone;
  const bool only = op.ends;
  if ((first && is(M::kFirstInMessage)) || (only && !op.immediate && is(M::kOnlyInMessage)) ||
      (only && op.immediate && is(M::kOnlyImmInMessage)))
    return Fault::kNone;
  return Fault::kInvalidRequest;
}

/// Checks the length: FIRST and MIDDLE carry one path MTU; LAST and ONLY carry the remainder (IBA 9.7.4.1.6).
ModelQp::Fault ModelQp::check_length(const ModelPacket& packet, const Operation& op, const Content& c) const {
  std::uint64_t size = c.payload.size();
  const std::uint64_t pmtu = spec_.pmtu;
  if (op.type == Type::kRead || op.type == Type::kAtomic)
    return c.length > kLongest ? Fault::kInvalidRequest : Fault::kNone;
  if (op.type == Type::kSend) {
    if (op.ends ? size > pmtu : size != pmtu) return Fault::kInvalidRequest;
    if (is(M::kSendMiddleInWrite) && message_.active && message_.type == Type::kWrite) return Fault::kNone;
    const std::uint64_t done = op.begins ? 0 : message_.done;
    return done + size > spec_.receive_size && !is(M::kLongSendAccepted) ? Fault::kInvalidRequest
                                                                         : Fault::kNone;
  }
  if (op.begins && c.length > kLongest && !is(M::kLength31Bits)) return Fault::kInvalidRequest;
  const std::uint64_t remaining = op.begins ? c.length : message_.length - message_.done;
  if (is(M::kPadCountIgnored) && size - remaining < 4) size = remaining;
  if (!rc() && is(M::kUcLengthIgnored)) return Fault::kNone;
  const bool only = op.begins && op.ends, first = op.begins && !op.ends, last = !op.begins && op.ends,
             middle = !op.begins && !op.ends;
  const bool excused =
      (is(M::kPmtuIgnored) && size > pmtu && (!op.ends || size == remaining || remaining <= pmtu)) ||
      (is(M::kShortFirstAccepted) && first && size < pmtu) ||
      (is(M::kWholeMessageInFirst) && first && size == remaining) ||
      (is(M::kShortMiddleAccepted) && middle && size < pmtu) ||
      (is(M::kMiddleInsteadOfLast) && middle && size == pmtu) ||
      (is(M::kShortOnlyAccepted) && only && size < remaining) ||
      (is(M::kLongOnlyCut) && only && size > remaining && remaining != 0) ||
      (is(M::kEmptyOnlyAccepted) && only && size == 0) ||
      (is(M::kPayloadWithLength0) && only && remaining == 0) ||
      (is(M::kLastLengthIgnored) && last && size <= pmtu) ||
      (is(M::kLongLastCut) && last && size > remaining) || (is(M::kEmptyLastAccepted) && last && size == 0) ||
      (last && !message_.active && is(op.immediate ? M::kLastImmWithoutFirst : M::kLastWithoutFirst)) ||
      (is(M::kMiddleWithoutFirst) && middle && !message_.active);
  if (excused) return Fault::kNone;
  if (is(M::kFullOnlyRefused) && only && size == pmtu) return Fault::kInvalidRequest;
  if (is(M::kZeroLengthRefused) && only && remaining == 0) return Fault::kInvalidRequest;
  const bool right = op.ends ? size == remaining && size <= pmtu : size == pmtu && remaining > pmtu;
  const bool pad_right = packet.bth.pad_count == (-c.payload.size() & 3U) || is(M::kPadCountIgnored);
  return right && pad_right ? Fault::kNone : Fault::kInvalidRequest;
}

/// Checks access rights and bounds (IBA 9.7.4.1.5). An empty WRITE does not access memory (C9-88).
ModelQp::Fault ModelQp::check_memory(const Operation& op, const Content& c) {
  if (op.type == Type::kSend || !op.begins) return Fault::kNone;
  if (op.type == Type::kWrite && !spec_.remote_write && !is(M::kWriteAccessIgnored))
    return Fault::kInvalidRequest;
  if (op.type == Type::kRead) {
    if (!spec_.remote_read && !is(M::kReadAccessIgnored)) return Fault::kInvalidRequest;
    if (spec_.max_dest_rd_atomic == 0 && !is(M::kReadResourcesIgnored)) return Fault::kInvalidRequest;
  }
  if (op.type == Type::kAtomic) {
    if (!spec_.remote_atomic && !is(M::kAtomicAccessIgnored)) return Fault::kInvalidRequest;
    if (c.address % 8 != 0 && !is(M::kUnalignedAtomic)) return Fault::kInvalidRequest;
  }
  if (c.length == 0 && !is(M::kRkeyCheckedAtLength0)) return Fault::kNone;
  if (!rc() && is(M::kUcRkeyIgnored)) return Fault::kNone;
  const ModelRegion* const region = region_of(c.rkey, op.type != Type::kRead);
  if (region == nullptr) return Fault::kRemoteAccess;
  std::uint64_t length = c.length;
  if (is(M::kFirstPacketBounds)) length = std::min<std::uint64_t>(length, spec_.pmtu);
  return inside(*region, c.address, length, op.ends) ? Fault::kNone : Fault::kRemoteAccess;
}

bool ModelQp::inside(const ModelRegion& region, std::uint64_t address, std::uint64_t length,
                     bool only) const {
  const std::uint64_t size = region.data.size();
  const std::uint64_t offset = address - region.address;  // huge if the address is below the region
  if (is(M::kAddressWraps)) return address >= region.address && address + length <= region.address + size;
  if (is(M::kLowerBoundIgnored) && address < region.address) return true;
  if (is(M::kUpperBoundIgnored)) return offset < size;
  if (is(M::kEndAccepted) && offset == size) return true;
  if (is(M::kLastByteRefused) && !only && offset + length == size) return false;
  return offset <= size && length <= size - offset;
}

/// Returns the region with this key. Returns null if there is none, or if the queue pair must not access it.
/// `write` tells whether the queue pair wants to write to the region or read from it.
ModelRegion* ModelQp::region_of(std::uint32_t rkey, bool write) {
  for (ModelRegion& region : regions_) {
    const std::uint32_t mask = is(M::kRkeyBit0Ignored) && &region == &regions_[0] ? ~1U : ~0U;
    if ((region.rkey & mask) != (rkey & mask)) continue;
    if (write && !region.writable && !is(M::kReadOnlyWritten)) return nullptr;
    if (!region.own_domain && !is(M::kOtherDomainWritten)) return nullptr;
    if (!region.registered && !is(M::kDeregisteredWritten)) return nullptr;
    return &region;
  }
  return is(M::kRkeyIgnored) || (!rc() && is(M::kUcRkeyIgnored)) ? &regions_[0] : nullptr;
}

/// Stores the bytes that lie inside the region, and ignores all others.
void ModelQp::store(ModelRegion& region, std::uint64_t address, ByteSpan bytes) {
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const std::uint64_t at = address + k - region.address;
    if (at >= region.data.size()) continue;
    region.data[at] = bytes[k];
    region.written_from = std::min<std::size_t>(region.written_from, at);
    region.written_to = std::max<std::size_t>(region.written_to, at + 1);
  }
}

void ModelQp::place(const ModelPacket& packet, const Operation& op, ByteSpan payload) {
  if (message_.region == nullptr) return;
  if (is(M::kCeNotWritten) && packet.ce()) return;
  if (is(M::kUcMiddleLost) && !rc() && !op.begins && !op.ends) return;
  std::uint64_t done = message_.done;
  if (is(M::kOffsetHas16Bits)) done &= 0xffff;
  std::uint64_t address = message_.address + done;
  if (is(M::kAddressAligned)) address &= ~std::uint64_t{3};
  if (is(M::kLastMisplaced) && op.ends && !op.begins) address += 4;
  // With either mutation, the pad that follows the payload in the packet is written as well.
  const ByteSpan pad(payload.data() + payload.size(), is(M::kPadCountIgnored) ? 0 : packet.bth.pad_count);
  const bool dirty = std::any_of(pad.begin(), pad.end(), [](std::uint8_t b) { return b != 0; });
  if (is(M::kPadWritten) || (is(M::kDirtyPadWritten) && dirty))
    payload = ByteSpan(payload.data(), payload.size() + pad.size());
  if (is(M::kLatePlacement) && op.ends && !op.begins) {
    late_.push_back({message_.region, address, {payload.begin(), payload.end()}});
  } else {
    store(*message_.region, address, payload);
  }
}

void ModelQp::accept(const ModelPacket& packet, const Operation& op, Content c) {
  expected_ = packet.bth.psn + 1;
  if (!is(M::kPsnDoesNotWrap)) expected_ &= 0xffffff;
  if (is(M::kPsnWrapsAtHalf) && expected_ == 0x800000) expected_ = 0;
  if (op.begins) {
    message_ = {.active = true, .type = op.type, .region = nullptr, .address = c.address, .length = c.length};
    if (op.type == Type::kWrite && c.length != 0) message_.region = region_of(c.rkey, true);
  }
  const std::uint64_t remaining = message_.length - message_.done;
  if (op.type == Type::kWrite && c.payload.size() > remaining && op.ends)
    c.payload = c.payload.first(remaining);
  if (op.type == Type::kWrite) place(packet, op, c.payload);
  message_.done += c.payload.size();
  if (is(M::kMsnCountsFirst) ? op.begins : op.ends)
    msn_ += is(M::kMsnCountsRequested) && !packet.bth.ack_req ? 0 : 1;
  if (is(M::kMsnCountsPackets) && !op.ends) ++msn_;
  if (!op.ends) return;
  message_.active = false;
  if (op.immediate || op.type == Type::kSend) complete(packet, op, c);
  if (is(M::kPlainWriteConsumes) && !op.immediate && op.type == Type::kWrite && receives_ != 0) --receives_;
}

/// Consumes a receive and reports its completion.
void ModelQp::complete(const ModelPacket& packet, const Operation& op, const Content& c) {
  if (receives_ != 0) --receives_;
  conformance::Completion out{.qp = qpn_, .success = true, .status = "success"};
  out.length = op.type == Type::kSend ? message_.done : message_.length;
  if (is(M::kSendCompletesEmpty) && op.type == Type::kSend) out.length = 0;
  if (is(M::kLengthOfLastPacket)) out.length = c.payload.size();
  if (op.immediate) out.immediate = is(M::kImmediateByteOrder) ? __builtin_bswap32(c.immediate) : c.immediate;
  if (is(M::kImmediateWithoutCompletion) && !op.begins) return;
  completions_.push_back(out);
  if (is(M::kImmediateTwice)) completions_.push_back(out);
  const bool solicited =
      (packet.bth.solicited || is(M::kEveryCompletionSolicited)) && !is(M::kNoSolicitedEvents);
  event_ = event_ || solicited;
}

/// Answers a READ with one packet for each path MTU; FIRST, LAST and ONLY have an AETH (IBA 9.7.5.2.1).
void ModelQp::read(const ModelPacket& packet, const Content& c, std::vector<ModelReply>& out) {
  const std::uint32_t packets = std::max(1U, (c.length + spec_.pmtu - 1) / spec_.pmtu);
  if (!is(M::kReadMsnMissing)) ++msn_;
  const ModelRegion* const region = region_of(c.rkey, false);
  for (std::uint32_t k = 0; k < packets; ++k) {
    const std::uint32_t from = k * spec_.pmtu, to = std::min(c.length, from + spec_.pmtu);
    const bool first = k == 0, last = k + 1 == packets;
    const std::uint8_t opcode = first && last ? 0x10 : first ? 0x0d : last ? 0x0f : 0x0e;
    ModelReply answer = reply(opcode, kNoCredits, packet.bth.psn + k, msn_ & 0xffffff);
    if (opcode == 0x0e) answer.behind.clear();
    for (std::uint32_t n = from; region != nullptr && n < to; ++n)
      answer.behind.push_back(region->data[c.address + n - region->address]);
    out.push_back(std::move(answer));
  }
  expected_ = (packet.bth.psn + packets) & 0xffffff;
}

void ModelQp::atomic(const ModelPacket& packet, const Content& c, std::vector<ModelReply>& out) {
  ModelRegion& region = *region_of(c.rkey, true);
  const std::uint64_t original = load_be64(&region.data[c.address - region.address]);
  // The model stores numbers in big-endian order; a real host is little-endian. The cases cannot detect this
  // difference, because the word consists of equal guard bytes before and after each case.
  const bool add = (packet.bth.opcode & 0x1f) == 0x14;
  if (add || original == c.compare) {
    std::vector<std::uint8_t> changed;
    append_number(changed, add ? original + c.operand : c.operand);
    store(region, c.address, changed);
  }
  ++msn_;
  expected_ = (packet.bth.psn + 1) & 0xffffff;
  atomics_.push_back({packet.bth.psn, original});
  out.push_back(reply(0x12, kNoCredits, packet.bth.psn, msn_));
  append_number(out.back().behind, original);
}

}  // namespace softfeb::test
