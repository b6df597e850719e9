// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "watch.hpp"

#include <atomic>
#include <cstdint>
#include <functional>

#include <sys/resource.h>

namespace softfeb::steady {

/// Puts a worker under watch for a while. The worker calls turn() in each of its turns (from an RX callback
/// of its port); another thread says when.
class Probe {
 public:
  /// The worker's: starts and ends the watch, and does what was asked for by misbehave().
  void turn();

  /// From the worker's next turn on. Waits for it.
  void begin();
  /// Waits for the end; then the figures below may be looked at.
  void end();
  /// The worker is to do this once, in a turn of the watched time. Waits until it is done.
  void misbehave(std::function<void()> deed);

  const Watch& watch() const { return watch_; }
  /// Turns of the watched time.
  std::uint64_t turns() const { return turns_; }
  /// How often the worker gave its CPU away of itself, waiting for something.
  long waits() const { return after_.ru_nvcsw - before_.ru_nvcsw; }
  /// Page faults: without I/O, and with it.
  long minor_faults() const { return after_.ru_minflt - before_.ru_minflt; }
  long major_faults() const { return after_.ru_majflt - before_.ru_majflt; }
  /// errno of a kernel that does not let system calls be seen; 0.
  int error() const { return error_; }

 private:
  enum class Wish : std::uint8_t { kNone, kWatch, kDeed };
  void wait_for(Wish done) const;

  std::atomic<Wish> wish_{Wish::kNone};
  std::atomic<Wish> state_{Wish::kNone};
  std::function<void()> deed_;
  Watch watch_;
  std::uint64_t turns_ = 0;
  rusage before_{};
  rusage after_{};
  int error_ = 0;
};

}  // namespace softfeb::steady
