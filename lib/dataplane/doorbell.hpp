// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace softfeb::dataplane {

/// Wakes a thread that waits for a file descriptor. A producer rings after it has put something into one of
/// the thread's queues. Ringing costs a fence and a load while the thread is awake, and a system call only
/// while it sleeps.
///
/// The sleeper calls arm(), checks every queue once more, waits for fd(), and calls clear(). The check after
/// arm() finds everything that was queued before arm(). Everything that is queued later rings the doorbell.
class alignas(64) Doorbell {
 public:
  /// Throws EnvironmentError when the process has no free file descriptor.
  Doorbell();
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  /// Rings the doorbell. Any thread may call it after queueing something.
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
  /// Becomes readable when the doorbell rings.
  int fd() const { return fd_; }
  /// Resets the descriptor. Only the sleeper may call it.
  void clear();

 private:
  void wake();

  std::atomic<bool> armed_{false};
  int fd_;
};

}  // namespace softfeb::dataplane
