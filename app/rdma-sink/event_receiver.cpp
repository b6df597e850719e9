// SPDX-License-Identifier: BSD-3-Clause
#include "event_receiver.hpp"

#include "eventfile/event_file.hpp"
#include "roce/message_map.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::sink {

namespace {

using namespace detector;
using nlohmann::json;

EventBuilderConfig builder_config(const EventOptions& o) {
  EventBuilderConfig config;
  config.boards = o.layout.boards;
  config.piece = o.layout.piece;
  config.largest = o.layout.largest();
  config.window = o.window;
  config.timeout = o.timeout_us * kMicrosecond;
  config.remember = o.remember;
  config.slots = o.layout.slots;
  config.builders = o.layout.builders;
  config.builder = o.builder;
  return config;
}

/// Returns the ranges of a board's missing pieces; null if nothing arrived from the board.
json missing_pieces(const ClosedEvent& event, std::uint32_t board) {
  if (!event.arrived(board)) return nullptr;
  json ranges = json::array();
  const std::uint32_t end = event.pieces(board);
  for (std::uint32_t at = event.find_missing(board, 0); at < end;) {
    const std::uint32_t present = event.find_present(board, at);
    ranges.push_back({at, present - 1});
    at = event.find_missing(board, present);
  }
  return ranges;
}

}  // namespace

void EventReceiver::Recorder::record_fragment(const EventHeader& header, ByteSpan payload) {
  if (file_ != nullptr) file_->record_fragment(header, payload);
}

void EventReceiver::Recorder::record_closed(const ClosedEvent& event, std::optional<Time> latency) {
  constexpr std::size_t kListed = 20;
  if (file_ != nullptr) file_->record_closed(event, latency);
  if (event.status() == EventStatus::kComplete || incomplete_.size() == kListed) return;
  json missing = json::array();
  for (std::uint32_t b = 0; b < event.boards(); ++b)
    if (!event.whole(b)) missing.push_back({b, missing_pieces(event, b)});
  incomplete_.push_back(
      {{"event", event.event()}, {"status", to_string(event.status())}, {"missing", std::move(missing)}});
}

EventReceiver::EventReceiver(const EventOptions& options, ByteSpan memory, EventTime origin,
                             eventfile::EventFile* file)
    : options_(options),
      memory_(memory),
      origin_(origin),
      file_(file),
      recorder_(file),
      builder_(builder_config(options), &recorder_),
      progress_(options.layout.boards),
      message_(options.layout.slot) {
  if (memory.size() < options.layout.memory())
    throw std::invalid_argument("the memory of the events is too small");
}

void EventReceiver::on_message(Time now, std::uint32_t board, std::uint32_t immediate, std::uint32_t length) {
  Progress& progress = progress_[board];
  const auto event = roce::unwrap_counter(immediate, progress.accepted);
  if (!event || length > options_.layout.slot) {
    ++contradictions_[static_cast<std::size_t>(event ? Contradiction::kOffset : Contradiction::kEvent)];
    return;
  }
  const std::uint32_t piece = find_piece(*event, board, length);
  progress.event = *event;
  progress.piece = piece + 1;
  const ByteSpan message = copy_message(*event, board, piece, length);
  EventHeader header;
  const HeaderVerdict verdict = read_event_header(message, header);
  headers_.add(verdict);
  if (verdict != HeaderVerdict::kOk) return;
  if (const auto wrong = find_contradiction(header, *event, board, piece)) {
    ++contradictions_[static_cast<std::size_t>(*wrong)];
    return;
  }
  progress.accepted = *event;
  const Fragment fragment{header.event,  board,        header.offset,
                          header.length, header.total, time_since(origin_, header.time)};
  recorder_.add(builder_, now, fragment, header, message.subspan(kEventHeaderSize));
}

/// Returns the piece that a completed WRITE carried. The completion does not contain the address of the
/// WRITE. If no message was lost, the WRITE carried the piece that follows the previous one. This expected
/// piece is tried first, and is returned if the header in memory matches no piece.
std::uint32_t EventReceiver::find_piece(std::uint64_t event, std::uint32_t board, std::uint32_t length) {
  const std::uint32_t pieces = options_.layout.pieces_of(options_.layout.largest());
  const Progress& progress = progress_[board];
  const std::uint32_t expected = progress.event == event && progress.piece < pieces ? progress.piece : 0;
  for (std::uint32_t i = 0; i < pieces; ++i) {
    const std::uint32_t piece = (expected + i) % pieces;
    if (holds(event, board, piece, length)) return piece;
  }
  return expected;
}

bool EventReceiver::holds(std::uint64_t event, std::uint32_t board, std::uint32_t piece,
                          std::uint32_t length) {
  EventHeader header;
  return read_event_header_only(copy_message(event, board, piece, length), header) == HeaderVerdict::kOk &&
         !find_contradiction(header, event, board, piece);
}

/// Copies the message of a piece. The copy ends at the end of the slot at the latest, so a wrong length
/// cannot extend it beyond the slot.
ByteSpan EventReceiver::copy_message(std::uint64_t event, std::uint32_t board, std::uint32_t piece,
                                     std::uint32_t length) {
  const EventLayout& layout = options_.layout;
  const std::uint64_t at = std::min<std::uint64_t>(layout.piece_address(piece), layout.slot);
  const ByteSpan slot = memory_.subspan(layout.address_of(event, board), layout.slot);
  const ByteSpan bytes = slot.subspan(at, std::min<std::uint64_t>(length, layout.slot - at));
  std::copy(bytes.begin(), bytes.end(), message_.begin());
  return ByteSpan(message_).first(bytes.size());
}

std::optional<Contradiction> EventReceiver::find_contradiction(const EventHeader& header, std::uint64_t event,
                                                               std::uint32_t board,
                                                               std::uint32_t piece) const {
  if (header.event != event) return Contradiction::kEvent;
  if (header.board != board) return Contradiction::kBoard;
  if (header.offset != std::uint64_t{piece} * options_.layout.piece) return Contradiction::kOffset;
  return std::nullopt;
}

void EventReceiver::finish(Time now, std::optional<std::uint64_t> sent) {
  builder_.finish(now, sent);
  if (file_ != nullptr) file_->finish();
}

}  // namespace softfeb::sink
