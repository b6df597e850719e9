// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "watch.hpp"

#include <atomic>
#include <cstdint>
#include <functional>

#include <sys/resource.h>

namespace softfeb::steady {

/// Watches a worker for some time. The worker calls turn() in each iteration (from an RX callback of its
/// port); another thread starts and stops the watch.
class Probe {
 public:
  /// Starts and ends the watch, and executes the actions that misbehave() requests. Called by the worker.
  void turn();

  /// Starts the watch at the worker's next iteration, and blocks until then.
  void begin();
  /// Blocks until the watch has ended. The results below are valid afterwards.
  void end();
  /// Makes the worker execute `deed` once in a watched iteration, and blocks until then.
  void misbehave(std::function<void()> deed);

  const Watch& watch() const { return watch_; }
  /// Number of watched iterations.
  std::uint64_t turns() const { return turns_; }
  /// Number of voluntary context switches of the worker.
  long waits() const { return after_.ru_nvcsw - before_.ru_nvcsw; }
  /// Number of page faults that the kernel served without I/O (minor) or with I/O (major).
  long minor_faults() const { return after_.ru_minflt - before_.ru_minflt; }
  long major_faults() const { return after_.ru_majflt - before_.ru_majflt; }
  /// errno with which the kernel refused to watch system calls; 0 if it watches them.
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
