// SPDX-License-Identifier: BSD-3-Clause
// Tests receivers with a map of missing data, and receivers whose receive requests are refilled.
#include "board_builder.hpp"
#include "engine/snapshot.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <set>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

constexpr std::uint32_t kStreams = 3;
constexpr std::uint64_t kMessages = 500;
constexpr std::uint32_t kFirst = 0xfffffff0;  // the immediates wrap around

/// A set of lost messages: {stream, number of the message in this stream}.
using Lost = std::set<std::pair<std::uint32_t, std::uint64_t>>;

class AbsentStreams : public roce::WindowConsumer {
 public:
  void closed(const roce::ClosedWindows& w) override {
    for (std::uint64_t n = w.first; n <= w.last; ++n) {
      for (std::uint32_t s = 0; s < kStreams; ++s) {
        if ((w.streams[0] >> s & 1) == 0) lost.emplace(s, n);
      }
    }
  }
  Lost lost;
};

/// A board with UC streams of one-packet messages, and a receiver with windows.
struct Streams {
  explicit Streams(roce::WindowConsumer* consumer, Time receive_interval = 0)
      : payload(test::FilledPayload::counter(1024, 1024)), memory(kStreams * 1024) {
    test::BoardBuilder b(test::identity(1));
    test::ReceiverBuilder r(test::identity(2));
    for (std::uint32_t q = 0; q < kStreams; ++q) {
      SendQpConfig& s = b.qp(test::identity(2), *payload);
      s.requester.transport = roce::Transport::kUc;
      s.traffic.verb = roce::WrOpcode::kWriteImm;
      s.traffic.immediate_kind = ImmediateKind::kCounter;
      s.traffic.immediate = kFirst;
      s.traffic.messages = kMessages;
      s.traffic.rate_kind = RateKind::kMessages;
      s.traffic.rate = 100'000;
      ReceiveQpSetup& t = r.qp(s, MutableByteSpan(memory).subspan(q * 1024, 1024));
      t.receive_interval = receive_interval;
      if (receive_interval != 0) t.qp.responder.receives = 4;
    }
    r.config.windows =
        roce::WindowMapConfig{.ring = 8, .depth = 3, .first_immediate = kFirst, .packets_per_message = 1};
    r.config.window_consumer = consumer;
    board = b.build();
    receiver = r.build();
  }

  void run(test::Wire& wire) {
    board->start(0);
    CHECK(wire.run(kSecond, [&] { return board->finished(); }));
    wire.run_until(wire.now + kMillisecond);
    receiver->finish_windows(kMessages, wire.now);
  }

  test::FilledPayload payload;
  std::vector<std::uint8_t> memory;
  std::unique_ptr<Board> board;
  std::unique_ptr<Receiver> receiver;
};

}  // namespace

TEST_CASE("the bitmaps of windows show exactly what the wire lost", "[windows]") {
  AbsentStreams consumer;
  Streams s(&consumer);
  test::Wire wire({s.board.get(), s.receiver.get()});
  wire.duplicate = 5 * test::Wire::kPercent;
  wire.reorder = 5 * test::Wire::kPercent;
  Lost lost;
  std::uint64_t sent[kStreams] = {};
  wire.tap = [&](Endpoint& from, const TxFrame& frame) {
    if (&from != s.board.get() || frame.payload_length == 0) return true;
    const std::uint32_t stream = frame.header[14 + 20 + 8 + 7] - (test::kReceiveQpn & 0xff);
    const std::uint64_t n = sent[stream]++;
    if ((n * 7 + stream) % 23 != 0) return true;
    lost.emplace(stream, n);
    return false;
  };
  s.run(wire);
  CHECK(consumer.lost == lost);
  const roce::WindowCounters& c = s.receiver->windows()->counters();
  CHECK(c.windows() == kMessages);
  CHECK(c.missing == lost.size());
  CHECK(c.marked == kStreams * kMessages - lost.size());
  CHECK(c.inconsistent == 0);
  EndpointSnapshot snapshot = make_snapshot(*s.receiver);
  take_snapshot(*s.receiver, snapshot, 0, SIZE_MAX, wire.now);
  CHECK(snapshot.windows->goodput_bytes == c.marked * 1024);
  CHECK(snapshot.bytes_in_progress == 0);
}

TEST_CASE("messages without a receive request are lost, and requests are refilled", "[windows]") {
  AbsentStreams consumer;
  Streams s(&consumer, 20 * kMicrosecond);  // posts one receive for every two messages
  test::Wire wire({s.board.get(), s.receiver.get()});
  s.run(wire);
  for (std::uint32_t q = 0; q < kStreams; ++q) {
    const roce::ResponderCounters c = s.receiver->responder_counters(q);
    CHECK(c.messages + c.no_receive == kMessages);
    CHECK(c.messages == Approx(kMessages / 2.0).margin(6));
  }
  CHECK(consumer.lost.size() == s.receiver->windows()->counters().missing);
}
