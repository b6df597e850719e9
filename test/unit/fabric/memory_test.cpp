// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "fabric/egress_memory.hpp"
#include "fabric/shared_buffer.hpp"
#include "fabric_fixture.hpp"
#include "pause_frames.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::PauseMode;

namespace {

constexpr Time kStep = 2 * kMicrosecond;  // interval between frames, longer than a frame on the wire

/// A star whose last station has paused the switch, so that frames to it stay in the buffer.
struct FullStar {
  explicit FullStar(const NetworkConfig& config)
      : b(config), sink(static_cast<std::uint32_t>(config.stations.size() - 1)) {
    freeze();
  }
  static NetworkConfig config(std::uint32_t stations, std::uint64_t buffer) {
    auto config = star(stations);
    config.switches[0].buffer = buffer;
    config.links.back().flow_control = PauseMode::kPause;
    return config;
  }
  void freeze() {
    b.send(sink, pause_frame(0xffff), now);
    b.run(now += 10 * kMicrosecond);
  }
  /// Sends `frames` frames to the sink and returns how many of them were not dropped.
  std::uint64_t send(std::size_t frames, std::uint32_t payload = 1024, std::uint8_t dscp = 26,
                     std::uint32_t from = 0) {
    const std::uint64_t before = b.look(now).totals.dropped_buffer;
    for (std::size_t i = 0; i < frames; ++i, now += kStep) {
      b.send({from, sink, payload, 17, dscp}, now);
      b.run(now);
    }
    b.run(now += 2 * kStep);
    return frames - (b.look(now).totals.dropped_buffer - before);
  }
  void release() {
    b.send(sink, pause_frame(0), now);
    b.run(now += 500 * kMicrosecond);
    CHECK(b.conserved(now));
    CHECK(b.snapshot.totals.in_network == 0);
    CHECK(b.store.out == 0);
  }

  Bench b;
  std::uint32_t sink;
  Time now = 0;
};

std::uint32_t length_of(std::uint32_t payload) {
  return static_cast<std::uint32_t>(data_bytes({0, 1, payload}).size());
}

}  // namespace

TEST_CASE("memory: a frame occupies whole cells, with its overhead") {
  fabric::SwitchConfig sw;
  CHECK_FALSE(fabric::EgressMemory::needed(sw));
  sw.memory.cell = 208;
  CHECK(fabric::EgressMemory::needed(sw));
  const fabric::EgressMemory cells(sw, 2);
  CHECK(cells.occupied(1) == 208);
  CHECK(cells.occupied(208) == 208);
  CHECK(cells.occupied(209) == 416);
  sw.memory.cell_overhead = 10;
  const fabric::EgressMemory with_overhead(sw, 2);
  CHECK(with_overhead.occupied(198) == 208);
  CHECK(with_overhead.occupied(199) == 416);
}

TEST_CASE("memory: cells limit how many frames fit into the buffer") {
  constexpr std::uint64_t kBuffer = 20 * 208;
  for (const std::uint32_t payload : {8U, 128U, 152U, 400U, 1024U}) {
    auto config = FullStar::config(2, kBuffer);
    config.switches[0].memory = {208, 16, 0};
    FullStar s(config);
    const std::uint64_t each = (length_of(payload) + 16 + 207) / 208 * 208;
    CHECK(s.send(30, payload) == kBuffer / each);
    CHECK(s.b.snapshot.ports[1].queue_bytes == kBuffer / each * length_of(payload));
    s.release();
    s.freeze();
    CHECK(s.send(30, payload) == kBuffer / each);
  }
}

TEST_CASE("memory: pauses and dynamic thresholds count cells") {
  auto config = FullStar::config(2, 100 * 1248);
  config.switches[0].memory.cell = 208;  // a frame of 1082 bytes occupies 1248
  config.switches[0].dynamic_alpha = 256;
  FullStar dynamic(config);
  CHECK(dynamic.send(80) == 50);
  config.switches[0].dynamic_alpha = 0;
  config.switches[0].pause = {10 * 1248, 1248, 0, 0xffff};
  config.links[0].flow_control = PauseMode::kPause;
  FullStar pause(config);
  pause.send(9);
  CHECK(pause.b.look(pause.now).ports[0].pause_tx == 0);
  pause.send(1);
  CHECK(pause.b.look(pause.now).ports[0].pause_tx == 1);
}

