// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "watch.hpp"

#include <atomic>
#include <cstdint>
#include <functional>

#include <sys/resource.h>

namespace softfeb::steady {

/// Watches a worker for a while. The worker calls turn() in each iteration (from an RX callback of its port);
/// another thread starts and stops the watch.
class Probe {
 public:
  /// Called by the worker: starts and ends the watch, and executes misbehave() requests.
  void turn();

  /// Starts at the worker's next iteration. Blocks until then.
  void begin();
  /// Blocks until the watch has ended; then the results below are valid.
  void end();
  /// Makes the worker do this once in a watched iteration. Blocks until it is done.
  void misbehave(std::function<void()> deed);

  const Watch& watch() const { return watch_; }
  /// Number of watched iterations.
  std::uint64_t turns() const { return turns_; }
  /// How often the worker yielded the CPU voluntarily.
  long waits() const { return after_.ru_nvcsw - before_.ru_nvcsw; }
  /// Page faults without and with I/O.
  long minor_faults() const { return after_.ru_minflt - before_.ru_minflt; }
  long major_faults() const { return after_.ru_majflt - before_.ru_majflt; }
  /// errno if the kernel does not support watching system calls; otherwise 0.
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
