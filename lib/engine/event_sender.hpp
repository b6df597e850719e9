// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/event_payload.hpp"
#include "detector/fragment_fifo.hpp"
#include "detector/ring.hpp"
#include "engine/trigger_feed.hpp"
#include "roce/payload.hpp"
#include "roce/work.hpp"

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

namespace softfeb::engine {

class MessageTriggers;

/// The event data of a board. The board's first `fifo.layout.builders` queue pairs send the data: queue pair
/// i writes to builder i. The traffic of these queue pairs has no messages of its own, and their send queues
/// need send_queue_needed() entries.
struct EventSenderConfig {
  detector::FragmentFifoConfig fifo;
  std::uint32_t pmtu = 4096;                        ///< path MTU of the queue pairs, in bytes
  const detector::EventPayload* payload = nullptr;  ///< must outlive the board
  TriggerFeed* triggers = nullptr;                  ///< must outlive the board
  /// The same object as `triggers` if the triggers arrive as messages; otherwise null.
  MessageTriggers* messages = nullptr;
  /// Index of the board among the boards with these triggers. The board uses this index to report to
  /// `triggers` whether it is busy. If this is empty, the board does not report.
  std::optional<std::uint32_t> reports_as;
};

/// Turns triggers into WRITEs of event data, and provides the bytes of these WRITEs.
///
/// The payload offset of a WRITE identifies its piece: the upper 32 bits contain the index of the piece, the
/// lower 32 bits the offset in the message. The first packet of a piece contains the header and payload. This
/// packet is assembled in separate memory, and stays there until the WRITE has completed. The other packets
/// refer to the payload. No memory is allocated per event.
class EventSender final : public roce::PayloadStream {
 public:
  /// A board is late if it takes a trigger more than this time after the trigger's fragment should have been
  /// ready.
  static constexpr Time kLate = 100 * kMicrosecond;

  explicit EventSender(const EventSenderConfig& config);

  /// Number of entries that the send queue of each queue pair needs.
  static std::uint32_t send_queue_needed(const detector::FragmentFifoConfig& fifo);

  /// Sets the memory region, at `address` with the key `rkey`, of builder `i` at its receiver. Call for each
  /// builder before start().
  void set_region(std::uint32_t i, std::uint64_t address, std::uint32_t rkey) {
    builders_[i].address = address;
    builders_[i].rkey = rkey;
  }
  /// Starts the sender at `now`. It sends event data for all triggers since traffic began, even if `now` is
  /// later than the start of traffic.
  void start(Time now);
  /// Ignores all triggers from `now` on. The events of earlier triggers are still sent.
  void stop(Time now);
  /// Discards the fragments that have not been posted.
  void drop();
  /// True after drop(). Otherwise, true if the WRITEs of all fragments have completed, and no more will
  /// follow because the board was stopped or there are no more triggers.
  bool finished() const;

  /// Starts the readout for the triggers before `now`, and moves the fragments that are ready to the FIFO.
  void advance(Time now);
  bool has_piece() const { return !dropped_ && fifo_.has_piece(); }
  /// Builder of the next piece, which is also the number of the queue pair for this piece. Requires
  /// has_piece().
  std::uint32_t builder() const { return fifo_.piece().builder; }
  /// Time of the trigger of the next piece, as in the piece's header. Requires has_piece().
  Time triggered() const;
  /// Removes the next piece and returns its work request, which must be posted to queue pair builder() (as
  /// returned before this call). Requires has_piece().
  roce::WorkRequest take();
  /// Call whenever queue pair `i` may have completed requests. `completed` is the number of requests it has
  /// completed so far.
  void completed(std::uint32_t i, std::uint64_t completed, Time now);
  /// Lower bound on the time at which a piece will be ready; kNever if none is known.
  Time next_event() const;

  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override;
  /// True if `bytes` points to memory that is reused after the WRITE has completed. A WRITE over UC completes
  /// when its last packet is sent, so packets must contain a copy of such memory instead of referring to it.
  bool reuses(const std::uint8_t* bytes) const {
    return bytes >= first_packets_.data() && bytes < first_packets_.data() + first_packets_.size();
  }

  const detector::FragmentFifo& fifo() const { return fifo_; }
  /// Total time for which the board has been busy up to `now`.
  Time busy_time(Time now) const;
  /// The triggers, if they arrive as messages; otherwise null.
  MessageTriggers* messages() const { return messages_; }
  /// Number of triggers that were no longer stored when the board asked for them.
  std::uint64_t missed() const { return missed_; }
  /// Number of triggers that the board took late, that is, more than kLate after their fragments should have
  /// been ready.
  std::uint64_t late() const { return late_; }

 private:
  struct Piece {
    std::uint64_t event = 0;
    std::uint32_t offset = 0;  ///< offset of the piece's payload in the board's data
  };
  struct Builder {
    explicit Builder(std::size_t pieces) : places(pieces, std::pmr::new_delete_resource()) {}
    std::uint64_t address = 0;
    std::uint32_t rkey = 0;
    std::uint64_t posted = 0;
    std::uint64_t completed = 0;
    detector::Ring<std::uint32_t> places;  ///< FragmentPiece::place of each piece, in the order of posting
  };

  std::uint8_t* first_packet(std::uint32_t id) { return first_packets_.data() + std::size_t{id} * pmtu_; }
  void write_first_packet(std::uint32_t id, const detector::FragmentPiece& piece);
  void take_triggers(Time now);
  void take_trigger(std::uint64_t i, Time now);
  void report(Time now);
  /// Converts `now` to the time of the FIFO, which counts from the start of traffic.
  Time run_time(Time now) const { return now - began_; }

  detector::FragmentFifo fifo_;
  std::uint32_t pmtu_;
  const detector::EventPayload* payload_;
  TriggerFeed* triggers_;
  MessageTriggers* messages_;
  std::optional<std::uint32_t> reports_as_;
  std::uint32_t pieces_per_place_;
  std::vector<Piece> pieces_;
  std::vector<std::uint8_t> first_packets_;
  std::vector<Builder> builders_;
  Time delay_;                      ///< time from a trigger until its fragment is ready
  Time began_ = 0;                  ///< start of traffic
  std::uint64_t next_trigger_ = 0;  ///< number of the next trigger to take
  std::uint64_t missed_ = 0;
  std::uint64_t late_ = 0;
  bool started_ = false;
  bool stopped_ = false;
  bool dropped_ = false;
  bool busy_ = false;  ///< busy state that was reported last
};

}  // namespace softfeb::engine
