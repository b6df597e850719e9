// SPDX-License-Identifier: BSD-3-Clause
// Tests boards with event data, and receivers that build events from the data.
#include "board_builder.hpp"
#include "detector/counter_payload.hpp"
#include "engine/trigger_bus.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <memory>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using detector::EventStatus;
using detector::FragmentVerdict;
using detector::HeaderVerdict;

namespace {

constexpr std::uint32_t kBoards = 3;
constexpr std::uint32_t kBuilders = 2;
constexpr Time kPeriod = 20 * kMicrosecond;

struct Options {
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t fifo = 16;
  std::uint32_t busy_at = detector::FragmentFifoConfig::kNeverBusy;
  detector::FragmentSizes sizes{.min = 3000, .max = 3000};
  std::uint64_t rate_hz = 50'000;
  std::uint64_t link_rate = 0;
};

/// Three boards answer periodic triggers and send their data to two builders.
struct Camera {
  explicit Camera(const Options& options = {})
      : layout{.boards = kBoards, .builders = kBuilders, .slots = 4, .slot = 8192, .piece = 2000},
        payload(options.sizes, layout.piece, layout.largest()),
        unused(test::FilledPayload::counter(1024, 1024)),
        memory(kBuilders, std::vector<std::uint8_t>(layout.memory())) {
    TriggerBusConfig triggers;
    triggers.sources = {{.kind = detector::TriggerSourceConfig::Kind::kPeriodic,
                         .type = detector::EventType::kFlatfield,
                         .rate_hz = options.rate_hz,
                         .phase = kMicrosecond}};
    triggers.boards = kBoards;
    bus = std::make_unique<TriggerBus>(triggers);
    std::vector<test::ReceiverBuilder> to;
    for (std::uint32_t i = 0; i < kBuilders; ++i) to.emplace_back(test::identity(11 + i));
    for (std::uint32_t b = 0; b < kBoards; ++b) add_board(b, options, to);
    for (std::uint32_t i = 0; i < kBuilders; ++i) {
      to[i].config.events = EventReceiverConfig{.layout = layout,
                                                .builder = i,
                                                .building = {.timeout = kMillisecond},
                                                .address = test::kRemoteAddress,
                                                .memory = memory[i].data(),
                                                .expected = &payload,
                                                .triggers = bus.get()};
      receivers.push_back(to[i].build());
    }
  }

  void add_board(std::uint32_t b, const Options& options, std::vector<test::ReceiverBuilder>& to) {
    test::BoardBuilder builder(test::identity(1 + b));
    EventSenderConfig events;
    events.fifo.layout = layout;
    events.fifo.board = static_cast<std::uint16_t>(b);
    events.fifo.fifo = options.fifo;
    events.fifo.busy_at = options.busy_at;
    events.pmtu = 1024;
    events.payload = &payload;
    events.triggers = bus.get();
    if (options.busy_at != detector::FragmentFifoConfig::kNeverBusy) events.reports_as = b;
    for (std::uint32_t i = 0; i < kBuilders; ++i) {
      SendQpConfig& s = builder.qp(test::identity(11 + i), *unused);
      s.requester.transport = options.transport;
      s.requester.dest_qpn = test::kReceiveQpn + b;
      s.requester.send_queue_depth = EventSender::send_queue_needed(events.fifo);
      s.requester.window_requests = s.requester.send_queue_depth;
      s.traffic.messages = 0;
      to[i].qp(s, memory[i]);
    }
    builder.config.events = events;
    builder.config.link_rate = options.link_rate;
    boards.push_back(builder.build());
  }

  test::Wire wire() {
    std::vector<Endpoint*> all;
    for (const auto& b : boards) all.push_back(b.get());
    for (const auto& r : receivers) all.push_back(r.get());
    return test::Wire(all);
  }

