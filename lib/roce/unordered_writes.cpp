// SPDX-License-Identifier: BSD-3-Clause
#include "roce/unordered_writes.hpp"

#include "roce/opcode.hpp"

#include <algorithm>

namespace softfeb::roce {

namespace {

using Type = RegistrationPacket::Type;
using Verdict = RegistrationVerdict;

/// RegistrationPacket::id of a packet for which the escape channel has no room.
constexpr std::uint64_t kNoRoom = UINT64_MAX;
constexpr unsigned kIndexBits = 40;  // indices wrap after 100 hours at 3 million packets per second
constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << kIndexBits) - 1;

RegistrationConfig table_of(const UnorderedConfig& c) {
  RegistrationConfig r;
  r.packet = c.pmtu;
  r.mask_bits = c.packets;
  r.entries = c.entries;
  r.escape = c.escape;
  r.escape_timeout = c.timeout;
  r.entry_timeout = c.timeout;
  r.remember = c.remember;
  r.notifications = 0;  // notifications are not used, because each Write counts its own packets
  r.by_address = true;
  return r;
}

}  // namespace

UnorderedWrites::UnorderedWrites(const UnorderedConfig& config, UnorderedSink& sink)
    : config_(config),
      sink_(sink),
      table_(table_of(config), this),
      writes_(config.entries + config.escape),
      stored_(config.escape),
      bytes_(std::size_t{config.escape} * config.pmtu) {
  for (std::uint32_t i = config.escape; i-- > 0;) free_.push_back(i);
}

UnorderedWrites::Content UnorderedWrites::content_of(std::uint32_t qp, const ReceivedRequest& request) const {
  const Operation op = opcode_operation(request.bth.opcode);
  Content c;
  c.begins = begins_message(op);
  c.ends = ends_message(op);
  c.solicited = request.bth.solicited;
  c.has_immediate = has_immediate(op);
  if (c.has_immediate) c.immediate = request.immediate;
  if (!c.begins) return c;
  c.reth = request.reth;
  if (c.reth.dma_length != 0) c.region = sink_.admit(qp, c.reth);
  return c;
}

/// Describes a packet for the registration table. In the table, the packets of a queue pair occupy
/// consecutive memory: the address of packet k of a WRITE is k path MTUs above the address of the first
/// packet.
RegistrationPacket UnorderedWrites::describe(std::uint32_t qp, std::uint64_t index, const Content& c,
                                             std::size_t length) const {
  RegistrationPacket p;
  p.type = c.begins ? Type::kFirst : Type::kBody;
  p.source = qp;
  p.op = static_cast<std::uint32_t>(index);
  p.address = ((std::uint64_t{qp} << kIndexBits) | index) * config_.pmtu;
  p.length = length;
  p.id = kNoRoom;
  if (!c.begins) return p;
  p.bytes = c.reth.dma_length;
  p.count = (p.bytes + config_.pmtu - 1) / config_.pmtu;
  return p;
}

/// Index of the packet whose address in the registration table is `address`.
std::uint64_t UnorderedWrites::index_of(std::uint64_t address) const {
  return address / config_.pmtu & kIndexMask;
}

void UnorderedWrites::packet(Time now, std::uint32_t qp, std::uint64_t index,
                             const ReceivedRequest& request) {
  advance(now);
  index &= kIndexMask;
  const Operation op = opcode_operation(request.bth.opcode);
  const std::size_t size = request.payload.size();
  if (!is_write(op) || request.bth.pad_count != (-size & 3U)) return sink_.dropped(qp, Verdict::kInvalid);
  const Content content = content_of(qp, request);
  if (content.begins) {
    if (content.reth.dma_length == 0 && content.ends && size == 0)
      return sink_.complete(qp, index, {0, 0, content.has_immediate, content.immediate, content.solicited});
    if (content.reth.dma_length == 0) return sink_.dropped(qp, Verdict::kInvalid);
    if (content.region == nullptr) return;  // admit() has counted the error
  }
  current_ = &request;
  current_content_ = content;
  RegistrationPacket p = describe(qp, index, content, size);
  const bool room_left = !free_.empty();
  if (room_left) {
    p.id = free_.back();
    free_.pop_back();
  }
  current_id_ = p.id;
  if (table_.packet(now, p) == Verdict::kEscaped) {
    stored_[p.id] = {content, static_cast<std::uint32_t>(size)};
    request.payload.copy(0, size, room(p.id));
  } else if (room_left) {
    free_.push_back(static_cast<std::uint32_t>(p.id));
  }
  current_ = nullptr;
}

