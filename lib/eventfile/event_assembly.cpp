// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/event_assembly.hpp"

#include "detector/waveform_codec.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace softfeb::eventfile {

EventAssembly::EventAssembly(const EventFileConfig& config)
    : piece_(config.piece),
      channels_(config.channels),
      samples_(config.samples),
      most_held_(config.held),
      most_open_(config.open_events),
      waveforms_(std::size_t{config.boards} * config.channels * config.samples) {}

void EventAssembly::add(const detector::EventHeader& header, ByteSpan payload) {
  const std::size_t bytes = payload.size() + sizeof(Piece);
  if (held_ + bytes > most_held_) return;
  held_ += bytes;
  Open& open = find_or_open(header.event)->second;
  open.pieces.push_back({header, open.bytes.size()});
  open.bytes.insert(open.bytes.end(), payload.begin(), payload.end());
}

EventAssembly::OpenEvents::iterator EventAssembly::find_or_open(std::uint64_t event) {
  const auto found = open_.find(event);
  if (found != open_.end()) return found;
  // If more events are open than the builder's window allows, the record that closes the oldest event did not
  // fit in the queue. That event would never close here, so drop it.
  if (open_.size() >= most_open_) release(open_.begin());
  Open open;
  if (!spare_.empty()) {
    open = std::move(spare_.back());
    spare_.pop_back();
  }
  return open_.emplace(event, std::move(open)).first;
}

void EventAssembly::release(OpenEvents::iterator i) {
  constexpr std::size_t kMostSpare = 16;
  Open& open = i->second;
  held_ -= open.bytes.size() + open.pieces.size() * sizeof(Piece);
  open.pieces.clear();
  open.bytes.clear();
  if (spare_.size() < kMostSpare) spare_.push_back(std::move(open));
  open_.erase(i);
}

bool EventAssembly::close(const ClosedRecord& closed) {
  const auto found = open_.find(closed.event);
  if (found == open_.end()) return false;
  const bool all = found->second.pieces.size() == closed.pieces;
  if (all) lay_out(closed, found->second);
  release(found);
  return all;
}

void EventAssembly::lay_out(const ClosedRecord& closed, Open& open) {
  std::sort(open.pieces.begin(), open.pieces.end(), [](const Piece& a, const Piece& b) {
    return std::pair(a.header.board, a.header.offset) < std::pair(b.header.board, b.header.offset);
  });
  fragments_.clear();
  data_.clear();
  std::fill(waveforms_.begin(), waveforms_.end(), detector::kNoSample);
  for (auto first = open.pieces.begin(); first != open.pieces.end();) {
    const auto end = std::find_if(first, open.pieces.end(),
                                  [&](const Piece& p) { return p.header.board != first->header.board; });
    add_board({first, end}, open.bytes);
    first = end;
  }
  const detector::EventHeader& header = open.pieces.front().header;
  event_ = {.event = closed.event,
            .seconds = header.time.seconds,
            .quarter_ns = header.time.quarter_ns,
            .latency_ns = closed.latency_ns,
            .first_fragment = 0,
            .fragments = static_cast<std::uint32_t>(fragments_.size()),
            .boards = closed.boards,
            .type = static_cast<std::uint8_t>(header.type),
            .status = closed.status};
}

/// Adds the data of one board to the event. `pieces` contains the board's pieces, sorted by offset. Missing
/// pieces become zeros in the data.
void EventAssembly::add_board(std::span<const Piece> pieces, const std::vector<std::uint8_t>& bytes) {
  const detector::EventHeader& header = pieces.front().header;
  const std::uint32_t wanted = header.total == 0 ? 1 : (header.total - 1) / piece_ + 1;
  FragmentRow row{.event = header.event,
                  .offset = data_.size(),
                  .length = header.total,
                  .missing_pieces = wanted - static_cast<std::uint32_t>(pieces.size()),
                  .board = header.board,
                  .flags = header.flags,
                  .kind = static_cast<std::uint8_t>(header.kind)};
  if (row.missing_pieces != 0) row.status = static_cast<std::uint8_t>(FragmentStatus::kPiecesMissing);
  data_.resize(data_.size() + header.total);
  for (const Piece& p : pieces)
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(p.at), p.header.length,
                data_.begin() + static_cast<std::ptrdiff_t>(row.offset + p.header.offset));
  fragments_.push_back(row);
  if (!waveforms_.empty() && row.missing_pieces == 0) decode(row, header);
}

void EventAssembly::decode(const FragmentRow& row, const detector::EventHeader& header) {
  if (header.channels != channels_ || header.samples != samples_) return;
  const std::size_t size = std::size_t{channels_} * samples_;
  const std::span<std::uint16_t> out = std::span(waveforms_).subspan(row.board * size, size);
  const ByteSpan payload = ByteSpan(data_).subspan(row.offset, row.length);
  if (!detector::decode_waveforms(header.kind, payload, channels_, samples_, out.data()))
    std::fill(out.begin(), out.end(), detector::kNoSample);
}

std::size_t EventAssembly::file_bytes() const {
  return data_.size() + waveforms_.size() * sizeof(std::uint16_t) + fragments_.size() * sizeof(FragmentRow) +
         sizeof(EventRow);
}

}  // namespace softfeb::eventfile
