// SPDX-License-Identifier: BSD-3-Clause
#include "probe.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace softfeb::steady {

namespace {

/// Makes an allocation before the watch, because the first allocation of a thread creates its heap with
/// system calls. During the watch, these system calls would be counted.
void warm_up_heap() {
  void* const p = std::malloc(1);
  __asm__ volatile("" : : "r"(p) : "memory");
  std::free(p);
}

}  // namespace

void Probe::turn() {
  const Wish wish = wish_.load(std::memory_order_acquire);
  const Wish state = state_.load(std::memory_order_relaxed);
  if (state == Wish::kNone) {
    if (wish != Wish::kWatch) return;
    warm_up_heap();
    if (!see_system_calls()) error_ = errno;
    getrusage(RUSAGE_THREAD, &before_);
    watch_this_thread(&watch_);
    state_.store(Wish::kWatch, std::memory_order_release);
    return;
  }
  if (wish == Wish::kNone) {
    watch_this_thread(nullptr);
    getrusage(RUSAGE_THREAD, &after_);
    state_.store(Wish::kNone, std::memory_order_release);
    return;
  }
  ++turns_;
  if (wish == state) return;
  if (wish == Wish::kDeed) deed_();
  state_.store(wish, std::memory_order_release);
}

void Probe::begin() {
  wish_.store(Wish::kWatch, std::memory_order_release);
  wait_for(Wish::kWatch);
}

void Probe::end() {
  wish_.store(Wish::kNone, std::memory_order_release);
  wait_for(Wish::kNone);
}

void Probe::misbehave(std::function<void()> deed) {
  deed_ = std::move(deed);
  wish_.store(Wish::kDeed, std::memory_order_release);
  wait_for(Wish::kDeed);
  wish_.store(Wish::kWatch, std::memory_order_release);
  wait_for(Wish::kWatch);
}

void Probe::wait_for(Wish done) const {
  for (int i = 0; state_.load(std::memory_order_acquire) != done; ++i) {
    if (i == 50'000) throw std::runtime_error("the worker makes no turns");
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace softfeb::steady
