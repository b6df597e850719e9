// SPDX-License-Identifier: BSD-3-Clause
#include "engine/message_times.hpp"

#include "base/published_cdfs.hpp"
#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using namespace softfeb::test;

namespace {

constexpr std::uint32_t kLength = 4096;
constexpr Time kDelay = 2 * kMicrosecond;  // delay of the wire; an acknowledgement arrives after two delays

/// A board whose queue pairs write to one receiver over a wire.
struct Bench {
  explicit Bench(std::uint32_t longest, std::uint32_t pmtu = 4096)
      : payload(FilledPayload::counter(longest, pmtu)), pmtu_(pmtu) {}

  /// Adds a queue pair, and sets its `times` to those of the bench.
  SendQpConfig& add(MessageTimesConfig config, std::uint64_t memory = kLength) {
    config.times = times;
    lengths_.push_back(config.lengths);
    memories_.emplace_back(memory);
    SendQpConfig& qp = board_.qp(receiver_.config.identity, *payload, pmtu_);
    qp.times = std::make_shared<const MessageTimesConfig>(config);
    return qp;
  }

  void start() {
    for (std::size_t i = 0; i < board_.config.qps.size(); ++i) {
      ReceiveQpSetup& qp = receiver_.qp(board_.config.qps[i], memories_[i]);
      expect_payload(qp, *payload);
      if (lengths_[i]) qp.qp.layout.emplace(lengths_[i], payload.source->plan().message_length(), pmtu_);
    }
    board = board_.build();
    receiver = receiver_.build();
    wire.add(*board);
    wire.add(*receiver);
    wire.delay = kDelay;
    board->start(wire.now);
  }
  /// Stops the board at `end` and waits until it has finished.
  bool run(Time end) {
    wire.run_until(end);
    board->stop_traffic(wire.now);
    return wire.run(10 * end, [&] { return board->finished(); });
  }

  FilledPayload payload;
  Wire wire;
  std::shared_ptr<CompletionTimes> times = std::make_shared<CompletionTimes>();
  std::unique_ptr<Board> board;
  std::unique_ptr<Receiver> receiver;

 private:
  std::uint32_t pmtu_;
  BoardBuilder board_{test::identity(1)};
  ReceiverBuilder receiver_{test::identity(2)};
  std::vector<MessageLengths> lengths_;
  std::vector<std::vector<std::uint8_t>> memories_;
};

std::shared_ptr<Arrivals> arrivals(double gap_us) { return std::make_shared<Arrivals>(gap_us * 1e6, 42); }

/// Computes the expected completion times with a queueing model. The queue has `servers` servers, each of
/// which needs two wire delays per message.
std::unique_ptr<CompletionTimes> queue(double gap_us, std::size_t servers, Time end, Time count_from = 0) {
  auto times = std::make_unique<CompletionTimes>();
  const auto all = arrivals(gap_us);
  all->start(0);
  std::vector<Time> free(servers, 0);
  while (all->next() <= end) {
    const Time at = all->take();
    Time& server = *std::min_element(free.begin(), free.end());
    server = std::max(server, at) + 2 * kDelay;
    if (at >= count_from) times->add(kLength, server - at, std::nullopt, true);
  }
  return times;
}

}  // namespace

