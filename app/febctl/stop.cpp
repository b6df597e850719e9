// SPDX-License-Identifier: BSD-3-Clause
#include "stop.hpp"

#include <algorithm>
#include <csignal>
#include <thread>

namespace softfeb::febctl {

namespace {

volatile std::sig_atomic_t g_stopped = 0;

void on_signal(int number) {
  if (g_stopped != 0) {
    struct sigaction end {};
    end.sa_handler = SIG_DFL;
    sigaction(number, &end, nullptr);
    raise(number);
  }
  g_stopped = 1;
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stopped() { return g_stopped != 0; }

bool pause_for(std::chrono::duration<double> time) {
  using Steady = std::chrono::steady_clock;
  const auto end = Steady::now() + std::chrono::duration_cast<Steady::duration>(time);
  while (!stopped() && Steady::now() < end) {
    const auto left = end - Steady::now();
    std::this_thread::sleep_for(std::min<Steady::duration>(left, std::chrono::milliseconds(20)));
  }
  return !stopped();
}

}  // namespace softfeb::febctl
