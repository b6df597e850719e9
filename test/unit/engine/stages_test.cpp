// SPDX-License-Identifier: BSD-3-Clause
// Tests the times of messages between stages, as reported by boards and receivers.
#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "latency/stage_table.hpp"
#include "wire.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using Step = latency::Stage;

namespace {

constexpr std::uint32_t kMessage = 2500;  // bytes, sent in three packets
constexpr std::uint64_t kMessages = 200;

struct Link {
  explicit Link(roce::Transport transport, std::uint32_t sample = 1)
      : stamps(sample), payload(test::FilledPayload::counter(kMessage, 1024)), memory(kMessage) {
    test::BoardBuilder b(test::identity(1));
    test::ReceiverBuilder r(test::identity(2));
    SendQpConfig& qp = b.qp(test::identity(2), *payload);
    qp.requester.transport = transport;
    qp.traffic.verb = roce::WrOpcode::kWriteImm;
    qp.traffic.immediate_kind = ImmediateKind::kCounter;
    qp.traffic.messages = kMessages;
    qp.traffic.rate_kind = RateKind::kMessages;
    qp.traffic.rate = 50'000;
    qp.traffic.stamps = {&stamps, latency::QpOwner::receiver(0)};
    r.qp(qp, memory);
    r.config.stamps = qp.traffic.stamps;
    sender = b.config;
    receiving = r.config;
  }

  void run() {
    Board board(sender);
    Receiver receiver(receiving);
    wire.add(board);
    wire.add(receiver);
    wire.tap = [this](Endpoint&, const TxFrame& frame) {
      if (frame.message != 0) stamps.put(frame.message, Step::kSent, wire.now);
      return true;
    };
    board.start(0);
    wire.run_until(100 * kMillisecond);
    CHECK(board.finished());
    receiver.finish_windows(kMessages, wire.now);
  }
  const latency::StageFigures& figures() const { return stamps.table().figures(); }
  const latency::StageHistogram& between(Step from, Step to) const {
    std::size_t i = 0;
    while (latency::spans()[i].from != latency::point_of(from) ||
           latency::spans()[i].to != latency::point_of(to))
      ++i;
    return figures().histograms[i];
  }

  latency::DirectStamps stamps;
  test::FilledPayload payload;
  std::vector<std::uint8_t> memory;
  BoardConfig sender;
  ReceiverConfig receiving;
  test::Wire wire;
};

}  // namespace

TEST_CASE("every message passes all stages", "[stages]") {
  Link link(GENERATE(roce::Transport::kRc, roce::Transport::kUc));
  link.run();
  CHECK(link.figures().messages == kMessages);
  CHECK(link.figures().incomplete == 0);
  CHECK(link.figures().overflows == 0);
  for (const auto& [from, to] : {std::pair{Step::kTriggered, Step::kPosted},
                                 {Step::kPosted, Step::kCrafted},
                                 {Step::kCrafted, Step::kSent},
                                 {Step::kReceived, Step::kNotified}}) {
    CHECK(link.between(from, to).count() == kMessages);
    CHECK(link.between(from, to).max() == 0);  // nothing delays a packet
  }
  CHECK(link.between(Step::kSent, Step::kReceived).min() == link.wire.delay);
  CHECK(link.between(Step::kSent, Step::kReceived).max() == link.wire.delay);
}

TEST_CASE("packets that are lost and repeated", "[stages]") {
  Link link(GENERATE(roce::Transport::kRc, roce::Transport::kUc));
  link.wire.loss = 2 * test::Wire::kPercent;
  link.run();
  const bool reliable = link.sender.qps[0].requester.transport == roce::Transport::kRc;
  CHECK(link.figures().messages + link.figures().incomplete == kMessages);
  CHECK((link.figures().incomplete == 0) == reliable);
  if (reliable) CHECK(link.between(Step::kSent, Step::kReceived).max() <= link.wire.delay);
  if (reliable) CHECK(link.between(Step::kTriggered, Step::kCompleted).max() > 2 * link.wire.delay);
}

TEST_CASE("fixed costs of the board and of the receiver", "[stages]") {
  Link link(roce::Transport::kRc);
  link.receiving.response_delay = 3 * kMicrosecond;
  link.sender.qps[0].traffic.post_delay = kMicrosecond;
  link.sender.qps[0].start_after = kMicrosecond;
  link.run();
  CHECK(link.between(Step::kSent, Step::kReceived).max() == link.wire.delay);
  CHECK(link.between(Step::kPosted, Step::kCrafted).min() == kMicrosecond);
  CHECK(link.between(Step::kPosted, Step::kCrafted).max() == kMicrosecond);
  CHECK(link.between(Step::kSent, Step::kCompleted).min() == 2 * link.wire.delay + 3 * kMicrosecond);
  CHECK(link.between(Step::kSent, Step::kCompleted).max() == 2 * link.wire.delay + 3 * kMicrosecond);
}

TEST_CASE("a sample of the messages", "[stages]") {
  Link link(roce::Transport::kRc, 4);
  link.run();
  CHECK(link.figures().messages > kMessages / 8);
  CHECK(link.figures().messages < kMessages / 2);
  CHECK(link.figures().incomplete == 0);
  Link none(roce::Transport::kRc, 0);
  none.run();
  CHECK(none.figures().messages == 0);
}

TEST_CASE("a window notifies its messages when it closes", "[stages]") {
  Link link(roce::Transport::kUc);
  link.receiving.windows = roce::WindowMapConfig{.ring = 8, .depth = 8};
  link.wire.loss = 2 * test::Wire::kPercent;
  link.run();
  const std::uint64_t incomplete = link.figures().incomplete;
  CHECK(incomplete > 0);
  CHECK(link.figures().messages == kMessages - incomplete);
  // After a loss, the notification of an arrived message waits until seven newer windows have begun.
  CHECK(link.between(Step::kPlaced, Step::kNotified).min() == 0);
  CHECK(link.between(Step::kPlaced, Step::kNotified).max() >= 7 * 20 * kMicrosecond - kMicrosecond);
}
