// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/average.hpp"
#include "fabric/facts.hpp"
#include "fabric/marking.hpp"
#include "fabric_fixture.hpp"
#include "pause_frames.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::AverageLength;
using fabric::EcnMarking;

namespace {

constexpr Time kSpaced = 2 * kMicrosecond;

/// Station 1 pauses the switch, and station 0 sends `frames` frames to station 1. Then station 1 ends the
/// pause, and the queue of the switch drains.
struct Released {
  Released(const EcnMarking& ecn, std::size_t frames, roce::Ecn codepoint = roce::Ecn::kEct0)
      : b(config(ecn)) {
    b.send(1, pause_frame(0xffff), 0);
    Time now = 10 * kMicrosecond;
    b.run(now);
    DataFrame f;
    f.ecn = codepoint;
    for (std::size_t i = 0; i < frames; ++i, now += kSpaced) b.send(f, now);
    b.run(now += kSpaced);
    b.send(1, pause_frame(0), now);
    b.run(now += kMillisecond);
    for (const auto& a : b.at_station(1)) marked.push_back(a.parsed().congestion_experienced);
    b.look(now);
  }
  static NetworkConfig config(const EcnMarking& ecn) {
    auto config = star(2);
    config.switches[0].queues[3].ecn = ecn;
    config.links[1].flow_control = fabric::PauseMode::kPause;
    return config;
  }
  std::size_t marks() const {
    return static_cast<std::size_t>(std::count(marked.begin(), marked.end(), true));
  }

  Bench b;
  std::vector<bool> marked;  ///< whether each frame was marked, in the order of arrival
};

EcnMarking step(std::uint64_t bytes) { return {true, bytes, bytes}; }

}  // namespace

TEST_CASE("marking at enqueue and at dequeue: the bytes before and behind a packet") {
  auto ecn = step(3 * kDataLength);
  const Released enqueue(ecn, 10);
  CHECK(enqueue.marked == std::vector<bool>{false, false, false, true, true, true, true, true, true, true});
  ecn.at_dequeue = true;
  const Released dequeue(ecn, 10);
  CHECK(dequeue.marked == std::vector<bool>{true, true, true, true, true, true, true, false, false, false});
  CHECK(dequeue.b.snapshot.ports[1].ecn_marked == 7);
  CHECK(dequeue.b.snapshot.ports[1].queues[3].ecn_marked == 7);
  CHECK(dequeue.b.snapshot.flows.at(0).ecn_marked == 7);
}

TEST_CASE("marking: packets that are not ECN-capable pass, or are dropped like others are marked") {
  for (const bool at_dequeue : {false, true}) {
    auto ecn = step(3 * kDataLength);
    ecn.at_dequeue = at_dequeue;
    const Released pass(ecn, 10, roce::Ecn::kNotEct);
    CHECK(pass.marked.size() == 10);
    CHECK(pass.marks() == 0);
    ecn.drop_not_ect = true;
    Released drop(ecn, 10, roce::Ecn::kNotEct);
    // If drops are decided at arrival, the fourth packet and all later ones are dropped, because each finds
    // three packets in the queue. If drops are decided at departure, packets are dropped until only three are
    // left: when the first of these three leaves, only two are behind it.
    CHECK(drop.marked.size() == 3);
    const auto& port = drop.b.snapshot.ports[1];
    CHECK(port.queue_bytes_max == (at_dequeue ? 10 : 3) * kDataLength);
    CHECK(port.ecn_dropped == 7);
    CHECK(port.dropped == 7);
    CHECK(port.queues[3].dropped == 7);
    CHECK(drop.b.snapshot.totals.dropped_buffer == 7);
    CHECK(drop.b.conserved(kSecond));
    CHECK(drop.b.store.out == 0);
    for (const auto codepoint : {roce::Ecn::kEct0, roce::Ecn::kEct1, roce::Ecn::kCe})
      CHECK(Released(ecn, 10, codepoint).marked.size() == 10);
  }
}

TEST_CASE("marking: the share of early drops is that of marks") {
  EcnMarking ecn{true, 0, 400 * kDataLength};
  ecn.drop_not_ect = true;
  const Released marked(ecn, 300);
  const Released dropped(ecn, 300, roce::Ecn::kNotEct);
  // The probability is n / 400, where n is the number of packets in the queue. With marking, n grows with
  // each packet. With dropping, n grows only with the packets that are not dropped, so it is 400 · (1 −
  // e^(−k/400)) after k packets.
  CHECK(marked.marks() == Approx(300 * 299 / 800).margin(30));
  CHECK(300 - dropped.marked.size() == Approx(300 - 400 * (1 - std::exp(-0.75))).margin(30));
}

