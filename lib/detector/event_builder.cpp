// SPDX-License-Identifier: BSD-3-Clause
#include "detector/event_builder.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::detector {

namespace {

/// Number of pieces that carry `total` bytes. A board without data sends one empty piece.
std::uint32_t pieces_of(std::uint32_t total, std::uint32_t piece) {
  return total == 0 ? 1 : (total - 1) / piece + 1;
}

const EventBuilderConfig& checked(const EventBuilderConfig& c) {
  if (c.boards == 0 || c.piece == 0 || c.window == 0)
    throw std::invalid_argument("an event builder's boards, piece and window must be at least 1");
  if (c.builder >= c.builders)
    throw std::invalid_argument("an event builder's index must be below their number");
  return c;
}

std::size_t events_of(const EventBuilderConfig& c) { return std::size_t{c.window} + c.remember; }

}  // namespace

const char* to_string(FragmentVerdict verdict) {
  constexpr const char* kNames[kFragmentVerdicts] = {
      "accepted",        "duplicate",          "late",          "stale", "rejected_board", "rejected_event",
      "rejected_bounds", "rejected_alignment", "rejected_total"};
  return kNames[static_cast<std::size_t>(verdict)];
}

const char* to_string(EventStatus status) {
  constexpr const char* kNames[kEventStatuses] = {"complete", "timeout", "pressure", "end"};
  return kNames[static_cast<std::size_t>(status)];
}

std::uint32_t ClosedEvent::pieces(std::uint32_t board) const { return pieces_of(total(board), piece_); }

bool ClosedEvent::whole(std::uint32_t board) const {
  return arrived(board) && table_->board(index_, board).arrived == pieces(board);
}

EventBuilder::EventBuilder(const EventBuilderConfig& config, EventSink* sink,
                           std::pmr::memory_resource* memory)
    : config_(checked(config)),
      sink_(sink),
      piece_(config.piece),
      builders_(config.builders),
      table_(events_of(config), config.boards, pieces_of(config.largest, config.piece), memory),
      slots_(config.slots, kNone, memory),
      unseen_(events_of(config), config.unseen_ranges, memory),
      latencies_(config.exact_latencies, memory) {}

Time EventBuilder::tick(Time now) {
  if (now < now_) ++counts_.clock_steps;
  return now_ = std::max(now_, now);
}

Time EventBuilder::deadline() const {
  const Index i = open_.oldest();
  return i == kNone ? kNever : saturating_add(table_.event(i).first, config_.timeout);
}

void EventBuilder::advance(Time now) {
  now = tick(now);
  while (open_.size() != 0 && deadline() <= now) close(open_.oldest(), deadline(), EventStatus::kTimeout);
}

FragmentVerdict EventBuilder::add(Time now, const Fragment& f) {
  advance(now);
  ++counts_.fragments;
  const FragmentVerdict verdict = judge(f);
  ++counts_.by_verdict[static_cast<std::size_t>(verdict)];
  return verdict;
}

FragmentVerdict EventBuilder::judge(const Fragment& f) {
  const FragmentVerdict bounds = check_bounds(f);
  if (bounds != FragmentVerdict::kAccepted) return bounds;
  Index i = table_.find(f.event);
  if (i != kNone && !table_.event(i).open) return add_to_closed(i, f);
  if (i == kNone) {
    if (stale(f.event)) return FragmentVerdict::kStale;
    make_room(f.event);
    // If make_room() closes an event, the builder may forget a closed event with a higher number than
    // f.event. The fragment is then stale.
    if (stale(f.event)) return FragmentVerdict::kStale;
    i = open(f.event);
  }
  return add_to_open(i, f);
}

