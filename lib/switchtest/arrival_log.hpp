// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stage_histogram.hpp"
#include "roce/frame.hpp"
#include "switchtest/frame_writer.hpp"
#include "switchtest/missing_list.hpp"
#include "switchtest/trial.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// The arrivals at one port in a trial. Allocates only in prepare().
class ArrivalLog {
 public:
  /// Maximum numbers of arrivals and of pause frames that are recorded at a port. If more arrivals must be
  /// recorded, the trial is void (TrialResult::void_reason). If more pause frames arrive, the trial is void
  /// only if Trial::all_pauses is true.
  static constexpr std::size_t kMostArrivals = 1U << 21;
  static constexpr std::size_t kMostPauses = 1U << 16;

  /// Prepares the log of `port` for a trial with the id `id`, which starts at `start`. Because clock readings
  /// are not exact, a frame may seem to arrive before it departed. If the difference is at most
  /// `clock_error`, the delay of the frame counts as 0.
  void prepare(const Trial& trial, std::uint16_t port, std::uint16_t id, Time start, Time clock_error = 0);
  struct Taken {
    std::uint16_t kind = 0;
    std::uint64_t sequence = 0;
    bool marked = false;  ///< whether the frame is marked CE
  };
  /// Records a frame whose last bit arrived at `at`. Returns the frame if it is for this port, intact and not
  /// a duplicate.
  std::optional<Taken> take(const roce::ParsedFrame& frame, Time at);
  void take_foreign() { ++foreign_; }
  void take_pause(const roce::MacControl& control, Time at);
  /// Adds the counts of this port to `out`, whose vectors must already have their final sizes.
  void collect(TrialResult& out) const;

 private:
  /// Detects duplicates among the frames of one kind. Remembers which of the kSize sequence numbers up to the
  /// highest one so far have arrived.
  class Window {
   public:
    /// Returns false for a duplicate. Sequence numbers that are too low to be remembered count as new.
    bool add(std::uint64_t sequence);

   private:
    static constexpr std::size_t kSize = 1U << 14;
    std::bitset<kSize> seen_;
    std::uint64_t end_ = 0;  ///< one more than the highest sequence number
  };
  struct Track {
    KindStats stats;
    std::unique_ptr<Window> window;  ///< null if frames of this kind are for another port
    std::uint64_t next = 0;          ///< one more than the highest sequence number so far
    Time last_delay = 0;
  };

  static std::uint64_t whole_sequence(const FrameMark& mark, std::uint64_t next);
  void record(const roce::ParsedFrame& frame, const FrameMark& mark, std::uint64_t sequence, Time departed,
              Time at, bool intact);
  void note_order(std::uint16_t kind, std::uint64_t sequence, Time departed);
  void count(Track& track, std::uint64_t sequence, Time delay, Time at);

  const Trial* trial_ = nullptr;
  std::uint16_t port_ = 0;
  std::uint16_t id_ = 0;
  Time start_ = 0;
  Time clock_error_ = 0;
  std::vector<Track> tracks_;
  std::vector<Arrival> arrivals_;
  std::vector<PauseSeen> pauses_;
  MissingList missing_;
  std::vector<latency::StageHistogram> latency_;
  std::uint64_t foreign_ = 0;
  std::uint64_t unrecorded_ = 0, unrecorded_pauses_ = 0;
};

}  // namespace softfeb::switchtest
