// SPDX-License-Identifier: BSD-3-Clause
#include "detector/fragment_fifo.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::detector {

namespace {

const FragmentFifoConfig& checked(const FragmentFifoConfig& c) {
  const EventLayout& l = c.layout;
  if (l.builders == 0 || l.slots == 0 || l.piece == 0 || l.slot < kEventHeaderSize)
    throw std::invalid_argument("an event layout needs a builder, a slot of at least 64 bytes and a piece");
  if (c.board >= l.boards) throw std::invalid_argument("a board's index must be below their number");
  if (c.fifo == 0 || c.pipeline == 0 || c.busy_at == 0)
    throw std::invalid_argument("a board's fifo, pipeline and busy_at must be at least 1");
  return c;
}

}  // namespace

FragmentFifo::FragmentFifo(const FragmentFifoConfig& config, std::pmr::memory_resource* memory)
    : config_(checked(config)),
      largest_(config.layout.largest()),
      readout_(config.pipeline, memory),
      to_send_(config.fifo, memory),
      free_(config.fifo, memory),
      places_(config.fifo, memory) {
  for (std::uint32_t place = 0; place < config.fifo; ++place) free_.push(place);
}

void FragmentFifo::trigger(const Trigger& t, std::uint32_t bytes, std::uint16_t flags) {
  advance(t.time);
  ++counts_.triggers;
  if (t.time < window_end_) flags |= kOverlaps;
  window_end_ = saturating_add(t.time, config_.window);
  if (readout_.full()) {
    ++counts_.lost_in_readout;
    return lose();
  }
  readout_.push({saturating_add(window_end_, config_.readout_delay), t, bytes, flags});
}

void FragmentFifo::advance(Time now) {
  while (next_ready() <= now && !readout_.empty()) {
    const Readout ready = readout_.front();
    readout_.pop();
    enter(ready);
  }
}

void FragmentFifo::lose() { ++counts_.lost; }

void FragmentFifo::enter(const Readout& r) {
  if (free_.empty()) return lose();
  const std::uint32_t place = free_.front();
  free_.pop();
  Place& p = places_[place];
  p = {.event = r.trigger.event,
       .time = time_after(config_.origin, r.trigger.time),
       .total = std::min(r.bytes, largest_),
       .lost = static_cast<std::uint32_t>(std::min<std::uint64_t>(counts_.lost, UINT32_MAX)),
       .flags = r.flags,
       .type = r.trigger.type};
  p.incomplete = config_.layout.pieces_of(p.total);
  if (r.bytes > largest_) {
    p.flags |= kCut;
    ++counts_.cut;
  }
  if (p.incomplete > 1) p.flags |= kSegmented;
  if (p.lost != 0) p.flags |= kThrottled;
  to_send_.push(place);
  ++counts_.entered;
  counts_.most = std::max(counts_.most, ++used_);
  if (used_ == config_.busy_at) busy_since_ = r.ready;
}

FragmentPiece FragmentFifo::piece() const {
  const std::uint32_t place = to_send_.front();
  const Place& p = places_[place];
  const EventLayout& l = config_.layout;
  return {.place = place,
          .index = p.posted,
          .event = p.event,
          .builder = l.builder_of(p.event),
          .address = l.address_of(p.event, config_.board) + l.piece_address(p.posted),
          .offset = p.posted * l.piece,
          .length = l.piece_length(p.posted, p.total),
          .last = p.posted + 1 == l.pieces_of(p.total)};
}

void FragmentFifo::pop() {
  Place& p = places_[to_send_.front()];
  if (++p.posted == config_.layout.pieces_of(p.total)) to_send_.pop();
}

EventHeader FragmentFifo::header(std::uint32_t place, std::uint32_t index, std::uint32_t payload_crc) const {
  const Place& p = places_[place];
  return {.event = p.event,
          .run = config_.run,
          .flags = p.flags,
          .board = config_.board,
          .type = p.type,
          .kind = config_.kind,
          .time = p.time,
          .length = config_.layout.piece_length(index, p.total),
          .offset = index * config_.layout.piece,
          .total = p.total,
          .channels = config_.channels,
          .samples = config_.samples,
          .lost = p.lost,
          .payload_crc = payload_crc};
}

bool FragmentFifo::complete(std::uint32_t place, Time now, std::uint32_t pieces) {
  advance(now);
  Place& p = places_[place];
  p.incomplete -= std::min(p.incomplete, pieces);
  if (p.incomplete != 0) return false;
  if (used_ == config_.busy_at) counts_.busy_time += now - std::min(now, busy_since_);
  --used_;
  ++counts_.completed;
  free_.push(place);
  return true;
}

}  // namespace softfeb::detector