  void run(test::Wire& wire, Time traffic) {
    bus->begin(wire.now);
    for (const auto& b : boards) b->start(wire.now);
    wire.run_until(wire.now + traffic);
    for (const auto& b : boards) b->stop_traffic(wire.now);
    const auto finished = [&] {
      for (const auto& b : boards) {
        if (!b->finished()) return false;
      }
      return true;
    };
    CHECK(wire.run(wire.now + kSecond, finished));
    wire.run_until(wire.now + 2 * kMillisecond);
    for (const auto& r : receivers) r->events()->finish(wire.now, bus->accepted());
  }

  std::uint64_t with_status(EventStatus status) const {
    std::uint64_t n = 0;
    for (const auto& r : receivers) n += r->events()->builder().counts()[status];
    return n;
  }

  detector::EventLayout layout;
  detector::CounterPayload payload;
  test::FilledPayload unused;
  std::vector<std::vector<std::uint8_t>> memory;
  std::unique_ptr<TriggerBus> bus;
  std::vector<std::unique_ptr<Board>> boards;
  std::vector<std::unique_ptr<Receiver>> receivers;
};

}  // namespace

TEST_CASE("all boards answer each trigger and builders complete every event", "[events]") {
  Options options;
  SECTION("over RC") {}
  SECTION("over UC") { options.transport = roce::Transport::kUc; }
  SECTION("with sizes that vary, and empty fragments") {
    options.sizes = {.min = 0, .max = 7000, .shape = detector::FragmentSizes::Shape::kUniform};
  }
  Camera camera(options);
  test::Wire wire = camera.wire();
  camera.run(wire, 100 * kPeriod);
  CHECK(camera.bus->accepted() == 100);
  CHECK(camera.with_status(EventStatus::kComplete) == 100);
  for (const auto& r : camera.receivers) {
    CHECK(r->events()->builder().counts().opened == 50);
    CHECK(r->events()->counts().header.rejected() == 0);
    CHECK(r->events()->counts().wrong_payload == 0);
    CHECK(r->events()->builder().unseen().count() == 0);
  }
}

TEST_CASE("a lost packet of an RC board is sent again with the same bytes", "[events]") {
  Camera camera;
  test::Wire wire = camera.wire();
  wire.loss = 2 * test::Wire::kPercent;
  camera.run(wire, 200 * kPeriod);
  CHECK(wire.lost > 0);
  CHECK(camera.with_status(EventStatus::kComplete) + camera.with_status(EventStatus::kTimeout) ==
        camera.bus->accepted());
  for (const auto& r : camera.receivers) {
    CHECK(r->events()->counts().header.rejected() == 0);
    CHECK(r->events()->counts().wrong_payload == 0);
    CHECK(r->events()->counts().wrong_address == 0);
  }
}

TEST_CASE("busy boards veto triggers before their FIFO overflows", "[events]") {
  Camera camera({.fifo = 8, .busy_at = 4, .rate_hz = 2'000'000});
  test::Wire wire = camera.wire();
  wire.delay = 20 * kMicrosecond;
  camera.run(wire, 5 * kMillisecond);
  const detector::TriggerCounts& counts = camera.bus->counts()[0];
  CHECK(counts.busy > 0);
  CHECK(counts.candidates == 9998);
  CHECK(counts.candidates == counts.accepted + counts.busy);
  for (const auto& b : camera.boards) {
    CHECK(b->events()->fifo().counts().lost == 0);
    CHECK(b->events()->fifo().counts().most <= 8);
  }
  CHECK(camera.bus->busy_time(wire.now) > 0);
}

TEST_CASE("a board that becomes busy after the last trigger adds no busy time", "[events]") {
  TriggerBusConfig config;
  config.boards = 1;
  TriggerBus bus(config);
  bus.begin(kSecond);
  bus.report(0, true, kSecond + 100 * kMicrosecond);
  bus.report(0, false, kSecond + 300 * kMicrosecond);
  bus.end(kSecond + kMillisecond);
  bus.report(0, true, kSecond + 2 * kMillisecond);
  CHECK(bus.busy_time(kSecond + 3 * kMillisecond) == 200 * kMicrosecond);
}