TEST_CASE("messages that wait in the backlog count from their arrival", "[message_times]") {
  // The queue pair needs 4 µs per message, because it sends the next message only after the acknowledgement.
  // On average, a message arrives every 5 µs.
  Bench bench(kLength);
  SendQpConfig& qp = bench.add({.arrivals = arrivals(5), .median = kLength});
  qp.requester.window_requests = 1;
  bench.start();
  REQUIRE(bench.run(20 * kMillisecond));
  CHECK(*bench.times == *queue(5, 1, 20 * kMillisecond));
  CHECK(bench.times->all().time.max() > 20'000);  // there was a backlog
  CHECK(bench.board->qp(0).completed_payload_bytes() == bench.times->all().time.count() * kLength);
}

TEST_CASE("an overloaded queue pair has a backlog, which takes no memory", "[message_times]") {
  Bench bench(kLength);
  const auto process = arrivals(1);
  SendQpConfig& qp = bench.add({.arrivals = process});
  qp.requester.window_requests = 1;
  bench.start();
  bench.wire.run_until(10 * kMillisecond);
  const std::uint64_t backlog = process->backlog(bench.wire.now);
  CHECK(backlog > 7000);
  bench.board->stop_traffic(bench.wire.now);
  CHECK_FALSE(bench.board->finished());
  bench.wire.run_until(20 * kMillisecond);
  CHECK_FALSE(bench.board->finished());
  CHECK(process->backlog(kSecond) == Approx(static_cast<double>(backlog) - 2500).margin(3));
  bench.board->flush(bench.wire.now);
  CHECK(bench.wire.run(kSecond, [&] { return bench.board->finished(); }));
}

TEST_CASE("queue pairs with one queue take messages when they are free", "[message_times]") {
  // Each of two queue pairs needs 4 µs per message. On average, a message arrives every 2.5 µs.
  Bench bench(kLength);
  const auto process = arrivals(2.5);
  for (int i = 0; i < 2; ++i) bench.add({.arrivals = process, .shared_arrivals = true, .median = kLength});
  bench.start();
  REQUIRE(bench.run(20 * kMillisecond));
  CHECK(*bench.times == *queue(2.5, 2, 20 * kMillisecond));
  const std::uint64_t first = bench.board->qp(0).messages_made(), second = bench.board->qp(1).messages_made();
  CHECK(first + second == process->taken());
  CHECK(std::min(first, second) > process->taken() / 4);
}

TEST_CASE("messages of the warm-up are not counted", "[message_times]") {
  Bench bench(kLength);
  SendQpConfig& qp = bench.add({.arrivals = arrivals(5), .median = kLength, .count_after = 5 * kMillisecond});
  qp.requester.window_requests = 1;
  bench.start();
  REQUIRE(bench.run(20 * kMillisecond));
  CHECK(*bench.times == *queue(5, 1, 20 * kMillisecond, 5 * kMillisecond));
}

TEST_CASE("a closed loop counts from posting", "[message_times]") {
  Bench bench(kLength);
  SendQpConfig& qp = bench.add({.median = 100});
  qp.requester.window_requests = 1;
  qp.traffic.messages = 100;
  bench.start();
  REQUIRE(bench.wire.run(kSecond, [&] { return bench.board->finished(); }));
  const CompletionTimes::Class all = bench.times->all();
  CHECK(all.time.count() == 100);
  CHECK(all.time.min() == 4000);
  CHECK(all.time.max() == 12'000);  // the window holds one message, and two more are posted behind it
  CHECK(bench.times->shorter_half().time.count() == 0);
}

TEST_CASE("slowdown is relative to the idle path", "[message_times]") {
  Bench bench(kLength);
  IdlePath path;
  path.hops = {// the delay and 1 ps per byte add up to kDelay
               {1'000'000'000'000, kDelay - (58 + 16 + kLength + 24)}};
  path.headers = 58;
  MessageTimesConfig config{.arrivals = arrivals(100), .path = std::make_shared<const IdlePath>(path)};
  bench.add(config);
  bench.start();
  REQUIRE(bench.run(20 * kMillisecond));
  // The wire delays an acknowledgement as long as a message. In the calculation for an idle path, the
  // acknowledgement takes less time, because it has fewer bytes. The slowdown is therefore slightly above 1.
  CHECK(bench.times->all().slowdown.percentile(0.5) == Approx(1002).margin(1));
}

TEST_CASE("drawn lengths are the same at the receiver and in retransmissions", "[message_times]") {
  const Cdf cdf({{0, 0.0}, {3000, 0.6}, {20'000, 0.95}, {50'000, 1.0}});
  const MessageLengths lengths{&cdf, 77};
  Bench bench(50'000, 1024);
  SendQpConfig& qp = bench.add({.lengths = lengths, .arrivals = arrivals(20), .median = 2500}, 150'000);
  qp.traffic.slots = 3;
  qp.requester.retry_count = 7;
  qp.requester.timeout = 5;
  bench.start();
  bench.wire.loss = 2 * Wire::kPercent;
  REQUIRE(bench.run(50 * kMillisecond));
  const roce::RequesterCounters sent = bench.board->qp(0).requester().counters();
  CHECK(sent.retransmitted_packets > 100);
  CHECK(sent.messages_completed > 2000);
  CHECK(sent.messages_failed == 0);
  const roce::ReceiveQp& received = bench.receiver->qp(0);
  CHECK(received.bytes_wrong() == 0);
  CHECK(received.unexpected_messages() == 0);
  CHECK(received.map().missing() == 0);
  std::uint64_t bytes = 0;
  for (std::uint64_t n = 0; n < sent.messages_completed; ++n) bytes += lengths.at(n);
  CHECK(received.payload_check()->checked() == bytes);
  CHECK(bench.board->qp(0).completed_payload_bytes() == bytes);
  CHECK(sent.payload_bytes == bytes);
  CHECK(bench.times->all().time.count() == sent.messages_completed);
  CHECK(static_cast<double>(bench.times->shorter_half().time.count()) ==
        Approx(static_cast<double>(sent.messages_completed) / 2).epsilon(0.05));
}

TEST_CASE("messages fall into classes by length", "[message_times]") {
  CHECK(CompletionTimes::class_of(1) == 0);
  CHECK(CompletionTimes::class_of(10'000) == 0);
  CHECK(CompletionTimes::class_of(10'001) == 1);
  CHECK(CompletionTimes::class_of(100'001) == 2);
  CHECK(CompletionTimes::class_of(1'000'000) == 2);
  CHECK(CompletionTimes::class_of(1'000'001) == 3);
  const auto a = std::make_unique<CompletionTimes>(), b = std::make_unique<CompletionTimes>();
  a->add(50, kMicrosecond, 1000, true);
  b->add(500'000, kMillisecond, std::nullopt, false);
  *a += *b;
  CHECK(a->all().time.count() == 2);
  CHECK(a->all().slowdown.count() == 1);
  CHECK(a->classes()[2].time.max() == 1'000'000);
  CHECK(a->shorter_half().time.count() == 1);
}
