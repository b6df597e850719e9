// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/rings.hpp"
#include "dataplane/tsc_clock.hpp"
#include "environment.hpp"
#include "latency/stamps.hpp"

#include <array>

namespace softfeb::bench {

/// Records the times of messages in a ring, as a worker does. There is no control thread that reads the ring,
/// so this class discards the contents of the ring whenever it is full.
class DiscardedStamps final : public latency::Stamps {
 public:
  DiscardedStamps(std::uint32_t sample, const dataplane::TscClock& clock)
      : Stamps(latency::Sampling(sample)), clock_(clock) {}

  void put(latency::MessageKey key, latency::Stage stage, Time at) override {
    if (ring_.push({key, at, stage})) {
      ++taken_;
    } else {
      while (ring_.pop_bulk(discarded_) == discarded_.size()) {
      }
    }
  }
  Time clock(Time now) override { return std::max(now, read_clock(clock_)); }
  std::uint64_t taken() const { return taken_; }

 private:
  struct Stamp {
    latency::MessageKey key = 0;
    Time at = 0;
    latency::Stage stage = latency::Stage::kTriggered;
  };

  dataplane::SpscRing<Stamp> ring_{1U << 15};
  std::array<Stamp, 256> discarded_{};
  dataplane::TscClock clock_;
  std::uint64_t taken_ = 0;
};

}  // namespace softfeb::bench