void UnorderedWrites::settled(Time /*at*/, Verdict verdict, const RegistrationPacket& p) {
  const bool current = current_ != nullptr && p.id == current_id_;
  if (verdict == Verdict::kPlaced) {
    if (current) {
      place(p, current_content_, current_->payload);
    } else {
      const Stored& s = stored_[p.id];
      place(p, s.content, ByteSpan(room(p.id), s.length));
    }
  } else if (verdict == Verdict::kDuplicate) {
    sink_.duplicate(p.source);
  } else {
    sink_.dropped(p.source, verdict);
  }
  if (!current) free_.push_back(static_cast<std::uint32_t>(p.id));
}

void UnorderedWrites::place(const RegistrationPacket& p, const Content& c, const Segments& bytes) {
  const std::uint64_t index = index_of(p.address);
  if (c.begins) begin(p, c);
  Write* const w = find(p.source, index);
  if (w == nullptr) return;
  const std::uint64_t k = index - w->first;
  w->broken = w->broken || c.ends != (k + 1 == w->count);
  if (c.ends) {
    w->message.solicited = c.solicited;
    w->message.has_immediate = c.has_immediate;
    w->message.immediate = c.immediate;
  }
  w->placed += static_cast<std::uint32_t>(bytes.size());
  sink_.place(p.source, index, bytes, w->region->at(w->message.address + k * config_.pmtu));
  if (++w->packets == w->count) finish(*w);
}

void UnorderedWrites::begin(const RegistrationPacket& p, const Content& c) {
  const auto w = std::find_if(writes_.begin(), writes_.end(), [](const Write& x) { return !x.used; });
  if (w == writes_.end()) return;
  *w = {.used = true,
        .qp = p.source,
        .count = static_cast<std::uint32_t>(p.count),
        .first = index_of(p.address),
        .region = c.region,
        .message = {.address = c.reth.virtual_address, .length = c.reth.dma_length}};
  latest_ = static_cast<std::size_t>(w - writes_.begin());
}

/// Finds the WRITE in progress to which packet `index` belongs. Usually, this is the WRITE of the previous
/// packet.
UnorderedWrites::Write* UnorderedWrites::find(std::uint32_t qp, std::uint64_t index) {
  const auto holds = [&](const Write& w) {
    return w.used && w.qp == qp && index >= w.first && index - w.first < w.count;
  };
  if (holds(writes_[latest_])) return &writes_[latest_];
  const auto w = std::find_if(writes_.begin(), writes_.end(), holds);
  if (w == writes_.end()) return nullptr;
  latest_ = static_cast<std::size_t>(w - writes_.begin());
  return &*w;
}

/// Ends a WRITE as soon as all its packets have been placed, because the next packet from the escape channel
/// may belong to another WRITE with the same packet indices.
void UnorderedWrites::finish(Write& w) {
  w.used = false;
  if (w.broken) {
    sink_.abandoned(w.qp, w.placed);
    sink_.dropped(w.qp, Verdict::kInvalid);
  } else {
    sink_.complete(w.qp, w.first + w.count - 1, w.message);
  }
}

void UnorderedWrites::abandoned(Time /*at*/, const RegistrationEntry& entry, std::span<const std::uint64_t>) {
  Write* const w = find(entry.source, index_of(entry.address));
  if (w == nullptr) return;
  w->used = false;
  sink_.abandoned(w->qp, w->placed);
}

void UnorderedWrites::advance(Time now) { table_.advance(now); }

}  // namespace softfeb::roce
