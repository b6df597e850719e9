// SPDX-License-Identifier: BSD-3-Clause
// Tests transfers in segments over several queue pairs, and their notifications.
#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "roce/transfer_immediate.hpp"
#include "wire.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

constexpr std::uint32_t kSegment = 2048;
constexpr std::uint32_t kSegments = 6;
constexpr std::uint64_t kTransferCount = 50;
constexpr std::uint64_t kSlots = 3;

struct Group {
  explicit Group(roce::Transport transport, std::uint32_t qps = 3, bool sender_notifies = false,
                 std::uint32_t last = kSegment, Time entry_timeout = 0)
      : progress(kSegments, qps, kSlots),
        payload(test::FilledPayload::counter(kSegment, 1024)),
        memory(kSlots * kSegments * kSegment) {
    test::BoardBuilder b(test::identity(1));
    test::ReceiverBuilder r(test::identity(2));
    const std::uint64_t length = sender_notifies ? kSegment : (kSegments - 1) * kSegment + last;
    for (std::uint32_t q = 0; q < qps; ++q) {
      SendQpConfig& s = b.qp(test::identity(2), *payload);
      s.requester.transport = transport;
      s.requester.ack_every = 1U << 23;
      if (sender_notifies) s.requester.window_requests = 1;
      s.traffic.verb = sender_notifies ? roce::WrOpcode::kWrite : roce::WrOpcode::kWriteImm;
      s.traffic.plan = board::MessagePlan::of(length, kSegment);
      s.traffic.transfer = {sender_notifies ? 1 : kSegments, qps, sender_notifies,
                            sender_notifies ? nullptr : &progress, &times};
      s.traffic.slots = kSlots;
      s.traffic.immediate = q;
      s.traffic.messages = sender_notifies ? 2 * kTransferCount : kTransferCount * kSegments / qps;
      ReceiveQpSetup& t = r.qp(s, memory);
      t.transfer_source = 0;
    }
    r.config.registration = roce::RegistrationConfig{
        .packet = kSegment, .escape_timeout = kSecond, .entry_timeout = entry_timeout, .open_length = true};
    r.config.keep_notifications = true;
    board = b.build();
    receiver = r.build();
  }

  void run(test::Wire& wire) {
    board->start(0);
    CHECK(wire.run(10 * kSecond, [&] { return board->finished(); }));
    wire.run_until(wire.now + 2 * kSecond);
  }
  std::uint64_t signaled() const {
    std::uint64_t n = 0;
    for (std::size_t q = 0; q < board->qp_count(); ++q) n += board->qp(q).counters().completions;
    return n;
  }

  TransferTimes times;
  TransferProgress progress;
  test::FilledPayload payload;
  std::vector<std::uint8_t> memory;
  std::unique_ptr<Board> board;
  std::unique_ptr<Receiver> receiver;
};

}  // namespace

TEST_CASE("the immediate of a segment has 12, 10 and 10 bits", "[transfer]") {
  using roce::TransferImmediate;
  CHECK(TransferImmediate{3, 64, 5}.encode() == (3U << 20 | 63U << 10 | 5U));
  CHECK(TransferImmediate{4095, 1024, 1023}.encode() == 0xffffffff);
  for (const TransferImmediate i : {TransferImmediate{0, 1, 0}, TransferImmediate{4095, 1024, 7}})
    CHECK(TransferImmediate::decode(i.encode()) == i);
}

TEST_CASE("every transfer of a group has one completion and one notification", "[transfer]") {
  Group g(roce::Transport::kRc);
  test::Wire wire({g.board.get(), g.receiver.get()});
  wire.loss = 2 * test::Wire::kPercent;
  g.run(wire);
  CHECK(g.signaled() == kTransferCount);
  std::vector<bool> seen(kTransferCount);
  while (const auto n = g.receiver->poll_notification()) {
    REQUIRE(n->op < kTransferCount);
    CHECK_FALSE(seen[n->op]);
    seen[n->op] = true;
    CHECK(n->bytes == kSegments * kSegment);
    CHECK(n->address == test::kRemoteAddress + n->op % kSlots * kSegments * kSegment);
  }
  CHECK(std::count(seen.begin(), seen.end(), true) == kTransferCount);
  CHECK(g.receiver->registration()->open() == 0);
  CHECK(g.times.posted.count == kTransferCount);
  CHECK(g.receiver->notified().sum > g.times.posted.sum);
}

TEST_CASE("the last segment of a transfer may be shorter", "[transfer]") {
  Group g(roce::Transport::kRc, 1, false, 100);
  test::Wire wire({g.board.get(), g.receiver.get()});
  g.run(wire);
  std::uint64_t n = 0;
  while (const auto notification = g.receiver->poll_notification()) {
    ++n;
    CHECK(notification->bytes == (kSegments - 1) * kSegment + 100);
  }
  CHECK(n == kTransferCount);
}

TEST_CASE("a transfer that lost a segment is abandoned", "[transfer]") {
  Group g(roce::Transport::kUc, 3, false, kSegment, 5 * kMillisecond);
  test::Wire wire({g.board.get(), g.receiver.get()});
  wire.loss = 2 * test::Wire::kPercent;
  wire.reorder = 5 * test::Wire::kPercent;
  g.run(wire);
  const roce::RegistrationCounters& c = g.receiver->registration()->counters();
  CHECK(c.complete > 0);
  CHECK(c.complete < kTransferCount);
  CHECK(c.abandoned > 0);
  CHECK(g.receiver->registration()->open() == 0);
  CHECK(g.receiver->registration()->waiting() == 0);
  CHECK(c.of(roce::RegistrationVerdict::kInvalid) == 0);
}

TEST_CASE("a sender notifies once its transfer is acknowledged", "[transfer]") {
  Group slow(roce::Transport::kRc, 1, true);
  test::Wire wire({slow.board.get(), slow.receiver.get()});
  slow.run(wire);
  CHECK(slow.times.posted.count == kTransferCount);
  CHECK(slow.receiver->notified().count == kTransferCount);
  CHECK(slow.signaled() == kTransferCount);
  CHECK(slow.receiver->registration()->counters().of(roce::RegistrationVerdict::kUnregistered) ==
        kTransferCount);
  CHECK(slow.board->qp(0).completed_payload_bytes() == kTransferCount * kSegment);
  // The sender sends each notification when the data has been acknowledged, that is, a round trip after the
  // data.
  const Uint128 latency = slow.receiver->notified().sum - slow.times.posted.sum;
  CHECK(latency >= kTransferCount * 3 * wire.delay);
}
