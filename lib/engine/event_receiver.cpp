// SPDX-License-Identifier: BSD-3-Clause
#include "engine/event_receiver.hpp"

#include <algorithm>

namespace softfeb::engine {

using detector::EventHeader;
using detector::HeaderVerdict;

namespace {

detector::EventBuilderConfig building_of(const EventReceiverConfig& c) {
  detector::EventBuilderConfig b = c.building;
  b.boards = c.layout.boards;
  b.piece = c.layout.piece;
  b.largest = c.layout.largest();
  b.slots = c.layout.slots;
  b.builders = c.layout.builders;
  b.builder = c.builder;
  return b;
}

}  // namespace

EventReceiver::EventReceiver(const EventReceiverConfig& config, detector::EventSink* sink)
    : config_(config), builder_(building_of(config), sink != nullptr ? sink : config.recorder) {}

Time EventReceiver::run_time(Time now) const {
  const Time began = config_.triggers->began();
  return now - std::min(now, began);
}

void EventReceiver::message(Time now, std::uint32_t board, const roce::MessageEvent& message) {
  ++counts_.messages;
  const auto header = read(board, message);
  if (!header) return;
  const detector::Fragment fragment{
      .event = header->event,
      .board = header->board,
      .offset = header->offset,
      .length = header->length,
      .total = header->total,
      .trigger = detector::time_since(config_.triggers->origin(), header->time)};
  if (config_.recorder == nullptr) {
    builder_.add(run_time(now), fragment);
    return;
  }
  config_.recorder->add(builder_, run_time(now), fragment, *header,
                        bytes_of(message).subspan(detector::kEventHeaderSize));
}

/// Returns the message in memory. The responder has checked the address of the message, unless the message is
/// empty.
ByteSpan EventReceiver::bytes_of(const roce::MessageEvent& message) const {
  const std::uint64_t offset = message.length == 0 ? 0 : message.address - config_.address;
  return {config_.memory + offset, message.length};
}

/// Returns the header of a message. If the header cannot be trusted, counts the reason and returns nullopt.
std::optional<EventHeader> EventReceiver::read(std::uint32_t board, const roce::MessageEvent& message) {
  if (!message.has_immediate) {
    ++counts_.no_immediate;
    return std::nullopt;
  }
  const ByteSpan bytes = bytes_of(message);
  EventHeader header;
  const HeaderVerdict verdict =
      config_.expected != nullptr ? read_event_header_only(bytes, header) : read_event_header(bytes, header);
  counts_.header.add(verdict);
  if (verdict != HeaderVerdict::kOk) return std::nullopt;
  if (header.board != board) {
    ++counts_.wrong_source;
  } else if (static_cast<std::uint32_t>(header.event) != message.immediate) {
    ++counts_.wrong_immediate;
  } else if (!in_place(header, message.address)) {
    ++counts_.wrong_address;
  } else if (config_.expected != nullptr &&
             compare_payload(*config_.expected, header, bytes.subspan(detector::kEventHeaderSize)).any()) {
    ++counts_.wrong_payload;
  } else {
    return header;
  }
  return std::nullopt;
}

bool EventReceiver::in_place(const EventHeader& header, std::uint64_t address) const {
  const detector::EventLayout& l = config_.layout;
  const std::uint64_t slot = config_.address + l.address_of(header.event, header.board);
  const std::uint64_t piece = l.piece_address(header.offset / l.piece);
  return address >= slot && address - slot == piece && piece < l.slot;
}

void EventReceiver::advance(Time now) {
  if (config_.triggers->began() != kNever) builder_.advance(run_time(now));
}

void EventReceiver::finish(Time now, std::uint64_t sent) { builder_.finish(run_time(now), sent); }

}  // namespace softfeb::engine
