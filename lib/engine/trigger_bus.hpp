// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/camera_busy.hpp"
#include "engine/trigger_feed.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace softfeb::engine {

struct TriggerBusConfig {
  std::vector<detector::TriggerSourceConfig> sources;
  Time dead_time = 0;
  std::uint32_t boards = 0;  ///< number of boards that report their busy state
  Time busy_delay = kMicrosecond;
};

/// Distributes the triggers of one sequence to the boards of a detector. Combines the busy states of the
/// boards into a veto, which suppresses triggers of the sequence. In virtual time, all boards share one bus.
///
/// A candidate is a trigger that may still be vetoed. The first call of advance() or report() with a time
/// after the candidate decides whether the candidate is accepted or vetoed. All changes of busy states up to
/// the candidate must have been reported before this call, so boards must report each change when it happens.
/// The times of successive calls must not decrease. Sans-I/O; only the constructor allocates.
class TriggerBus final : public TriggerFeed {
 public:
  /// Throws std::invalid_argument if a trigger source is invalid, see detector::TriggerSource.
  explicit TriggerBus(const TriggerBusConfig& config);

  /// Number of triggers that are stored.
  static constexpr std::uint64_t kKept = 4096;

  void begin(Time at, detector::EventTime origin = {}) override {
    begin_ = at;
    origin_ = origin;
  }
  Time began() const override { return begin_; }
  detector::EventTime origin() const override { return origin_; }

  void advance(Time now) override;
  /// Time of the next candidate, which may be vetoed; kNever if there are no more.
  Time next() const override;
  bool over() const override { return begin_ != kNever && next() == kNever; }
  void end(Time at) override;
  /// Number of accepted triggers, which is also the number of the next event.
  std::uint64_t accepted() const override { return sequence_.accepted(); }
  std::uint64_t oldest() const override { return accepted() < kKept ? 0 : accepted() - kKept; }
  detector::Trigger trigger(std::uint64_t event) const override { return kept_[event % kKept]; }

  void report(std::uint32_t board, bool busy, Time now) override;
  Time busy_time(Time now) const override;
  std::span<const detector::TriggerCounts> counts() const override { return sequence_.counts(); }

 private:
  Time since_begin(Time now) const { return now - begin_; }

  detector::TriggerSequence sequence_;
  detector::CameraBusy busy_;
  std::vector<detector::Trigger> kept_;
  Time begin_ = kNever;
  Time end_ = kNever;
  detector::EventTime origin_;
};

}  // namespace softfeb::engine
