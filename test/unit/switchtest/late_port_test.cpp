// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/rig_faults.hpp"
#include "switchtest/test_port.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr Time kStart = kMillisecond;
constexpr Time kOneFrame = 1'538 * 800;  // picoseconds at 10 Gb/s
constexpr Time kAhead = 20 * kMicrosecond;

/// A test port that is polled at times that the test chooses.
class Polled {
 public:
  explicit Polled(Trial t) : trial(std::move(t)) {
    for (std::uint16_t p = 0; p < 2; ++p)
      rig_ports.push_back(
          {.name = "p" + std::to_string(p), .rate = 1'250'000'000, .address = default_address(p)});
    ports.push_back(std::make_unique<TestPort>(rig_ports, std::uint16_t{0}));
    ports[0]->prepare(trial, 1, kStart);
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i].header = headers[i].data();
  }
  std::size_t poll(Time at, Time ahead = kAhead) { return ports[0]->poll(kStart + at, frames, ahead); }
  TrialResult result() const { return collect(trial, ports); }

  Trial trial;
  std::vector<RigPort> rig_ports;
  std::vector<std::unique_ptr<TestPort>> ports;
  std::array<engine::TxFrame, 64> frames;
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, 64> headers{};
};

Trial stream(Source source) {
  Trial out;
  out.kinds.push_back({.to = 1, .length = 1514, .plain_udp = true});
  source.kinds = {0};
  out.sources.push_back(std::move(source));
  out.end = kSecond;
  return out;
}

}  // namespace

TEST_CASE("The NIC's queue takes frames that wait for the link, but none that are not due", "[switchtest]") {
  Polled port(stream({.count = 100}));
  CHECK(port.poll(0, 0) == 1);
  // Nothing is due before the link is free again.
  CHECK(port.poll(kMicrosecond) == 0);
  // Without gaps, a frame becomes due only when the previous one ends, so only one may start.
  CHECK(port.poll(10 * kOneFrame) == 1);

  Trial trial = stream({.count = 3});
  trial.sources.push_back(trial.sources.front());
  Polled two(std::move(trial));
  CHECK(two.poll(0) == 2);
}

TEST_CASE("A stream at line rate that was polled late fills the link and stays late", "[switchtest]") {
  Polled port(stream({.count = 1000, .gap = kOneFrame}));
  CHECK(port.poll(0) == 1);
  const Time late = 100 * kMicrosecond;
  std::size_t sent = 1;
  for (Time at = late; sent < 1000 && at < 10 * kMillisecond; at += kMicrosecond) sent += port.poll(at);
  const TrialResult result = port.result();
  CHECK(result.kinds[0].sent == 1000);
  CHECK(result.late_max == late - kOneFrame);
  // After the late frame, the link is never idle.
  CHECK(result.kinds[0].last_departure == late + 998 * kOneFrame);
}

TEST_CASE("A slower stream that was polled late catches up", "[switchtest]") {
  Polled port(stream({.count = 1000, .gap = 2 * kOneFrame}));
  CHECK(port.poll(0) == 1);
  std::size_t sent = 1;
  for (Time at = 100 * kMicrosecond; sent < 1000 && at < 10 * kMillisecond; at += 100 * kNanosecond)
    sent += port.poll(at);
  const TrialResult result = port.result();
  CHECK(result.kinds[0].last_departure < 999 * 2 * kOneFrame + 100 * kNanosecond);
  CHECK(result.late_max == 100 * kMicrosecond - 2 * kOneFrame);
}

TEST_CASE("The delays of a train without gaps add up", "[switchtest]") {
  Polled port(stream({.count = 100}));
  for (std::size_t i = 0; i < 100; ++i) CHECK(port.poll(i * 2 * kOneFrame) == 1);
  CHECK(port.result().late_max == 99 * kOneFrame);
}