FragmentVerdict EventBuilder::check_bounds(const Fragment& f) const {
  if (f.board >= config_.boards) return FragmentVerdict::kRejectedBoard;
  if (f.event - builders_.quotient(f.event) * config_.builders != config_.builder)
    return FragmentVerdict::kRejectedEvent;
  if (std::uint64_t{f.offset} + f.length > f.total || f.total > config_.largest)
    return FragmentVerdict::kRejectedBounds;
  const bool aligned = piece_.quotient(f.offset) * config_.piece == f.offset;
  if (!aligned || f.length != std::min(config_.piece, f.total - f.offset) || (f.length == 0 && f.total != 0))
    return FragmentVerdict::kRejectedAlignment;
  return FragmentVerdict::kAccepted;
}

FragmentVerdict EventBuilder::add_to_closed(Index i, const Fragment& f) const {
  const auto piece = static_cast<std::uint32_t>(piece_.quotient(f.offset));
  return table_.has(i, f.board, piece) ? FragmentVerdict::kDuplicate : FragmentVerdict::kLate;
}

FragmentVerdict EventBuilder::add_to_open(Index i, const Fragment& f) {
  EventTable::Board& board = table_.board(i, f.board);
  if (board.arrived != 0 && board.total != f.total) return FragmentVerdict::kRejectedTotal;
  const auto piece = static_cast<std::uint32_t>(piece_.quotient(f.offset));
  if (table_.has(i, f.board, piece)) return FragmentVerdict::kDuplicate;
  table_.set(i, f.board, piece);
  board.total = f.total;
  ++board.arrived;
  counts_.bytes += f.length;
  if (board.arrived == pieces_of(f.total, config_.piece) && ++table_.event(i).whole == config_.boards)
    complete(i, f.trigger);
  return FragmentVerdict::kAccepted;
}

EventBuilder::Index* EventBuilder::slot(std::uint64_t event) {
  return slots_.empty() ? nullptr : &slots_[builders_.quotient(event) % slots_.size()];
}

void EventBuilder::make_room(std::uint64_t event) {
  const Index* const occupied = slot(event);
  if (occupied != nullptr && *occupied != kNone) {
    close(*occupied, now_, EventStatus::kPressure);
  } else if (open_.size() == config_.window) {
    close(open_.oldest(), now_, EventStatus::kPressure);
  }
}

EventBuilder::Index EventBuilder::open(std::uint64_t event) {
  const Index i = table_.insert(event, now_);
  open_.append(table_, i);
  if (Index* const s = slot(event)) *s = i;
  unseen_.add_seen(builders_.quotient(event));
  highest_ = std::max(highest_, event);
  ++counts_.opened;
  return i;
}

void EventBuilder::complete(Index i, Time trigger) {
  if (trigger > now_) ++counts_.early;
  latencies_.add(now_ - std::min(now_, trigger));
  close(i, now_, EventStatus::kComplete);
}

void EventBuilder::close(Index i, Time at, EventStatus status) {
  EventTable::Event& event = table_.event(i);
  event.open = false;
  open_.remove(table_, i);
  if (Index* const s = slot(event.number)) *s = kNone;
  ++counts_.by_status[static_cast<std::size_t>(status)];
  if (sink_ != nullptr) sink_->on_closed(ClosedEvent(table_, i, config_.piece, status, at));
  closed_.append(table_, i);
  if (closed_.size() > config_.remember) forget_oldest();
}

void EventBuilder::forget_oldest() {
  const Index i = closed_.oldest();
  const std::uint64_t number = table_.event(i).number;
  closed_.remove(table_, i);
  table_.erase(i);
  if (stale(number)) return;
  horizon_ = number;
  unseen_.advance(builders_.quotient(number));
}

void EventBuilder::finish(Time now, std::optional<std::uint64_t> sent) {
  advance(now);
  while (open_.size() != 0) close(open_.oldest(), now_, EventStatus::kEnd);
  if (!sent) sent = counts_.opened == 0 ? 0 : saturating_add(highest_, 1);
  // Number of events that this builder builds from the first `sent` triggers.
  const std::uint64_t own =
      *sent <= config_.builder ? 0 : builders_.quotient(*sent - config_.builder - 1) + 1;
  unseen_.finish(own);
}

}  // namespace softfeb::detector
