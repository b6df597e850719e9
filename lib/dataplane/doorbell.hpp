// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace softfeb::dataplane {

/// Wakes a thread that waits for a file descriptor. Whoever puts something into one of that thread's queues
/// rings afterwards: a fence and a load while the thread is awake, a system call only when it sleeps.
///
/// The sleeper's order is arm(), look at every queue once more, wait for fd(), clear(). What is queued before
/// arm() is found by that look; what is queued later rings.
class alignas(64) Doorbell {
 public:
  /// Throws EnvironmentError when the process has no file descriptor left.
  Doorbell();
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  /// Any thread, after it queued something.
  void ring() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (armed_.load(std::memory_order_relaxed)) wake();
  }

  void arm() {
    armed_.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void disarm() { armed_.store(false, std::memory_order_relaxed); }
  bool armed() const { return armed_.load(std::memory_order_relaxed); }
  /// Becomes readable when rung.
  int fd() const { return fd_; }
  /// Silences it; the sleeper's.
  void clear();

 private:
  void wake();

  std::atomic<bool> armed_{false};
  int fd_;
};

}  // namespace softfeb::dataplane