TEST_CASE("A freeze that is renewed too late lapses", "[switchtest]") {
  const Time duration = roce::pause_time(0xffff, 1'250'000'000);
  const Time delay = GENERATE(Time{0}, kMillisecond, 3 * kMillisecond);
  Trial trial;
  trial.freezes.push_back({.port = 0, .until = 3 * duration});
  trial.end = kSecond;
  Polled port(std::move(trial));
  CHECK(port.poll(0) == 1);
  for (Time at = duration / 4 + delay; at < 4 * duration; at += 10 * kMicrosecond) port.poll(at);
  const TrialResult result = port.result();
  CHECK(result.sent_pauses.size() == 13);
  CHECK(result.void_reason.empty() == (delay < duration * 3 / 4));
}

TEST_CASE("A frame may seem to arrive a little before it departed", "[switchtest]") {
  const Time error = GENERATE(Time{0}, kMicrosecond);
  Trial trial = stream({.count = 1});
  trial.kinds[0].record = true;
  Polled port(trial);
  REQUIRE(port.poll(0) == 1);
  TestPort receiver(port.rig_ports, 1, error);
  receiver.prepare(trial, 1, kStart);
  Segments bytes;
  bytes.push({port.frames[0].header, port.frames[0].header_length});
  bytes.push({port.frames[0].payload, port.frames[0].payload_length});
  receiver.receive(bytes, kStart - kMicrosecond / 2);
  TrialResult result;
  result.kinds.resize(1);
  result.start_skew.resize(1);
  result.latency.resize(1);
  receiver.collect(result);
  CHECK(result.kinds[0].arrived == (error == 0 ? 0 : 1));
  CHECK(result.foreign == (error == 0 ? 1 : 0));
  if (error != 0) CHECK(result.arrivals.at(0).at == result.arrivals.at(0).departed);
}

TEST_CASE("Each fault of a rig makes a trial void", "[switchtest]") {
  Trial trial;
  TrialResult result;
  CHECK(void_reason(trial, result, {}).empty());
  CHECK(void_reason(trial, result, {.loop_gap = kMillisecond - 1, .network_gap = kMillisecond - 1}).empty());
  CHECK(void_reason(trial, result, {.loop_gap = 1234 * kMicrosecond}).find("1234 us") != std::string::npos);
  CHECK(void_reason(trial, result, {.network_gap = kMillisecond}).find("network") != std::string::npos);
  CHECK(void_reason(trial, result, {.refused = 1}).find("1 frame ") != std::string::npos);
  CHECK(void_reason(trial, result, {.no_buffers = 1}).find("buffers") != std::string::npos);
  CHECK(void_reason(trial, result, {.missed = 2}).find("2 frames") != std::string::npos);
  CHECK(void_reason(trial, result, {.network_lost = 2}).find("lost 2 frames") != std::string::npos);
  CHECK(void_reason(trial, result, {.network_full = 1}).find("full") != std::string::npos);
  result.late_max = trial.lateness + 1;
  CHECK(void_reason(trial, result, {}).find("after its schedule") != std::string::npos);
  trial.lateness = result.late_max;
  CHECK(void_reason(trial, result, {}).empty());
  result.void_reason = "the port said so";
  CHECK(void_reason(trial, result, {}) == "the port said so");
}

TEST_CASE("A trial that only counts is valid although the rig stood still", "[switchtest]") {
  Trial trial;
  trial.counts_only = true;
  TrialResult result;
  const RigFaults gap{.loop_gap = 8 * kMillisecond};
  CHECK(void_reason(trial, result, gap).empty());
  CHECK(disturbance(trial, result, gap).find("8000 us") != std::string::npos);
  CHECK(disturbance(trial, result, {.loop_gap = kMillisecond - 1}).empty());
  result.late_max = trial.lateness + 1;
  CHECK(void_reason(trial, result, {}).empty());
  CHECK(disturbance(trial, result, {}).find("after its schedule") != std::string::npos);
  CHECK(void_reason(trial, result, {.loop_gap = 8 * kMillisecond, .missed = 1}).find("missed 1") !=
        std::string::npos);
  result.void_reason = "the port said so";
  CHECK(void_reason(trial, result, gap) == "the port said so");
}
