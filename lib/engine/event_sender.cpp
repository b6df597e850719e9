// SPDX-License-Identifier: BSD-3-Clause
#include "engine/event_sender.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace softfeb::engine {

using detector::EventHeader;
using detector::FragmentPiece;
using detector::kEventHeaderSize;

namespace {

const EventSenderConfig& checked(const EventSenderConfig& c) {
  if (c.payload == nullptr || c.triggers == nullptr || c.pmtu <= kEventHeaderSize)
    throw std::invalid_argument(
        "a board with events needs a payload, triggers and a path MTU that holds the event header");
  return c;
}

std::uint32_t most_pieces(const detector::EventLayout& layout) { return layout.pieces_of(layout.largest()); }

}  // namespace

EventSender::EventSender(const EventSenderConfig& config)
    : fifo_(checked(config).fifo),
      pmtu_(config.pmtu),
      payload_(config.payload),
      triggers_(config.triggers),
      messages_(config.messages),
      reports_as_(config.reports_as),
      pieces_per_place_(most_pieces(config.fifo.layout)),
      pieces_(std::size_t{config.fifo.fifo} * pieces_per_place_),
      first_packets_(pieces_.size() * config.pmtu),
      builders_(config.fifo.layout.builders, Builder(pieces_.size())),
      delay_(saturating_add(config.fifo.window, config.fifo.readout_delay)) {}

std::uint32_t EventSender::send_queue_needed(const detector::FragmentFifoConfig& fifo) {
  return fifo.fifo * most_pieces(fifo.layout);
}

void EventSender::start(Time now) {
  began_ = std::min(now, triggers_->began());
  fifo_.set_origin(triggers_->origin());
  started_ = true;
  triggers_->advance(now);
}

void EventSender::stop(Time now) {
  if (!started_ || stopped_) return;
  triggers_->end(now);
  do {
    advance(now);
  } while (triggers_->next() < now);
  stopped_ = true;
}

void EventSender::drop() {
  stopped_ = true;
  dropped_ = true;
}

bool EventSender::finished() const {
  if (dropped_) return true;
  const bool over = stopped_ || (started_ && triggers_->over() && next_trigger_ == triggers_->accepted());
  return over && fifo_.used() == 0 && fifo_.next_ready() == kNever;
}

void EventSender::advance(Time now) {
  if (!started_) return;
  take_triggers(now);
  fifo_.advance(run_time(now));
  report(now);
}

void EventSender::take_triggers(Time now) {
  if (!started_ || stopped_) return;
  triggers_->advance(now);
  if (const std::uint64_t oldest = triggers_->oldest(); next_trigger_ < oldest) {
    missed_ += oldest - next_trigger_;
    next_trigger_ = oldest;
  }
  for (; next_trigger_ < triggers_->accepted(); ++next_trigger_) take_trigger(next_trigger_, now);
}

void EventSender::take_trigger(std::uint64_t i, Time now) {
  const detector::Trigger trigger = triggers_->trigger(i);
  const auto flags = static_cast<std::uint16_t>(payload_->shape().flags | triggers_->flags(i));
  // If another thread advances the feed, it may have overwritten the trigger in the meantime.
  if (i < triggers_->oldest()) {
    ++missed_;
    return;
  }
  if (run_time(now) > saturating_add(trigger.time, delay_ + kLate)) ++late_;
  fifo_.trigger(trigger, payload_->size(trigger.event, fifo_.config().board), flags);
}

void EventSender::report(Time now) {
  if (!reports_as_ || fifo_.busy() == busy_) return;
  busy_ = fifo_.busy();
  triggers_->report(*reports_as_, busy_, now);
}

Time EventSender::triggered() const {
  const Time at = detector::time_since(fifo_.config().origin, fifo_.time(fifo_.piece().place));
  return saturating_add(triggers_->began(), at);
}

roce::WorkRequest EventSender::take() {
  const FragmentPiece piece = fifo_.piece();
  const std::uint32_t id = piece.place * pieces_per_place_ + piece.index;
  pieces_[id] = {piece.event, piece.offset};
  write_first_packet(id, piece);
  fifo_.pop();
  Builder& builder = builders_[piece.builder];
  builder.places.push(piece.place);
  roce::WorkRequest w;
  w.id = builder.posted++;
  w.opcode = roce::WrOpcode::kWriteImm;
  w.remote_address = builder.address + piece.address;
  w.rkey = builder.rkey;
  w.length = piece.message_length();
  w.immediate = piece.immediate();
  w.payload_offset = std::uint64_t{id} << 32;
  return w;
}

void EventSender::write_first_packet(std::uint32_t id, const FragmentPiece& piece) {
  const std::uint32_t board = fifo_.config().board;
  const std::uint32_t crc = payload_->crc(piece.event, board, piece.offset, piece.length);
  std::uint8_t* const to = first_packet(id);
  detector::write_event_header(fifo_.header(piece.place, piece.index, crc), to);
  const auto room = static_cast<std::uint32_t>(pmtu_ - kEventHeaderSize);
  const std::uint32_t length = std::min(piece.length, room);
  if (length == 0) return;
  const std::uint8_t* const from = payload_->bytes(piece.event, board, piece.offset, length);
  if (from != nullptr) std::memcpy(to + kEventHeaderSize, from, length);
}

void EventSender::completed(std::uint32_t i, std::uint64_t completed, Time now) {
  Builder& builder = builders_[i];
  if (builder.completed == completed) return;
  take_triggers(now);
  for (; builder.completed != completed && !builder.places.empty(); ++builder.completed) {
    const std::uint32_t place = builder.places.front();
    builder.places.pop();
    fifo_.complete(place, run_time(now));
  }
  report(now);
}

Time EventSender::busy_time(Time now) const {
  const Time closed = fifo_.counts().busy_time;
  if (!fifo_.busy()) return closed;
  const Time at = run_time(now);
  return closed + at - std::min(at, fifo_.busy_since());
}

Time EventSender::next_event() const {
  if (!started_ || dropped_) return kNever;
  const Time ready = saturating_add(fifo_.next_ready(), began_);
  if (stopped_) return ready;
  // next() must be read before accepted(), because another thread may accept the trigger due at next()
  // between the two reads.
  const Time next = saturating_add(triggers_->next(), delay_);
  if (next_trigger_ == triggers_->accepted()) return std::min(ready, next);
  return std::min(ready, saturating_add(began_ + triggers_->trigger(next_trigger_).time, delay_));
}

const std::uint8_t* EventSender::bytes(std::uint64_t offset, std::uint32_t length) const {
  const auto id = static_cast<std::uint32_t>(offset >> 32);
  const auto at = static_cast<std::uint32_t>(offset);
  if (at + length <= pmtu_) return first_packets_.data() + std::size_t{id} * pmtu_ + at;
  const Piece& piece = pieces_[id];
  const auto skipped = static_cast<std::uint32_t>(at - kEventHeaderSize);
  return payload_->bytes(piece.event, fifo_.config().board, piece.offset + skipped, length);
}

}  // namespace softfeb::engine
