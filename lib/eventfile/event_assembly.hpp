// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/event_header.hpp"
#include "eventfile/event_file_config.hpp"
#include "eventfile/event_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace softfeb::eventfile {

/// A closed event, as the builder's thread reports it.
struct ClosedRecord {
  std::uint64_t event = 0;
  std::int64_t latency_ns = -1;
  std::uint32_t pieces = 0;  ///< number of accepted pieces
  std::uint16_t boards = 0;  ///< number of boards whose pieces have all arrived
  std::uint8_t status = 0;
};

/// Collects the fragments of open events. When an event closes, formats it for the file.
class EventAssembly {
 public:
  explicit EventAssembly(const EventFileConfig& config);

  /// Stores a fragment. If it does not fit in the memory for open events (EventFileConfig::held), drops it.
  /// Its event is then not written.
  void add(const detector::EventHeader& header, ByteSpan payload);
  /// Formats the event for the file. If fragments that the builder accepted are missing, returns false and
  /// drops the event.
  bool close(const ClosedRecord& closed);
  /// Number of bytes that the event formatted last needs in the file.
  std::size_t file_bytes() const;

  /// The event formatted last. Row numbers and offsets are relative to the first row and the first byte of
  /// this event.
  const EventRow& event() const { return event_; }
  std::span<FragmentRow> fragments() { return fragments_; }
  ByteSpan data() const { return data_; }
  std::span<const std::uint16_t> waveforms() const { return waveforms_; }

 private:
  struct Piece {
    detector::EventHeader header;
    std::size_t at = 0;  ///< position in Open::bytes
  };
  struct Open {
    std::vector<Piece> pieces;
    std::vector<std::uint8_t> bytes;
  };
  using OpenEvents = std::map<std::uint64_t, Open>;

  OpenEvents::iterator find_or_open(std::uint64_t event);
  void release(OpenEvents::iterator i);
  void lay_out(const ClosedRecord& closed, Open& open);
  void add_board(std::span<const Piece> pieces, const std::vector<std::uint8_t>& bytes);
  void decode(const FragmentRow& row, const detector::EventHeader& header);

  std::uint32_t piece_;
  std::uint16_t channels_;
  std::uint16_t samples_;
  std::size_t most_held_;
  std::size_t most_open_;
  std::size_t held_ = 0;
  OpenEvents open_;
  std::vector<Open> spare_;  ///< closed events whose memory is reused
  EventRow event_;
  std::vector<FragmentRow> fragments_;
  std::vector<std::uint8_t> data_;
  std::vector<std::uint16_t> waveforms_;
};

}  // namespace softfeb::eventfile
