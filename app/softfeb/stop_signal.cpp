// SPDX-License-Identifier: BSD-3-Clause
#include "stop_signal.hpp"

#include <csignal>

namespace softfeb::app {

namespace {
volatile std::sig_atomic_t g_signals = 0;

void count_signal(int number) {
  g_signals = g_signals + 1;
  if (g_signals < 2) return;
  struct sigaction end {};
  end.sa_handler = SIG_DFL;
  sigaction(number, &end, nullptr);
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = count_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int stop_signals() { return g_signals; }

}  // namespace softfeb::app
