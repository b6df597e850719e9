// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/exponential.hpp"
#include "base/rng.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::engine {

/// A Poisson process: the arrival times of messages in an open loop. The gap before an arrival is a pure
/// function of the arrival's number and the seed. Arrivals that have not been taken yet form the backlog. The
/// backlog needs no memory: only the time of the next arrival to be taken is stored. When this arrival is
/// taken, the time of the following arrival is computed.
///
/// Either one queue pair or several queue pairs of one board may take the arrivals. Not thread-safe.
class Arrivals {
 public:
  /// `mean_gap` is in picoseconds and at least 1.
  Arrivals(double mean_gap, std::uint64_t seed) : mean_gap_(mean_gap), seed_(seed) {}

  /// Starts the process at `at`. Only the first call has an effect.
  void start(Time at) {
    if (started_ || stopped()) return;
    started_ = true;
    next_ = saturating_add(at, gap(0));
  }
  /// Ends the process: nothing arrives after `now`. The backlog remains.
  void stop(Time now) {
    end_ = std::min(end_, now);
    if (next_ > end_) next_ = kNever;
  }

  /// Time of the first arrival that was not taken. This time may be in the past. Returns kNever if the
  /// process was stopped and all its arrivals have been taken, or if the process has not started.
  Time next() const { return next_; }
  /// True if nothing is left: the process was stopped, and all arrivals were taken.
  bool exhausted() const { return stopped() && next_ == kNever; }
  /// Takes the arrival at next() and returns its time. Requires next() != kNever.
  Time take() {
    const Time at = next_;
    next_ = saturating_add(at, gap(++taken_));
    if (next_ > end_) next_ = kNever;
    return at;
  }

  std::uint64_t taken() const { return taken_; }
  /// Number of arrivals up to `now` that were not taken. Computes each of these arrivals and may therefore be
  /// slow, so call this function only for results, not per packet.
  std::uint64_t backlog(Time now) const {
    Arrivals copy = *this;
    copy.stop(now);
    while (copy.next() != kNever) copy.take();
    return copy.taken() - taken_;
  }

 private:
  bool stopped() const { return end_ != kNever; }
  Time gap(std::uint64_t n) const {
    return static_cast<Time>(exponential(Rng::nth(seed_, n)) * mean_gap_ + 0.5);
  }

  double mean_gap_;
  std::uint64_t seed_;
  Time next_ = kNever;
  Time end_ = kNever;
  std::uint64_t taken_ = 0;
  bool started_ = false;
};

}  // namespace softfeb::engine
