// SPDX-License-Identifier: BSD-3-Clause
// Tests boards that receive their triggers as messages.
#include "engine/message_triggers.hpp"

#include "board_builder.hpp"
#include "detector/counter_payload.hpp"
#include "detector/trigger_server.hpp"
#include "engine/trigger_bus.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using detector::TriggerMessage;

namespace {

constexpr std::uint32_t kRun = 3;
constexpr detector::EventTime kOrigin{1000, 8};
constexpr Time kStart = kMillisecond;

/// A board and a host that sends triggers. The board's FIFO holds two fragments. The receiver to which the
/// board writes does not exist, so fragments stay in the FIFO.
struct Rig {
  Rig() : payload({.min = 100, .max = 100}, 1024, 4096), unused(test::FilledPayload::counter(1024, 1024)) {
    run.begin(kStart, kOrigin);
    test::BoardBuilder builder(test::identity(1));
    EventSenderConfig events;
    events.fifo.layout = {.boards = 2, .slots = 4, .slot = 4096, .piece = 1024};
    events.fifo.board = 1;
    events.fifo.fifo = 2;
    events.fifo.busy_at = 1;
    events.pmtu = 1024;
    events.payload = &payload;
    events.triggers = events.messages = &triggers;
    events.reports_as = 1;
    SendQpConfig& s = builder.qp(test::identity(11), *unused);
    s.requester.send_queue_depth = EventSender::send_queue_needed(events.fifo);
    s.requester.window_requests = s.requester.send_queue_depth;
    s.traffic.messages = 0;
    builder.config.events = events;
    board = builder.build();
    board->start(kStart);
  }

  /// Sends a datagram to the UDP port on which the board receives triggers.
  void send(ByteSpan bytes, Time now, std::uint16_t from_port = 40'000) {
    const Identity from = test::identity(200);
    test::Bytes frame(control_frame_overhead(from) + bytes.size());
    write_control_frame(from,
                        {board->identity().mac, board->identity().ip, detector::kTriggerPort, from_port},
                        bytes, 1, frame.data());
    const Segments segments = ByteSpan(frame);
    board->receive(roce::parse_frame(segments), now);
  }
  void send(const TriggerMessage& message, Time now) {
    std::array<std::uint8_t, detector::kTriggerMessageSize> bytes;
    detector::write_trigger_message(message, bytes.data());
    send(ByteSpan(bytes), now);
  }
  /// Returns a trigger message whose time is the start of the run plus `after`.
  static TriggerMessage trigger(std::uint64_t event, Time after) {
    return {.run = kRun, .time = detector::time_after(kOrigin, after), .event = event};
  }

  /// Returns the busy messages that the board sends at `now`.
  std::vector<detector::BusyMessage> poll(Time now) {
    std::vector<detector::BusyMessage> all;
    std::array<std::array<std::uint8_t, TxFrame::kHeaderRoom>, 8> headers;
    std::array<TxFrame, 8> frames;
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i].header = headers[i].data();
    const std::size_t n = board->poll(now, frames);
    for (std::size_t i = 0; i < n; ++i) {
      const Segments segments = ByteSpan(frames[i].header, frames[i].header_length);
      const roce::ParsedFrame frame = roce::parse_frame(segments);
      if (frame.kind != roce::FrameKind::kUdp || frame.dest_port != 40'000) continue;
      CHECK(frame.source_port == detector::kTriggerPort);
      CHECK(frame.dest_mac == test::identity(200).mac);
      CHECK(frame.dest_ip == test::identity(200).ip);
      std::array<std::uint8_t, detector::kTriggerMessageSize> bytes;
      REQUIRE(frame.content.copy(0, bytes.size(), bytes.data()) == bytes.size());
      const auto message = detector::read_busy_message(bytes);
      REQUIRE(message);
      all.push_back(*message);
    }
    return all;
  }

  const TriggerMessageCounts& counts() const { return triggers.messages(); }

  detector::CounterPayload payload;
  test::FilledPayload unused;
  TriggerBus run{TriggerBusConfig{}};
  MessageTriggers triggers{run, kRun};
  std::unique_ptr<Board> board;
};

}  // namespace

