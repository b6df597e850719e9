// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/queues.hpp"

#include "fabric_fixture.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::kQueues;
using fabric::PortQueues;
using fabric::QueueConfig;

namespace {

struct Rig {
  explicit Rig(const std::array<QueueConfig, kQueues>& config, const fabric::SchedulerConfig& scheduler = {})
      : queues(config, scheduler) {}
  void push(std::uint8_t queue, std::uint32_t length) {
    Frame* const frame = store.make(std::vector<std::uint8_t>(length));
    frame->queue = queue;
    queues.push(frame);
  }
  /// Returns the queue served next, or kQueues if there is none.
  std::size_t pop(std::uint8_t may = 0xff) {
    Frame* const frame = queues.pop(may);
    if (frame == nullptr) return kQueues;
    const std::size_t queue = frame->queue;
    store.release(frame);
    return queue;
  }
  TestStore store;
  PortQueues queues;
};

}  // namespace

TEST_CASE("queues: strict ones first, higher numbers before lower ones") {
  std::array<QueueConfig, kQueues> config;
  config[2].weight = config[6].weight = 0;
  Rig rig(config);
  for (const std::uint8_t q : {0, 2, 7, 6, 2}) rig.push(q, 1000);
  CHECK(rig.queues.waiting() == 0xc5);
  CHECK(rig.pop() == 6);
  CHECK(rig.pop() == 2);
  CHECK(rig.pop(0xfb) != 2);
  CHECK(rig.pop() == 2);
  CHECK(rig.queues.size() == 1);
  CHECK(rig.pop() != kQueues);
  CHECK(rig.pop() == kQueues);
  CHECK(rig.queues.bytes() == 0);
  CHECK(rig.queues.waiting() == 0);
}

TEST_CASE("queues: in order within a queue; paused queues wait") {
  Rig rig({});
  for (std::uint32_t n = 100; n < 110; ++n) rig.push(3, n);
  rig.push(4, 50);
  CHECK(rig.pop(0x10) == 4);
  CHECK(rig.pop(0x10) == kQueues);
  for (std::uint32_t n = 100; n < 110; ++n) {
    Frame* const frame = rig.queues.pop(0xff);
    REQUIRE(frame->length == n);
    rig.store.release(frame);
  }
}

TEST_CASE("queues: wire bytes are shared in proportion to weights, regardless of frame lengths") {
  std::array<QueueConfig, kQueues> config;
  config[1].weight = 1;
  config[3].weight = 3;
  config[5].weight = 6;
  const std::array<std::uint32_t, kQueues> length{0, 4096, 0, 200, 0, 1500, 0, 0};
  Rig rig(config);
  std::array<std::uint64_t, kQueues> sent{};
  for (int i = 0; i < 20; ++i)
    for (const std::uint8_t q : {1, 3, 5}) rig.push(q, length[q]);
  for (int i = 0; i < 50'000; ++i) {
    const std::size_t q = rig.pop();
    sent[q] += length[q] + 24;
    rig.push(static_cast<std::uint8_t>(q), length[q]);
  }
  const double whole = static_cast<double>(sent[1] + sent[3] + sent[5]);
  CHECK(static_cast<double>(sent[1]) / whole == Approx(0.1).margin(0.003));
  CHECK(static_cast<double>(sent[3]) / whole == Approx(0.3).margin(0.003));
  CHECK(static_cast<double>(sent[5]) / whole == Approx(0.6).margin(0.003));
}

namespace {

/// Returns how many of 50,000 packets queue 1 sends, and how many queue 3 sends, if both always have frames
/// of the given lengths.
std::array<double, 2> packets_sent(const fabric::SchedulerConfig& scheduler, std::uint32_t weight,
                                   std::uint32_t length1, std::uint32_t length3) {
  std::array<QueueConfig, kQueues> config;
  config[3].weight = weight;
  Rig rig(config, scheduler);
  std::array<double, 2> sent{};
  for (int i = 0; i < 20; ++i) {
    rig.push(1, length1);
    rig.push(3, length3);
  }
  for (int i = 0; i < 50'000; ++i) {
    const bool third = rig.pop() == 3;
    ++sent[third ? 1 : 0];
    rig.push(third ? 3 : 1, third ? length3 : length1);
  }
  return sent;
}

}  // namespace

TEST_CASE("queues: weighted round robin shares packets, whatever their lengths") {
  fabric::SchedulerConfig scheduler;
  scheduler.by_packets = true;
  const auto sent = packets_sent(scheduler, 3, 4096, 200);
  CHECK(sent[1] / sent[0] == Approx(3).margin(0.01));
  // In a round, a queue sends as many packets as its weight.
  std::array<QueueConfig, kQueues> config;
  config[5].weight = 2;
  config[7].weight = 0;
  Rig rig(config, scheduler);
  for (int i = 0; i < 6; ++i)
    for (const std::uint8_t q : {2, 5}) rig.push(q, 1000);
  rig.push(7, 1000);
  std::vector<std::size_t> order;
  for (int i = 0; i < 7; ++i) order.push_back(rig.pop());
  CHECK(order[0] == 7);
  const std::vector<std::size_t> rounds(order.begin() + 1, order.end());
  CHECK((rounds == std::vector<std::size_t>{2, 5, 5, 2, 5, 5} ||
         rounds == std::vector<std::size_t>{5, 5, 2, 5, 5, 2}));
}

TEST_CASE("queues: the overhead that deficit round robin counts") {
  // Both queues send the same number of bytes, including the overhead o: n1 · (L1 + o) = n3 · (L3 + o).
  // Here, n is a number of packets and L their length. Therefore o = (n3 · L3 - n1 · L1) / (n1 - n3).
  for (const std::uint32_t overhead : {0U, 4U, 24U, 40U}) {
    fabric::SchedulerConfig scheduler;
    scheduler.overhead = overhead;
    const auto sent = packets_sent(scheduler, 1, 200, 1500);
    CHECK((sent[1] * 1500 - sent[0] * 200) / (sent[0] - sent[1]) == Approx(overhead).margin(1));
  }
}