TEST_CASE("memory: the minimum of a queue is in addition to the shared buffer") {
  auto config = FullStar::config(3, 4000);
  config.switches[0].queues[3].minimum = 5000;
  FullStar s(config);
  CHECK(s.send(10, 1024, 0) == 3);  // queue 0 uses 3246 of the 4000 shared bytes
  CHECK(s.send(10) == 5);           // queue 3 uses 5410 bytes: its minimum and 410 shared bytes
  CHECK(s.send(10, 1024, 0) == 0);
  s.release();
  s.freeze();
  CHECK(s.send(10) == 8);  // queue 3 uses 8656 of 9000 bytes
  CHECK(s.send(10, 1024, 0) == 0);
  s.release();
  s.freeze();
  // Queue 3 has returned all shared bytes. If queue 0 uses 1082 of them, 2918 are left for queue 3.
  CHECK(s.send(1, 1024, 0) == 1);
  CHECK(s.send(10) == 7);
}

TEST_CASE("memory: limits do not apply to the minimum") {
  auto config = FullStar::config(2, 100'000);
  config.switches[0].dynamic_alpha = 1;  // beyond the minimum, a queue may use at most 390 bytes
  config.switches[0].queues[3].minimum = 5000;
  CHECK(FullStar(config).send(10, 1024, 0) == 0);
  CHECK(FullStar(config).send(10) == 4);
  // With alpha 1, k frames of L bytes fit beyond the minimum if k · L <= B − (k − 1) · L. The buffer
  // has B = 10 · L bytes.
  auto dynamic = FullStar::config(2, 10 * kDataLength);
  dynamic.switches[0].dynamic_alpha = 256;
  dynamic.switches[0].queues[3].minimum = 3 * kDataLength;
  CHECK(FullStar(dynamic).send(20) == 3 + 5);
  config.switches[0].dynamic_alpha = 0;
  config.switches[0].port_limit = 2000;
  FullStar port(config);
  CHECK(port.send(10, 1024, 0) == 1);
  CHECK(port.send(10) == 5);  // queue 3 holds 5410 bytes; only the 410 above its minimum count
  CHECK(port.send(10, 1024, 0) == 0);
}

TEST_CASE("memory: the minimum is free for a frame even if frames of its queue are in the headroom") {
  fabric::SwitchConfig sw;
  sw.buffer = 100;
  sw.dynamic_alpha = 1;
  sw.queues[3].minimum = 1000;
  sw.pause.headroom = 2000;
  fabric::SharedBuffer buffer(sw, 2);
  std::array<Frame, 4> frames;
  for (Frame& frame : frames) {
    frame.length = 1000;
    frame.queue = 3;
  }
  for (std::size_t i = 0; i < 3; ++i) CHECK(buffer.admit(frames[i], 0, 0, true, {}));
  CHECK_FALSE(buffer.admit(frames[3], 1, 0, false, {}));
  CHECK(buffer.account(0).headroom[0] == 2000);
  buffer.release(frames[0], 0, 0, 0);
  CHECK(buffer.admit(frames[3], 1, 0, false, {}));
  CHECK(buffer.account(1).headroom[0] == 0);
  CHECK(buffer.free() == 100);
}

TEST_CASE("memory: the headroom pool limits the headroom of all ports") {
  for (const std::uint64_t pool : {0U, 5000U}) {
    auto config = FullStar::config(4, 1500);
    for (const std::size_t link : {0U, 1U}) config.links[link].flow_control = PauseMode::kPause;
    config.switches[0].pause = {1000, 500, 4000, 0xffff};
    config.switches[0].pause.headroom_pool = pool;
    FullStar s(config);
    for (int round = 0; round < 2; ++round) {
      CHECK(s.send(1, 1024, 26, 2) == 1);  // fills the buffer
      CHECK(s.send(5, 1024, 26, 0) == 3);
      CHECK(s.send(5, 1024, 26, 1) == (pool == 0 ? 3 : 1));
      s.release();
      s.freeze();
    }
  }
}

TEST_CASE("memory: the MAC takes frames from the buffer while it is paused") {
  auto config = FullStar::config(2, 5 * kDataLength);
  CHECK(FullStar(config).send(20) == 5);
  config.switches[0].memory.mac_leak = 3000;
  FullStar s(config);
  CHECK(s.send(3) == 3);
  CHECK(s.b.snapshot.ports[1].queue_bytes == 0);
  CHECK(s.b.snapshot.ports[1].queue_bytes_max == 0);
  CHECK(s.send(20) == 5);
  CHECK(s.b.snapshot.ports[1].queue_bytes == 5 * kDataLength);
  CHECK(s.b.snapshot.ports[1].queue_bytes_of[3] == 5 * kDataLength);
  CHECK(s.b.conserved(s.now));
  CHECK(s.b.snapshot.totals.in_network == 8);
  s.release();
  CHECK(s.b.at_station(1).size() == 8);
  s.freeze();
  CHECK(s.send(20) == 8);
}

TEST_CASE("memory: frames that the MAC has taken neither pause a sender nor count for marking") {
  auto config = FullStar::config(2, 100'000);
  config.links[0].flow_control = PauseMode::kPause;
  config.switches[0].pause = {4 * kDataLength, kDataLength, 0, 0xffff};
  config.switches[0].queues[3].ecn = {true, 2 * kDataLength, 2 * kDataLength};
  config.switches[0].memory.mac_leak = 1;
  FullStar s(config);
  s.send(4);
  CHECK(s.b.look(s.now).ports[0].pause_tx == 0);
  CHECK(s.b.snapshot.ports[1].ecn_marked == 1);  // the fourth frame; the MAC has taken the first
  s.send(1);
  CHECK(s.b.look(s.now).ports[0].pause_tx == 1);
  CHECK(s.b.snapshot.ports[1].ecn_marked == 2);
  s.release();
  CHECK(s.b.look(s.now).ports[0].resume_tx == 1);
}

TEST_CASE("memory: the MAC does not change the order of departures") {
  auto config = FullStar::config(2, 100'000);
  config.switches[0].queues[3].weight = 0;
  const auto order = [&](std::uint64_t leak) {
    config.switches[0].memory.mac_leak = leak;
    FullStar s(config);
    for (int i = 0; i < 5; ++i) {
      s.send(1, 1024, 0);
      s.send(1, 512, 26);
    }
    s.release();
    std::vector<std::size_t> lengths;
    for (const auto& a : s.b.at_station(1)) lengths.push_back(a.bytes.size());
    return lengths;
  };
  CHECK(order(3000) == order(0));
  CHECK(order(0).front() == length_of(512));
}

TEST_CASE("memory: detailed accounting without cells and minima gives the same results") {
  const auto run = [](bool detailed) {
    auto config = star(4);
    auto& sw = config.switches[0];
    sw.buffer = 20'000;
    sw.dynamic_alpha = 512;
    sw.port_limit = 15'000;
    sw.pause = {6'000, 3'000, 4'000, 500};
    sw.queues[3].lossless = true;
    if (detailed) sw.queues[7].minimum = 1;  // enables detailed accounting; the queue has no frames
    for (auto& link : config.links) link.flow_control = PauseMode::kPfc;
    Bench b(config);
    Rng rng(5);
    Time now = 0;
    for (int i = 0; i < 20'000; ++i, now += rng.below(500 * kNanosecond)) {
      DataFrame f{static_cast<std::uint32_t>(rng.below(3)), 3, static_cast<std::uint32_t>(rng.below(2000))};
      f.dscp = rng.chance(1U << 31) ? 26 : 0;
      b.send(f, now);
      b.run(now);
    }
    b.run(kSecond);
    const auto& t = b.look(kSecond).totals;
    CHECK(b.conserved(kSecond));
    return std::vector<std::uint64_t>{t.made,
                                      t.delivered,
                                      t.dropped_buffer,
                                      b.snapshot.ports[3].queue_bytes_max,
                                      b.snapshot.ports[0].pause_tx,
                                      b.snapshot.ports[3].queues[3].dropped};
  };
  CHECK(run(true) == run(false));
}