TEST_CASE("without a veto, a full FIFO loses events and later headers say so", "[events]") {
  Camera camera({.fifo = 2, .rate_hz = 2'000'000});
  test::Wire wire = camera.wire();
  wire.delay = 20 * kMicrosecond;
  camera.run(wire, kMillisecond);
  for (const auto& b : camera.boards) {
    const detector::FragmentFifoCounts& c = b->events()->fifo().counts();
    CHECK(c.lost > 0);
    CHECK(c.lost + c.entered == c.triggers);
  }
}

TEST_CASE("a slow link holds up many fragments at once", "[events]") {
  // The link needs 300 µs for each fragment, but 16 triggers arrive within 32 µs, so fragments must wait.
  Options options{.rate_hz = 500'000, .link_rate = 10'000'000};
  SECTION("over RC") {}
  SECTION("over UC") { options.transport = roce::Transport::kUc; }
  Camera camera(options);
  test::Wire wire = camera.wire();
  camera.run(wire, 31 * kMicrosecond);
  CHECK(camera.bus->accepted() == 15);
  CHECK(camera.with_status(EventStatus::kComplete) + camera.with_status(EventStatus::kTimeout) == 15);
  for (const auto& b : camera.boards) {
    CHECK(b->events()->fifo().counts().completed == 15);
    for (std::size_t i = 0; i < b->qp_count(); ++i) CHECK(b->qp(i).counters().completions_out_of_order == 0);
  }
}

TEST_CASE("a message that contradicts its header is rejected by reason", "[events]") {
  Camera camera;
  camera.bus->begin(0);
  EventReceiver& events = *camera.receivers[0]->events();
  std::uint8_t* const slot = camera.memory[0].data() + camera.layout.address_of(6, 1);
  detector::EventHeader header{.event = 6, .board = 1, .length = 1000, .total = 1000};
  const std::uint8_t* const bytes = camera.payload.bytes(6, 1, 0, 1000);
  const auto write = [&] {
    detector::write_event_header(header, slot);
    std::copy(bytes, bytes + 1000, slot + 64);
  };
  const std::uint64_t address = test::kRemoteAddress + camera.layout.address_of(6, 1);
  roce::MessageEvent message{.address = address, .length = 1064, .has_immediate = true, .immediate = 6};
  write();
  SECTION("a false immediate") {
    message.immediate = 7;
    events.message(1, 1, message);
    CHECK(events.counts().wrong_immediate == 1);
  }
  SECTION("another board") {
    events.message(1, 2, message);
    CHECK(events.counts().wrong_source == 1);
  }
  SECTION("a false event number with a fitting immediate") {
    header.event = 1 << 20 | 4;
    message.immediate = 1 << 20 | 4;
    write();
    events.message(1, 1, message);
    CHECK(events.counts().wrong_address == 1);
  }
  SECTION("a wrong CRC") {
    slot[20] ^= 1;
    events.message(1, 1, message);
    CHECK(events.counts().header[HeaderVerdict::kHeaderCrc] == 1);
  }
  SECTION("no immediate") {
    message.has_immediate = false;
    events.message(1, 1, message);
    CHECK(events.counts().no_immediate == 1);
  }
  SECTION("too short, or empty") {
    message.length = 63;
    events.message(1, 1, message);
    message = {.address = 0, .length = 0, .has_immediate = true, .immediate = 6};
    events.message(1, 1, message);
    CHECK(events.counts().header[HeaderVerdict::kShort] == 2);
  }
  SECTION("another payload") {
    events.message(1, 1, message);  // too short: a fragment of this camera has 3000 bytes
    CHECK(events.counts().wrong_payload == 1);
  }
  CHECK(events.builder().counts().fragments == 0);
}
