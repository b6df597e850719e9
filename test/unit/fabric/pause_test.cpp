// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/facts.hpp"
#include "fabric/wire_time.hpp"
#include "fabric_fixture.hpp"
#include "roce/mac_control.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::PauseMode;
using roce::MacControl;

namespace {

std::vector<std::uint8_t> pause_bytes(const MacControl& pause) {
  const auto bytes = roce::write_mac_control(mac_of(9), roce::kPauseAddress, pause);
  return {bytes.begin(), bytes.end()};
}

MacControl stop(std::uint16_t quanta) { return {MacControl::Kind::kPause, 0, {quanta}}; }

std::optional<MacControl> read(const std::vector<std::uint8_t>& frame) {
  return roce::parse_mac_control(ByteSpan(frame).subspan(roce::kEthernetSize));
}

MacControl stop_class(std::uint8_t c, std::uint16_t quanta) {
  MacControl pause{MacControl::Kind::kPfc, static_cast<std::uint8_t>(1U << c), {}};
  pause.quanta[c] = quanta;
  return pause;
}

/// A station that obeys pause frames, and sends to station `to` at link rate.
struct Sender {
  std::uint32_t from = 0;
  DataFrame frame;
  Time free_at = 0;
  Time paused_until = 0;
  std::uint64_t sent = 0;
  std::uint64_t stops = 0;
  std::uint64_t resumes = 0;
};

/// A star of n stations. Stations 0 to n-2 send endlessly to station n-1, and obey pause frames for queue 3.
struct PausedStar {
  PausedStar(const NetworkConfig& config, Time until) : b(config) {
    const auto sink = static_cast<std::uint32_t>(config.stations.size() - 1);
    std::vector<Sender> senders(sink);
    for (std::uint32_t i = 0; i < sink; ++i) senders[i] = {i, {i, sink}};
    for (Time now = 0; now < until; now += 100 * kNanosecond) {
      b.run(now);
      obey(senders);
      for (auto& s : senders) {
        if (now < s.free_at || now < s.paused_until) continue;
        b.send(s.frame, now);
        ++s.sent;
        s.free_at = std::max(s.free_at, now - 100 * kNanosecond) + fabric::wire_bytes(1082) * 800;
      }
    }
    b.run(until + kMillisecond);
    obey(senders);
    for (const auto& s : senders) stops += s.stops, resumes += s.resumes, sent += s.sent;
  }

  void obey(std::vector<Sender>& senders) {
    for (; seen < b.arrivals.size(); ++seen) {
      const auto& a = b.arrivals[seen];
      if (a.station >= senders.size()) continue;
      const auto pause = read(a.bytes);
      REQUIRE(pause);
      CHECK(std::equal(a.bytes.begin(), a.bytes.begin() + 6, mac_of(a.station).begin()));
      Sender& s = senders[a.station];
      const std::uint16_t quanta = pause->quanta[pause->kind == MacControl::Kind::kPfc ? 3 : 0];
      s.paused_until = a.at + roce::pause_time(quanta, k10G);
      ++(quanta != 0 ? s.stops : s.resumes);
    }
  }

