// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/trigger_bus.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::dataplane {

/// One sequence of triggers for the boards of several workers, in real time.
///
/// A candidate is a trigger of one source that may still be vetoed. The worker that first finds that a
/// candidate is due judges it, that is, accepts or vetoes the candidate. The other workers find the accepted
/// trigger in memory. While one worker judges, the others continue, and look again in their next iteration.
/// Only end() waits for another worker.
///
/// Each call of advance() accepts at most one trigger, so that a board that this trigger makes busy can veto
/// the next trigger, even if workers run late. The veto covers the candidates that are judged after the board
/// has reported that it is busy.
class SharedTriggers final : public engine::TriggerFeed {
 public:
  /// Throws std::invalid_argument, see detector::TriggerSource.
  explicit SharedTriggers(const engine::TriggerBusConfig& config);

  void begin(Time at, detector::EventTime origin) override;
  Time began() const override { return began_.load(std::memory_order_acquire); }
  detector::EventTime origin() const override { return origin_; }
  /// Judges candidates before `now`, or before the latest `now` of any worker, until one is accepted. Does
  /// nothing while another worker judges. Call again while next() is before `now`.
  void advance(Time now) override;
  Time next() const override { return next_.load(std::memory_order_acquire); }
  bool over() const override { return began() != kNever && next() == kNever; }
  void end(Time at) override;
  std::uint64_t accepted() const override { return accepted_.load(std::memory_order_acquire); }
  std::uint64_t oldest() const override;
  detector::Trigger trigger(std::uint64_t event) const override;
  void report(std::uint32_t board, bool busy, Time now) override;
  Time busy_time(Time now) const override { return bus_.busy_time(now); }
  std::span<const detector::TriggerCounts> counts() const override { return bus_.counts(); }

 private:
  static constexpr std::uint64_t kKept = engine::TriggerBus::kKept;

  struct Slot {
    std::atomic<Time> time{0};
    std::atomic<detector::EventType> type{};
  };

  bool try_lock() { return !judging_.test_and_set(std::memory_order_acquire); }
  void unlock() { judging_.clear(std::memory_order_release); }
  // These functions require the lock.
  void take_reports(Time now);
  void judge(Time now);
  void publish();

  engine::TriggerBus bus_;  ///< guarded by `judging_`
  Time latest_ = 0;         ///< latest `now` for which advance() has judged; guarded by `judging_`
  detector::EventTime origin_;
  std::atomic<Time> began_{kNever};
  std::unique_ptr<Slot[]> kept_;
  /// Busy state of each board, as last passed to the bus; guarded by `judging_`.
  std::vector<std::uint8_t> applied_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> busy_;  ///< busy state of each board, as last reported
  alignas(64) std::atomic<std::uint64_t> accepted_{0};
  std::atomic<Time> next_{kNever};
  /// All triggers with numbers below this value may already have been stored. Each of them overwrites the
  /// trigger whose number is lower by kKept.
  std::atomic<std::uint64_t> overwritten_{0};
  std::atomic<std::uint32_t> reports_{0};  ///< number of reports from boards
  /// Number of reports from boards that have been passed to the bus.
  std::atomic<std::uint32_t> reports_seen_{0};
  alignas(64) std::atomic_flag judging_;
};

}  // namespace softfeb::dataplane