TEST_CASE("a board answers new triggers, and counts lost ones", "[events]") {
  Rig rig;
  rig.send(Rig::trigger(2, 10 * kMicrosecond), kStart + 12 * kMicrosecond);
  rig.send(Rig::trigger(2, 10 * kMicrosecond), kStart + 13 * kMicrosecond);
  rig.send(Rig::trigger(1, 9 * kMicrosecond), kStart + 13 * kMicrosecond);
  rig.send(Rig::trigger(5, 30 * kMicrosecond), kStart + 33 * kMicrosecond);
  rig.poll(kStart + 40 * kMicrosecond);
  CHECK(rig.counts().accepted == 2);
  CHECK(rig.counts().ignored == 2);
  CHECK(rig.triggers.lost() == 4);
  CHECK(rig.triggers.events() == 6);
  CHECK(rig.board->events()->fifo().counts().triggers == 2);
  CHECK(rig.triggers.trigger(1) == detector::Trigger{5, 30 * kMicrosecond});
  CHECK(rig.board->counters().rx_host == 4);
  CHECK_FALSE(rig.board->events()->finished());

  rig.send({.end_of_run = true, .run = kRun, .time = kOrigin, .event = 9}, kStart + kMillisecond);
  rig.send(Rig::trigger(9, kMillisecond), kStart + kMillisecond);
  CHECK(rig.counts().ends == 1);
  CHECK(rig.counts().ignored == 3);
  CHECK(rig.triggers.lost() == 7);
  CHECK(rig.triggers.over());
}

TEST_CASE("messages that are no triggers of this run are counted by reason", "[events]") {
  Rig rig;
  TriggerMessage other = Rig::trigger(0, 0);
  other.run = kRun + 1;
  rig.send(other, kStart + 1);
  rig.send(Rig::trigger(0, 0), kStart - 1);
  rig.send(test::Bytes(31), kStart + 1);
  rig.send(test::Bytes(33), kStart + 1);
  rig.send(test::Bytes(32), kStart + 1);
  std::array<std::uint8_t, detector::kTriggerMessageSize> bytes;
  detector::write_trigger_message(Rig::trigger(0, 0), bytes.data());
  rig.send(ByteSpan(bytes), kStart + 1, 0);  // source port 0, to which the board cannot reply
  CHECK(rig.counts().wrong_run == 1);
  CHECK(rig.counts().early == 1);
  CHECK(rig.counts().malformed == 4);
  CHECK(rig.counts().accepted == 0);
}

TEST_CASE("a clock that jumps does not hold up triggers", "[events]") {
  Rig rig;
  const auto flags = [&](std::uint64_t i) { return rig.triggers.flags(i); };
  rig.send(Rig::trigger(0, 100 * kSecond), kStart + 2 * kSecond);
  CHECK(rig.counts().wrong_time == 1);
  CHECK(flags(0) == detector::kNotSynchronised);
  CHECK(rig.triggers.trigger(0).time == 2 * kSecond);
  // the time in the message is before the start of the run
  rig.send({.run = kRun, .time = {5, 0}, .event = 1}, kStart + 3 * kSecond);
  CHECK(rig.counts().wrong_time == 2);
  CHECK(rig.triggers.trigger(1).time == 3 * kSecond);
  rig.send(Rig::trigger(2, 3 * kSecond - 1000), kStart + 3 * kSecond + 1);
  CHECK(rig.counts().clock_steps == 1);
  CHECK(flags(2) == 0);
  CHECK(rig.triggers.trigger(2).time == 3 * kSecond);
}

TEST_CASE("a busy board tells the sender of triggers, and repeats it", "[events]") {
  Rig rig;
  CHECK(rig.board->next_event(kStart) == kNever);
  rig.send(Rig::trigger(0, 0), kStart);
  Time now = kStart + 20 * kMicrosecond;
  auto messages = rig.poll(now);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].busy);
  CHECK(messages[0].board == 1);
  CHECK(messages[0].run == kRun);
  CHECK(messages[0].time == detector::time_after(kOrigin, 20 * kMicrosecond));
  CHECK(rig.poll(now + MessageTriggers::kRepeat - 1).empty());
  now += MessageTriggers::kRepeat;
  CHECK(rig.board->next_event(now - 1) <= now);
  CHECK(rig.poll(now).size() == 1);
  rig.triggers.report(1, false, now);  // the board reports that it is idle when a fragment completes
  messages = rig.poll(now);
  REQUIRE(messages.size() == 1);
  CHECK_FALSE(messages[0].busy);
  CHECK(rig.poll(now + kSecond).empty());
}

TEST_CASE("an endpoint without trigger messages counts them as others", "[events]") {
  test::BoardBuilder builder(test::identity(1));
  const auto board = builder.build();
  const Identity from = test::identity(200);
  const test::Bytes payload(32);
  test::Bytes frame(control_frame_overhead(from) + payload.size());
  write_control_frame(from, {board->identity().mac, board->identity().ip, detector::kTriggerPort, 1000},
                      payload, 1, frame.data());
  const Segments segments = ByteSpan(frame);
  board->receive(roce::parse_frame(segments), 0);
  CHECK(board->counters().rx_other == 1);
}
