// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/event_recorder.hpp"
#include "options.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::eventfile {
class EventFile;
}

namespace softfeb::sink {

/// Ways in which the intact header of a message can contradict its immediate, its QP or its address.
enum class Contradiction : std::uint8_t { kEvent, kBoard, kOffset };
inline constexpr std::size_t kContradictions = 3;

/// Builds events from completed WRITEs with immediate. Each WRITE carries one piece of a board's data for an
/// event. The immediate of a completion contains the low 32 bits of the event number, and the QP identifies
/// the board. The layout then determines where the message is. A faulty peer may write at any time, so a
/// message is copied before it is checked. Sans-I/O: the time since `origin` is an argument.
class EventReceiver {
 public:
  /// `memory` must have the size that the layout requires. `memory` and `file`, which may be null, must
  /// outlive this object. The builder's times count from `origin`. Throws std::invalid_argument if the
  /// options are inconsistent.
  EventReceiver(const EventOptions& options, ByteSpan memory, detector::EventTime origin,
                eventfile::EventFile* file);

  /// Handles the completion of a WRITE of `length` bytes with this immediate on the board's QP. `board` must
  /// be below the number of boards.
  void on_message(Time now, std::uint32_t board, std::uint32_t immediate, std::uint32_t length);
  /// Closes the events whose timeout expires at or before `now`.
  void advance(Time now) { builder_.advance(now); }
  /// Ends the run: closes all events and the file. `sent` is the number of triggers, if known. Call once,
  /// after all other calls.
  void finish(Time now, std::optional<std::uint64_t> sent);

  /// Returns the object `events` of the report (doc/rdma-sink.md). Call after finish().
  nlohmann::json report();
  /// Describes the checks that failed. Call after finish().
  std::vector<std::string> problems() const;

  const detector::EventBuilder& builder() const { return builder_; }
  const detector::HeaderCounts& headers() const { return headers_; }
  std::uint64_t contradictions(Contradiction c) const { return contradictions_[static_cast<std::size_t>(c)]; }
  /// Returns the share of incomplete events among all events. An event of which no message arrived counts as
  /// incomplete if the builder knows from other events or from the number of triggers that it existed.
  double loss() const;

 private:
  /// Passes accepted fragments and closed events to the file, and lists the first incomplete events.
  class Recorder final : public detector::EventRecorder {
   public:
    explicit Recorder(eventfile::EventFile* file) : file_(file) {}
    const nlohmann::json& incomplete() const { return incomplete_; }

   private:
    void record_fragment(const detector::EventHeader& header, ByteSpan payload) override;
    void record_closed(const detector::ClosedEvent& event, std::optional<Time> latency) override;

    eventfile::EventFile* file_;
    nlohmann::json incomplete_ = nlohmann::json::array();
  };
  struct Progress {
    std::uint64_t accepted = 0;  ///< number of the last event for which a message passed all checks
    std::uint64_t event = 0;     ///< number of the event to which the last message belongs
    std::uint32_t piece = 0;     ///< index of the piece that is expected next in this event
  };

  std::uint32_t find_piece(std::uint64_t event, std::uint32_t board, std::uint32_t length);
  bool holds(std::uint64_t event, std::uint32_t board, std::uint32_t piece, std::uint32_t length);
  ByteSpan copy_message(std::uint64_t event, std::uint32_t board, std::uint32_t piece, std::uint32_t length);
  std::optional<Contradiction> find_contradiction(const detector::EventHeader& header, std::uint64_t event,
                                                  std::uint32_t board, std::uint32_t piece) const;
  nlohmann::json report_latency();
  nlohmann::json report_file() const;
  nlohmann::json report_never_seen() const;

  EventOptions options_;
  ByteSpan memory_;
  detector::EventTime origin_;
  eventfile::EventFile* file_;
  Recorder recorder_;
  detector::EventBuilder builder_;
  std::vector<Progress> progress_;  ///< progress of each board
  std::vector<std::uint8_t> message_;
  detector::HeaderCounts headers_;
  std::array<std::uint64_t, kContradictions> contradictions_{};
};

}  // namespace softfeb::sink
