// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "support/homa_board.hpp"

#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;
using softfeb::test::HomaBoard;

namespace {

using Packet = HomaBoard::Packet;
using Answer = HomaBoard::Answer;

constexpr std::uint32_t kMtu = 4096;

/// A simple but slow model of a sender. It applies the rules as stated in the paper, and considers all queue
/// pairs for every packet.
class PlainSender {
 public:
  PlainSender(const HomaParameters& p, std::size_t lanes) : rules_(p), lanes_(lanes) {}

  void post(std::uint32_t lane, std::uint32_t length) {
    Lane& q = lanes_[lane];
    q.messages.push_back({q.end, length, rules_.packets(length), posted_++});
    q.end += rules_.packets(length);
  }
  void grant(std::uint32_t lane, std::uint64_t granted, std::uint8_t priority) {
    Lane& q = lanes_[lane];
    if (granted <= q.granted) return;
    q.granted = granted;
    q.scheduled = std::min<std::uint8_t>(priority, static_cast<std::uint8_t>(rules_.scheduled_levels() - 1));
  }
  void ack(std::uint32_t lane, std::uint64_t acked) {
    Lane& q = lanes_[lane];
    if (acked <= q.acked || acked > q.highest) return;
    q.acked = acked;
    q.next = std::max(q.next, acked);
  }
  void go_back(std::uint32_t lane) { lanes_[lane].next = lanes_[lane].acked; }
  std::optional<Packet> send() {
    const Message* best = nullptr;
    std::uint32_t from = 0;
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
      const Message* m = head(lanes_[i]);
      if (m == nullptr || lanes_[i].next >= limit(lanes_[i], *m)) continue;
      const auto key = [this](std::uint32_t lane, const Message& x) {
        return std::pair(x.first + x.packets - lanes_[lane].next, x.posted);
      };
      if (best == nullptr || key(i, *m) < key(from, *best)) best = m, from = i;
    }
    if (best == nullptr) return std::nullopt;
    Lane& q = lanes_[from];
    const bool unscheduled = q.next - best->first < rules_.unscheduled(best->packets);
    std::uint8_t priority = unscheduled ? rules_.unscheduled_priority(best->length) : q.scheduled;
    if (q.last && q.acked < q.highest) priority = std::min(priority, *q.last);
    q.last = priority;
    const std::uint64_t number = q.next++;
    q.highest = std::max(q.highest, q.next);
    return Packet{from, number, priority, q.next == best->first + best->packets || q.next >= limit(q, *best)};
  }
  std::uint64_t highest(std::uint32_t lane) const { return lanes_[lane].highest; }
  std::uint64_t end(std::uint32_t lane) const { return lanes_[lane].end; }

 private:
  struct Message {
    std::uint64_t first;
    std::uint32_t length, packets;
    std::uint64_t posted;
  };
  struct Lane {
    std::vector<Message> messages;
    std::uint64_t end = 0, next = 0, highest = 0, acked = 0, granted = 0;
    std::uint8_t scheduled = 0;
    std::optional<std::uint8_t> last;
  };

  static const Message* head(const Lane& q) {
    for (const Message& m : q.messages) {
      if (q.next < m.first + m.packets) return &m;
    }
    return nullptr;
  }
  std::uint64_t limit(const Lane& q, const Message& m) const {
    return std::max(q.granted, m.first + rules_.unscheduled(m.packets));
  }

  HomaRules rules_;
  std::vector<Lane> lanes_;
  std::uint64_t posted_ = 0;
};

}  // namespace

TEST_CASE("the sender agrees with the plain rules through random events", "[homa]") {
  constexpr std::uint32_t kLanes = 40;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    HomaBoard sender({}, kLanes, 4000);
    PlainSender plain({}, kLanes);
    Rng rng(seed);
    for (int step = 0; step < 6000; ++step) {
      INFO("seed " << seed << " step " << step);
      const auto lane = static_cast<std::uint32_t>(rng.below(kLanes));
      switch (rng.below(16)) {
        case 0:
        case 1: {
          const auto length = static_cast<std::uint32_t>(rng.below(1U << (8 + rng.below(11))));
          sender.post(lane, length);
          plain.post(lane, length);
          break;
        }
        case 2:
        case 3: {
          const std::uint64_t granted = rng.below(plain.end(lane) + 4);
          const auto priority = static_cast<std::uint8_t>(rng.below(6));
          sender.grant(lane, granted, priority);
          plain.grant(lane, granted, priority);
          break;
        }
        case 4:
        case 5: {
          const std::uint64_t acked = rng.below(plain.highest(lane) + 2);
          sender.ack(lane, acked);
          plain.ack(lane, acked);
          break;
        }
        case 6:
          sender.go_back(lane);
          plain.go_back(lane);
          break;
        default: {
          const auto next = sender.next_lane();
          const auto packet = sender.send();
          REQUIRE(packet == plain.send());
          REQUIRE(next == (packet ? std::optional(packet->lane) : std::nullopt));
        }
      }
    }
  }
}

TEST_CASE("more messages than there is room for fail the queue pair", "[homa]") {
  HomaBoard sender({}, 1, 2);
  sender.post(0, 100);
  sender.post(0, 2 * kMtu);
  CHECK(sender.send() == Packet{0, 0, 7, true});
  CHECK(sender.send() == Packet{0, 1, 6, false});
  sender.ack(0, 1);
  sender.post(0, 100);
  CHECK_FALSE(sender.homa(0).failed());
  sender.post(0, 100);
  CHECK(sender.homa(0).failed());
  CHECK(sender.homa(0).state(0).failure != nullptr);
}

TEST_CASE("RESEND goes back, is answered BUSY, or comes too late", "[homa]") {
  HomaBoard sender({}, 1, 4);
  sender.post(0, 10 * kMtu);
  CHECK(sender.resend(0, 0, 4, 1) == Answer::kBusy);
  CHECK(sender.granted(0) == 4);
  for (int i = 0; i < 3; ++i) REQUIRE(sender.send());
  CHECK(sender.resend(0, 3, 4, 1) == Answer::kBusy);
  CHECK(sender.next(0) == 3);
  CHECK(sender.resend(0, 1, 5, 1) == Answer::kGoBack);
  CHECK(sender.next(0) == 0);
  CHECK(sender.granted(0) == 5);
  sender.ack(0, 2);
  CHECK(sender.next(0) == 2);
  CHECK(sender.resend(0, 1, 5, 1) == Answer::kNone);
  CHECK(sender.next(0) == 2);
}

TEST_CASE("a packet may overtake only when order is not kept", "[homa]") {
  for (const bool keep : {true, false}) {
    HomaParameters p;
    p.keep_order = keep;
    HomaBoard sender(p, 1, 4);
    sender.post(0, 10 * kMtu);
    sender.post(0, 100);
    for (int i = 0; i < 3; ++i) CHECK(sender.send()->priority == 5);
    sender.grant(0, 10, 0);
    for (int i = 0; i < 7; ++i) CHECK(sender.send()->priority == 0);
    CHECK(sender.send()->priority == (keep ? 0 : 7));
  }
}