TEST_CASE("marking: which frames are ECN-capable") {
  TestStore store;
  const auto capable = [&](const std::vector<std::uint8_t>& bytes) {
    Frame* const frame = store.make(bytes);
    fabric::read_facts(*frame);
    const bool answer = fabric::ecn_capable(*frame);
    store.release(frame);
    return answer;
  };
  DataFrame f;
  for (const bool v6 : {false, true}) {
    f.v6 = v6;
    for (const bool tagged : {false, true}) {
      f.vlan = tagged ? std::optional(roce::VlanTag{100, 5}) : std::nullopt;
      for (const auto ecn : {roce::Ecn::kNotEct, roce::Ecn::kEct0, roce::Ecn::kEct1, roce::Ecn::kCe}) {
        f.ecn = ecn;
        CHECK(capable(data_bytes(f)) == (ecn != roce::Ecn::kNotEct));
      }
    }
  }
  auto bytes = data_bytes({});
  bytes.resize(20);
  CHECK_FALSE(capable(bytes));
}

TEST_CASE("average length: a moves by 1/2^N of the difference, and converges exactly") {
  AverageLength a;
  a.arrive(1024, 3);
  CHECK(a.bytes(3) == 128);
  a.arrive(1024, 3);
  CHECK(a.bytes(3) == 128 + (1024 - 128) / 8);
  for (int i = 0; i < 200; ++i) a.arrive(1024, 3);
  CHECK(a.bytes(3) == 1024);
  for (int i = 0; i < 200; ++i) a.arrive(5, 3);
  CHECK(a.bytes(3) == 5);
  AverageLength large;
  for (int i = 0; i < 2'000'000; ++i) large.arrive(UINT64_MAX, AverageLength::kMaxWeight);
  CHECK(large.bytes(AverageLength::kMaxWeight) == UINT32_MAX);
}

TEST_CASE("average length: idle time counts like arrivals at an empty queue") {
  for (const unsigned weight : {1U, 4U, 9U}) {
    for (const std::uint64_t count : {0U, 1U, 2U, 7U, 100U, 1000U}) {
      AverageLength idle;
      for (int i = 0; i < 10'000; ++i) idle.arrive(1'000'000, weight);
      AverageLength one_by_one = idle;
      idle.idle(count, weight);
      for (std::uint64_t i = 0; i < count; ++i) one_by_one.arrive(0, weight);
      // The margin allows for rounding: each call of arrive() rounds up by less than 2^-weight bytes.
      CHECK(static_cast<double>(idle.bytes(weight)) ==
            Approx(static_cast<double>(one_by_one.bytes(weight))).margin(2));
    }
  }
  AverageLength a;
  for (int i = 0; i < 1000; ++i) a.arrive(1'000'000, 5);
  a.idle(UINT64_MAX, 5);
  CHECK(a.bytes(5) == 0);
}

TEST_CASE("marking by the average length: later than by the present one, and by what was before") {
  auto ecn = step(3 * kDataLength);
  ecn.weight = 2;
  // The packets find 0, 1, 2, … packets in the queue. The averages are 0, 0.25, 0.69, 1.27, 1.95, 2.71 and
  // 3.53 packets.
  const Released run(ecn, 10);
  CHECK(run.marked == std::vector<bool>{false, false, false, false, false, false, true, true, true, true});
  // If marking is decided at departure, the average at the last arrival applies (5.3 packets).
  ecn.at_dequeue = true;
  CHECK(Released(ecn, 10).marks() == 10);
}

TEST_CASE("marking by the average length: falls while the queue is idle") {
  auto ecn = step(2 * kDataLength);
  ecn.weight = 2;
  for (const Time pause : {Time{0}, 20 * kDataWire}) {
    Released run(ecn, 10);
    const Time later = 2 * kMillisecond;
    // A burst is followed by a single packet. This packet still finds the average of the burst, unless the
    // queue has been idle for a long time.
    run.b.arrivals.clear();
    run.b.send(1, pause_frame(0xffff), later);
    run.b.run(later + 10 * kMicrosecond);
    Time now = later + 10 * kMicrosecond;
    for (int i = 0; i < 10; ++i, now += kSpaced) run.b.send({0, 1}, now);
    run.b.run(now += kSpaced);
    run.b.send(1, pause_frame(0), now);
    run.b.run(now +=
              // The last packet of the burst left just now if `pause` is 0, and long ago otherwise.
              1500 * kNanosecond + 10 * kDataWire + pause);
    run.b.send({0, 1}, now);
    run.b.run(now += 100 * kMicrosecond);
    const auto all = run.b.at_station(1);
    REQUIRE(all.size() == 11);
    CHECK(all.back().parsed().congestion_experienced == (pause == 0));
  }
}
