// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/log_histogram.hpp"
#include "base/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace softfeb::engine {

/// Completion times and slowdowns of a board's messages, by message length.
///
/// The completion time of a message is the time from its arrival or, in a closed loop, from its posting until
/// the board has its acknowledgement. The slowdown of a message is the time from its arrival (in a closed
/// loop: from its posting) until its last byte reaches the receiver, divided by the time that the message
/// takes in an idle network (IdlePath).
///
/// An object of this class has a fixed size of about 180 KB, allocates no memory, and can be added to another
/// object of this class. Not thread-safe.
class CompletionTimes {
 public:
  struct Class {
    LogHistogram time;      ///< in nanoseconds
    LogHistogram slowdown;  ///< in units of 1 / kPerSlowdown; empty if the IdlePath is unknown

    Class& operator+=(const Class& other) {
      time += other.time;
      slowdown += other.slowdown;
      return *this;
    }
    bool operator==(const Class&) const = default;
  };

  static constexpr double kPerSlowdown = 1000;  ///< a slowdown of 1.0 is counted as this number
  /// Largest length of each class in bytes; the last class has no limit.
  static constexpr std::array<std::uint32_t, 3> kLimits{10'000, 100'000, 1'000'000};
  static constexpr std::size_t kClasses = kLimits.size() + 1;

  static std::size_t class_of(std::uint32_t length) {
    std::size_t i = 0;
    while (i < kLimits.size() && length > kLimits[i]) ++i;
    return i;
  }

  /// Adds a message of `length` bytes, whose completion time is `took`. `slowdown` is in units of 1 /
  /// kPerSlowdown, or empty if the slowdown is unknown. `shorter_half` is true if the message is not longer
  /// than the median of its queue pair's message lengths.
  void add(std::uint32_t length, Time took, std::optional<std::uint64_t> slowdown, bool shorter_half) {
    add_to(classes_[class_of(length)], took, slowdown);
    if (shorter_half) add_to(shorter_half_, took, slowdown);
  }

  CompletionTimes& operator+=(const CompletionTimes& other) {
    for (std::size_t i = 0; i < kClasses; ++i) classes_[i] += other.classes_[i];
    shorter_half_ += other.shorter_half_;
    return *this;
  }

  const std::array<Class, kClasses>& classes() const { return classes_; }
  const Class& shorter_half() const { return shorter_half_; }
  /// Sum over all classes.
  Class all() const {
    Class sum = classes_[0];
    for (std::size_t i = 1; i < kClasses; ++i) sum += classes_[i];
    return sum;
  }

  bool operator==(const CompletionTimes&) const = default;

 private:
  static void add_to(Class& c, Time took, std::optional<std::uint64_t> slowdown) {
    c.time.add((took + kNanosecond / 2) / kNanosecond);
    if (slowdown) c.slowdown.add(*slowdown);
  }

  std::array<Class, kClasses> classes_;
  Class shorter_half_;
};

}  // namespace softfeb::engine