  Bench b;
  std::size_t seen = 0;
  std::uint64_t stops = 0, resumes = 0, sent = 0;
};

NetworkConfig paused_star(PauseMode kind) {
  auto config = star(4);
  config.switches[0].buffer = 60'000;
  config.switches[0].pause = {15'000, 8'000, 10'000, 0xffff};
  config.switches[0].queues[3].lossless = true;
  for (auto& link : config.links) link.flow_control = kind;
  return config;
}

}  // namespace

TEST_CASE("pause: a switch stops senders before it must drop, with 802.3x and PFC") {
  for (const auto kind : {PauseMode::kPause, PauseMode::kPfc}) {
    PausedStar run(paused_star(kind), 3 * kMillisecond);
    const auto& s = run.b.look(4 * kMillisecond);
    CHECK(s.totals.dropped_buffer == 0);
    CHECK(run.b.conserved(4 * kMillisecond));
    CHECK(run.stops > 10);
    CHECK(run.resumes > 10);
    CHECK(run.b.at_station(3).size() == run.sent);
    std::uint64_t told = 0;
    std::uint64_t resumed = 0;
    for (const auto& port : s.ports) told += port.pause_tx, resumed += port.resume_tx;
    CHECK(told == run.stops);
    CHECK(resumed == run.resumes);
    // The output port was never idle. When XON is sent, the queue still has enough frames to keep the port
    // busy until the senders resume.
    CHECK(s.ports[3].tx_wire_bytes > 3 * 1'250'000 * 97 / 100);
    CHECK(run.b.store.out == 0);
  }
}

TEST_CASE("pause: without headroom, or with thresholds as large as the buffer, there are drops") {
  auto config = paused_star(PauseMode::kPfc);
  config.switches[0].pause = {59'000, 8'000, 0, 0xffff};
  PausedStar run(config, 2 * kMillisecond);
  CHECK(run.b.look(3 * kMillisecond).totals.dropped_buffer != 0);
  CHECK(run.b.conserved(3 * kMillisecond));
}

TEST_CASE("pause: a sender that needs headroom is stopped, even with little in the buffer") {
  auto config = paused_star(PauseMode::kPfc);
  config.switches[0].pause.xoff = 50'000;
  config.switches[0].pause.xon = 4'000;
  PausedStar run(config, 2 * kMillisecond);
  CHECK(run.b.look(3 * kMillisecond).totals.dropped_buffer == 0);
  CHECK(run.stops != 0);
}

TEST_CASE("pause: PFC affects only lossless queues") {
  auto config = paused_star(PauseMode::kPfc);
  config.switches[0].queues[3].lossless = false;
  PausedStar run(config, kMillisecond);
  CHECK(run.stops == 0);
  CHECK(run.b.look(2 * kMillisecond).totals.dropped_buffer != 0);
}

TEST_CASE("pause: is repeated before it expires") {
  auto config = star(2);
  config.switches[0].pause = {1'000, 500, 10'000, 1000};
  for (auto& link : config.links) link.flow_control = PauseMode::kPause;
  config.links[1].rate = k10G / 1000;  // the link needs 0.88 ms for a frame
  Bench b(config);
  b.send({0, 1}, 0);
  b.send({0, 1}, 0);
  b.send({0, 1}, 0);
  b.run(kMillisecond);
  // At 10 Gb/s, 1000 quanta are 51.2 µs. The switch repeats the pause frame every 25.6 µs, until the third
  // data frame begins to leave after 1.8 ms.
  b.run(10 * kMillisecond);
  const auto told = b.at_station(0);
  REQUIRE(told.size() > 10);
  std::vector<Time> at;
  for (const auto& a : told) at.push_back(a.at);
  for (std::size_t i = 1; i + 1 < at.size(); ++i) CHECK(at[i] - at[i - 1] == 25'600 * kNanosecond);
  CHECK(read(told.back().bytes)->quanta[0] == 0);
  CHECK(at.size() == Approx(70).margin(4));
  CHECK(b.look(10 * kMillisecond).ports[0].pause_tx == at.size() - 1);
  CHECK(b.snapshot.ports[0].resume_tx == 1);
  CHECK(b.network.next_event() == kNever);
}

TEST_CASE("pause: a switch obeys its neighbour, per class with PFC") {
  auto config = star(2);
  config.links[1].flow_control = PauseMode::kPfc;
  Bench b(config);
  b.send(1, pause_bytes(stop_class(3, 1000)), 0);
  b.run(10 * kMicrosecond);
  b.send({0, 1}, 10 * kMicrosecond);
  auto other = DataFrame{0, 1};
  other.dscp = 0;
  b.send(other, 10 * kMicrosecond);
  b.run(40 * kMicrosecond);
  REQUIRE(b.at_station(1).size() == 1);
  CHECK(b.at_station(1)[0].bytes == data_bytes(other));
  b.run(kMillisecond);
  REQUIRE(b.at_station(1).size() == 2);
  // The pause begins when the pause frame has arrived completely. It lasts 1000 quanta of 512 bit times.
  const Time told = 84 * 800 + kDelay;
  const Time wire = fabric::wire_bytes(1082) * 800;
  CHECK(b.at_station(1)[1].at == told + 51'200 * kNanosecond + wire + kDelay);
  const auto& port = b.look(kMillisecond).ports[1];
  CHECK(port.pause_rx == 1);
  CHECK(b.snapshot.totals.consumed == 1);
  CHECK(port.paused > 30 * kMicrosecond);
  CHECK(port.paused < 51 * kMicrosecond);
}

TEST_CASE("pause: ends early when the neighbour requests it") {
  auto config = star(2);
  config.links[1].flow_control = PauseMode::kPause;
  Bench b(config);
  b.send(1, pause_bytes(stop(0xffff)), 0);
  b.run(10 * kMicrosecond);
  b.send({0, 1}, 10 * kMicrosecond);
  b.run(100 * kMicrosecond);
  CHECK(b.arrivals.empty());
  CHECK(b.look(100 * kMicrosecond).ports[1].paused > 80 * kMicrosecond);
  b.send(1, pause_bytes(stop(0)), 100 * kMicrosecond);
  b.run(110 * kMicrosecond);
  CHECK(b.arrivals.size() == 1);
}

TEST_CASE("pause: is received and ignored on links without or with another flow control") {
  for (const auto kind : {PauseMode::kOff, PauseMode::kPfc}) {
    auto config = star(2);
    config.links[1].flow_control = kind;
    Bench b(config);
    b.send(1, pause_bytes(stop(0xffff)), 0);
    b.run(10 * kMicrosecond);
    b.send({0, 1}, 10 * kMicrosecond);
    b.run(20 * kMicrosecond);
    CHECK(b.arrivals.size() == 1);
    CHECK(b.look(20 * kMicrosecond).totals.consumed == 1);
  }
}

TEST_CASE("pause: spreads from switch to switch, and nothing is dropped") {
  // Stations 0, 1 and 2 are at the first switch, and station 3 is at the second. The link between the
  // switches is faster than the link to station 3.
  auto config = paused_star(PauseMode::kPfc);
  config.switches.push_back(config.switches[0]);
  config.links[3].b = switch_(1);
  auto uplink = config.links[0];
  uplink.a = switch_(0);
  uplink.b = switch_(1);
  uplink.rate = 4 * k10G;
  config.links.push_back(uplink);
  config.switches[1].pause.headroom = 40'000;
  PausedStar run(config, 3 * kMillisecond);
  const auto& s = run.b.look(4 * kMillisecond);
  CHECK(s.totals.dropped_buffer == 0);
  CHECK(s.totals.consumed > 5);
  CHECK(run.stops > 5);
  CHECK(run.b.at_station(3).size() == run.sent);
  CHECK(run.b.conserved(4 * kMillisecond));
}

TEST_CASE("pause: a full store loses no pause frame permanently") {
  auto config = star(2);
  config.switches[0].pause = {1'000, 500, 10'000, 0xffff};
  for (auto& link : config.links) link.flow_control = PauseMode::kPause;
  config.links[1].rate = k10G / 1000;
  Bench b(config);
  b.send({0, 1}, 0);
  b.send({0, 1}, 0);
  b.send({0, 1}, 0);
  b.store.limit = 3;
  b.run(20 * kMicrosecond);
  CHECK(b.at_station(0).empty());
  CHECK(b.look(20 * kMicrosecond).totals.dropped_store != 0);
  b.store.limit = 10;
  b.run(30 * kMicrosecond);
  CHECK(b.at_station(0).size() == 1);
  b.run(20 * kMillisecond);
  CHECK(read(b.at_station(0).back().bytes)->quanta[0] == 0);
  CHECK(b.conserved(20 * kMillisecond));
}

namespace {

/// A star in which stations 0 to 2 pass all of their frames to the network at once, without regard to pause
/// frames.
struct DeafStar {
  static constexpr std::uint32_t kSenders = 3;
  static constexpr std::size_t kFrames = 200;

  explicit DeafStar(const NetworkConfig& config) : b(config) {
    for (std::uint32_t i = 0; i < kSenders; ++i)
      for (std::size_t k = 0; k < kFrames; ++k) b.send({i, kSenders}, 0);
  }
  static NetworkConfig config(PauseMode kind, PauseMode obeyed) {
    auto config = paused_star(kind);
    for (auto& s : config.stations) {
      s.obeys = obeyed;
      s.dscp_to_priority[26] = 3;
    }
    return config;
  }
  Bench b;
};

}  // namespace

TEST_CASE("pause: a station's transmitter may obey in its place") {
  for (const auto kind : {PauseMode::kPause, PauseMode::kPfc}) {
    DeafStar heard(DeafStar::config(kind, kind));
    heard.b.run(kMillisecond);
    CHECK(heard.b.look(kMillisecond).ports[0].pause_tx > 0);
    CHECK(heard.b.snapshot.totals.dropped_buffer == 0);
    CHECK(heard.b.at_station(3).size() == DeafStar::kSenders * DeafStar::kFrames);
    CHECK(heard.b.snapshot.totals.in_network == 0);
    // If the pause frames are not of the kind that the link uses, they are ignored.
    for (const auto other :
         {PauseMode::kOff, kind == PauseMode::kPfc ? PauseMode::kPause : PauseMode::kPfc}) {
      DeafStar deaf(DeafStar::config(kind, other));
      deaf.b.run(kMillisecond);
      CHECK(deaf.b.look(kMillisecond).totals.dropped_buffer > 100);
    }
  }
}

TEST_CASE("pause: a station's transmitter passes unpaused priorities") {
  for (const auto kind : {PauseMode::kPause, PauseMode::kPfc}) {
    DeafStar run(DeafStar::config(kind, kind));
    run.b.run(100 * kMicrosecond);
    // Station 0 still has queued frames of priority 3. The path to station 1 is free.
    auto other = DataFrame{0, 1};
    other.dscp = 0;
    run.b.send(other, 100 * kMicrosecond);
    const auto arrived = [&] {
      const auto all = run.b.at_station(1);  // also contains pause frames
      return std::count_if(all.begin(), all.end(),
                           [&](const auto& a) { return a.bytes == data_bytes(other); });
    };
    run.b.run(105 * kMicrosecond);
    CHECK(arrived() == (kind == PauseMode::kPfc ? 1 : 0));
    run.b.run(kMillisecond);
    CHECK(arrived() == 1);
    CHECK(run.b.at_station(3).size() == DeafStar::kSenders * DeafStar::kFrames);
  }
}
