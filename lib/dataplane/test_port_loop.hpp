// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/test_port_queue.hpp"
#include "dataplane/tsc_clock.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::dataplane {

/// A loop that polls some of the test ports of a switch test during trials: on the calling thread with
/// turn(), or on an lcore from launch() to join(). Between trials, the ports belong to the caller.
class TestPortLoop {
 public:
  /// Copies `clock`. `updates` provides new slopes of the clock, and must outlive this object.
  TestPortLoop(const TscClock& clock, const Mailbox<TscClock>& updates, std::unique_ptr<TxBuilder> builder);

  /// Adds a test port. `zeros` contains at least as many zero bytes as the longest payload (see
  /// TestPortQueue). `endpoint` and the memory of `zeros` must outlive this object.
  void add(std::uint16_t port, switchtest::TestPort& endpoint, ByteSpan zeros);
  const std::vector<std::unique_ptr<TestPortQueue>>& queues() const { return queues_; }

  /// Begins a trial that starts at `start`.
  void begin(Time start);
  /// Runs one iteration of all ports. Returns the time at which the iteration began.
  Time turn();
  /// Ends a trial.
  void end();

  /// Calls turn() repeatedly on lcore `lcore` until `end` or until `stop` is true. Throws EnvironmentError if
  /// the lcore cannot be started.
  void launch(unsigned lcore, Time end, const std::atomic<bool>& stop);
  void join();

  /// Longest time between two successive calls of turn() since the start of the trial.
  Time longest_gap() const { return longest_gap_; }

 private:
  static int entry(void* self);

  TscClock clock_;
  const Mailbox<TscClock>& updates_;
  std::uint64_t clock_seen_ = 0;  ///< number of updates read from updates_
  std::unique_ptr<TxBuilder> builder_;
  std::vector<std::unique_ptr<TestPortQueue>> queues_;
  Time now_ = 0;       ///< time at which the latest turn() began
  Time gap_from_ = 0;  ///< start of the gap being measured: the latest turn or, before the first turn, the
                       ///< start of the trial
  Time longest_gap_ = 0;
  Time end_ = 0;
  const std::atomic<bool>* stop_ = nullptr;
  unsigned lcore_ = 0;
};

}  // namespace softfeb::dataplane
