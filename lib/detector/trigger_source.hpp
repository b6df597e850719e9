// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "base/time.hpp"
#include "detector/event_type.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::detector {

struct TriggerSourceConfig {
  enum class Kind : std::uint8_t { kRandom, kPeriodic, kList };

  Kind kind = Kind::kRandom;
  EventType type = EventType::kUnknown;
  std::uint64_t rate_hz = 1;  ///< for random and periodic triggers: rate in hertz, at least 1
  Time phase = 0;             ///< for periodic triggers: time of the first trigger
  std::uint64_t seed = 1;     ///< for random triggers: seed of splitmix64
  /// For random triggers: probability, in units of 2^-32 (at most 2^32), that a second trigger, the
  /// companion, follows a trigger.
  std::uint64_t pile_up_parts = 0;
  Time pile_up_window = 0;  ///< for random triggers: maximum time from a trigger to its companion
  std::vector<Time> times;  ///< for a list: times of the triggers, in any order
};

/// The triggers of one source in ascending order of time. The constructor allocates. take() allocates only if
/// more companions are waiting than the constructor has reserved memory for.
class TriggerSource {
 public:
  /// Throws std::invalid_argument if the rate is 0 or if the pile-up probability is above 1.
  explicit TriggerSource(TriggerSourceConfig config);

  EventType type() const { return config_.type; }
  /// Time of the next trigger; kNever after the last one.
  Time next() const { return next_; }
  /// Takes the trigger at next(), and advances to the following one.
  void take();

 private:
  void take_random();
  void take_periodic();
  void take_listed();
  void draw_companion(Time trigger);

  TriggerSourceConfig config_;
  Time next_ = 0;
  // Used only for random sources.
  Rng rng_;
  Time mean_ = 0;
  Time own_ = 0;                  ///< the next trigger that is not a companion
  std::vector<Time> companions_;  ///< heap of companions, earliest first
  // Used only for periodic sources. The period in picoseconds is step_ + rest_ / rate_hz.
  Time step_ = 0;
  std::uint64_t rest_ = 0;
  std::uint64_t fraction_ = 0;  ///< fraction of a picosecond, in units of 1 / rate_hz
  // Used only for sources with a list of times.
  std::size_t listed_ = 0;
};

}  // namespace softfeb::detector
