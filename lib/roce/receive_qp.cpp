// SPDX-License-Identifier: BSD-3-Clause
#include "roce/receive_qp.hpp"

#include "base/claim.hpp"
#include "roce/copy_compare.hpp"
#include "roce/crc_compare.hpp"
#include "roce/icrc.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace softfeb::roce {

ReceiveQp::ReceiveQp(const ReceiveQpConfig& config, const std::vector<MemoryRegion>& regions,
                     NotificationPoint* notification, NotificationPoint::Slot slot)
    : responder_(config.responder, regions),
      config_(config),
      notification_(notification),
      slot_(slot),
      map_(config.numbering == MessageNumbering::kNone ? 0 : config.map_capacity) {
  if (config.expected != nullptr) check_.emplace(*config.expected);
  if (!config.layout && (check_ || config.numbering == MessageNumbering::kLayout)) {
    throw std::invalid_argument(
        "a receiving QP that compares payload or numbers messages by layout needs the layout");
  }
}

ReceiveQp::Outcome ReceiveQp::on_request(const ReceivedRequest& request, Time now) {
  const bool alive = responder_.state() != QpState::kErr;
  marked_ += request.congestion_experienced;
  Outcome out{responder_.on_request_unplaced(request)};
  // A congested switch also marks duplicates and out-of-order packets. These marks count too, because DCQCN
  // reacts to congestion, whether or not the marked packets are useful.
  out.send_cnp = alive && request.congestion_experienced && notification_ != nullptr &&
                 notification_->on_marked(slot_, now);
  if (!out.request.packet_index) return out;
  const std::uint64_t index = *out.request.packet_index;
  if (out.request.payload) check(*out.request.payload, index);
  if (out.request.message) note(*out.request.message, index);
  next_index_ = index + 1;
  return out;
}

void ReceiveQp::continue_from(const ReceiveQp& before, bool counter_goes_on) {
  continuity_ = before.continuity_;
  if (!counter_goes_on) continuity_.resync();
  marked_ = before.marked_;
  unexpected_ = before.unexpected_;
}

void ReceiveQp::check(const PlacedPayload& payload, std::uint64_t index) {
  if (config_.check_continuity) {
    if (index != next_index_) continuity_.resync();
    continuity_.on(payload.bytes);
  }
  store(payload.bytes, payload.to, index);
}

/// Returns the expected payload of a packet for which awaits() is true; null if there is none to compare
/// with.
const std::uint8_t* ReceiveQp::expected(const QuickWrite& packet) {
  if (!check_) return nullptr;
  const MessageLayout::Place& at = locate(responder_.next_index());
  return at.length == packet.payload.size() ? check_->expected(at.stream_offset, at.length) : nullptr;
}

ReceiveQp::Stored ReceiveQp::store_known(const QuickWrite& packet) {
  std::uint8_t* const to = responder_.place_of(packet);
  const ByteSpan payload = packet.payload;
  if (const std::uint8_t* const want = expected(packet); want != nullptr) {
    const auto place = config_.memory_is_cached ? copy_and_compare : stream_and_compare;
    return {true, place(to, payload.data(), want, payload.size())};
  }
  if (to != nullptr && !payload.empty()) std::memcpy(to, payload.data(), payload.size());
  return {true, false};
}

/// Prefetches, for writing, the first cache lines of the memory to which payload will be copied.
void ReceiveQp::claim_place(const std::uint8_t* to, std::size_t bytes) const {
  claim_lines(to, std::min(static_cast<unsigned>((bytes + 63) / 64), kPlaceLines));
}

ReceiveQp::Stored ReceiveQp::store_checked(const QuickWrite& packet) {
  std::uint8_t* const to = responder_.place_of(packet);
  const bool later = to == nullptr || !config_.memory_is_cached;
  if (later && to != nullptr) claim_place(to, packet.payload.size());
  const std::uint8_t* const want = expected(packet);
  const std::uint32_t headers = icrc_complete_headers(packet.headers);
  if (later) {
    const CrcAndComparison found = crc_and_compare(headers, packet.payload, want);
    if (found.crc != packet.icrc) return {};
    if (to != nullptr) copy_payload(to, packet.payload);
    return {true, want != nullptr && found.same};
  }
  const CheckedStore found = check_and_store(headers, packet.icrc, packet.payload, want, to);
  return {found.crc_matches, want != nullptr && found.same};
}

Responder::Quick ReceiveQp::take(const QuickWrite& packet, Stored stored) {
  const Responder::Quick q = responder_.take(packet);
  next_index_ = q.index + 1;
  if (stored.as_expected) {
    check_->count_equal(packet.payload.size());
  } else if (check_) {
    const MessageLayout::Place& at = locate(q.index);
    check_->check(at.message, at.message_offset, at.stream_offset, at.length, packet.payload);
  }
  if (q.message) note(*q.message, q.index);
  return q;
}

void ReceiveQp::place(const Segments& bytes, std::uint8_t* to, std::uint64_t index) {
  responder_.count_placed(static_cast<std::uint32_t>(bytes.size()));
  store(bytes, to, index);
}

bool ReceiveQp::complete(const MessageEvent& message, std::uint64_t index) {
  if (!responder_.count_complete(message)) return false;
  note(message, index);
  return true;
}

/// Copies the payload of packet `index` to `to`, unless `to` is null, and compares it with the expected
/// stream.
void ReceiveQp::store(const Segments& bytes, std::uint8_t* to, std::uint64_t index) {
  const MessageLayout::Place* const at = check_ ? &locate(index) : nullptr;
  if (at != nullptr && bytes.count() == 1 && at->length == bytes.size() &&
      check_->place(at->stream_offset, bytes.part(0), to))
    return;
  if (to != nullptr) bytes.copy(0, bytes.size(), to);
  if (at != nullptr) check_->check(at->message, at->message_offset, at->stream_offset, at->length, bytes);
}

/// Place of packet `index` in the stream. Requires a layout.
const MessageLayout::Place& ReceiveQp::locate(std::uint64_t index) {
  if (located_ && index == place_index_) return place_;
  if (located_ && index == place_index_ + 1 && !place_.last) {
    config_.layout->advance(place_);
  } else {
    place_ = config_.layout->locate_from(place_, place_index_, index);
  }
  place_index_ = index;
  located_ = true;
  return place_;
}

void ReceiveQp::note(const MessageEvent& message, std::uint64_t index) {
  std::optional<std::uint64_t> number;
  if (config_.numbering == MessageNumbering::kImmediate) {
    if (message.has_immediate)
      number = unwrap_counter(message.immediate - config_.first_immediate, map_.next());
  } else if (config_.layout) {
    const MessageLayout::Place& at = locate(index);
    if (at.last) number = at.message;
  } else {
    return;
  }
  if (!number || (config_.layout && config_.layout->length_of(*number) != message.length)) ++unexpected_;
  if (number && config_.numbering != MessageNumbering::kNone) map_.arrived(*number);
}

}  // namespace softfeb::roce
