// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/test_port_loop.hpp"

#include "dataplane/error.hpp"

#include <algorithm>
#include <string>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

namespace softfeb::dataplane {

TestPortLoop::TestPortLoop(const TscClock& clock, const Mailbox<TscClock>& updates,
                           std::unique_ptr<TxBuilder> builder)
    : clock_(clock), updates_(updates), builder_(std::move(builder)) {}

void TestPortLoop::add(std::uint16_t port, switchtest::TestPort& endpoint, ByteSpan zeros) {
  queues_.push_back(std::make_unique<TestPortQueue>(port, endpoint, *builder_, zeros));
}

void TestPortLoop::begin(Time start) {
  gap_from_ = start;
  longest_gap_ = 0;
  for (const auto& queue : queues_) queue->begin();
}

Time TestPortLoop::turn() {
  if (updates_.written() != clock_seen_) clock_seen_ = updates_.read(clock_);
  // A new slope may begin in the past and then yield a slightly earlier time.
  now_ = std::max(now_, clock_.time(rte_rdtsc()));
  if (now_ > gap_from_) {
    longest_gap_ = std::max(longest_gap_, now_ - gap_from_);
    gap_from_ = now_;
  }
  for (const auto& queue : queues_) queue->run(now_, clock_);
  return now_;
}

void TestPortLoop::end() {
  for (const auto& queue : queues_) queue->end();
}

void TestPortLoop::launch(unsigned lcore, Time end, const std::atomic<bool>& stop) {
  lcore_ = lcore;
  end_ = end;
  stop_ = &stop;
  if (rte_eal_remote_launch(&TestPortLoop::entry, this, lcore) != 0) {
    throw EnvironmentError("worker lcore " + std::to_string(lcore) + " cannot be started",
                           "choose CPUs available to this process in workers.cpus");
  }
}

void TestPortLoop::join() { rte_eal_wait_lcore(lcore_); }

int TestPortLoop::entry(void* self) {
  auto& loop = *static_cast<TestPortLoop*>(self);
  while (loop.turn() < loop.end_ && !loop.stop_->load(std::memory_order_relaxed)) {
  }
  return 0;
}

}  // namespace softfeb::dataplane
