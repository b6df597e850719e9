// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/rings.hpp"
#include "latency/stage_table.hpp"

#include <atomic>
#include <cstdint>

namespace softfeb::dataplane {

class TscClock;

/// The stamps of one worker, which pass through a ring to the control thread. Stamps for which the ring has
/// no room are dropped and counted.
class RingStamps final : public latency::Stamps {
 public:
  static constexpr std::size_t kRoom = 1U << 15;

  explicit RingStamps(std::uint32_t sample) : Stamps(latency::Sampling(sample)), ring_(kRoom) {}

  /// Sets the clock of the worker that calls put(). `clock` must outlive this object. Call before the worker
  /// starts.
  void set_clock(const TscClock& clock) { clock_ = &clock; }

  void put(latency::MessageKey key, latency::Stage stage, Time at) override;
  Time clock(Time now) override;

  /// Control thread: passes all stamps to `table`.
  void drain(latency::StageTable& table);

 private:
  struct Stamp {
    latency::MessageKey key = 0;
    Time at = 0;
    latency::Stage stage = latency::Stage::kTriggered;
  };

  SpscRing<Stamp> ring_;
  std::atomic<std::uint64_t> lost_{0};  ///< written by the worker only
  std::uint64_t lost_seen_ = 0;
  const TscClock* clock_ = nullptr;
};

}  // namespace softfeb::dataplane
