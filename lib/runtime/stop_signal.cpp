// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/stop_signal.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace softfeb::runtime {

namespace {
// Atomic, because signals can be delivered to any thread.
std::atomic<int> g_signals{0};
std::atomic<std::int64_t> g_last_ms{0};  // time of the last counted signal; 0 if there was none
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// Signals that arrive within this time count as one, because `timeout`, some shells and some supervisors
/// send a signal both to a process and to its group. A user cannot press Ctrl-C twice in this time.
constexpr std::int64_t kTogetherMs = 20;

bool came_with_another() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t ms = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  std::int64_t last = g_last_ms;
  if (last != 0 && ms - last < kTogetherMs) return true;
  return !g_last_ms.compare_exchange_strong(last, ms);
}

void count_signal(int number) {
  if (came_with_another()) return;
  if (++g_signals < 2) return;
  struct sigaction end {};
  end.sa_handler = SIG_DFL;
  sigaction(number, &end, nullptr);
}

}  // namespace

void catch_stop_signals(std::initializer_list<int> numbers) {
  struct sigaction action {};
  action.sa_handler = count_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : numbers) sigaction(number, &action, nullptr);
}

int stop_signals() { return g_signals; }

}  // namespace softfeb::runtime
