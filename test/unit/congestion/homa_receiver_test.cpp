// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/homa_receiver.hpp"

#include "base/rng.hpp"
#include "support/counting_memory.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;
using softfeb::test::CountingMemory;

namespace {

using Grant = HomaReceiver::Grant;
using Grants = std::vector<Grant>;
using Resends = std::vector<HomaReceiver::Resend>;

constexpr std::uint32_t kFullPacket = 4096;

Grants list(std::span<const Grant> grants) { return {grants.begin(), grants.end()}; }
Resends list(std::span<const HomaReceiver::Resend> resends) { return {resends.begin(), resends.end()}; }

/// A simple but slow model of the receiver. It applies the rules as stated in the paper, and sorts all
/// messages whenever a packet arrives.
class PlainReceiver {
 public:
  explicit PlainReceiver(const HomaParameters& p) : p_(p), rules_(p) {}

  Grants first(Time now, std::uint32_t name, std::uint32_t peer, std::uint32_t length) {
    const std::uint32_t packets = rules_.packets(length);
    messages_[name] = {peer, packets, rules_.unscheduled(packets), 0, 0, born_++, now};
    return data(now, name);
  }
  Grants data(Time now, std::uint32_t name) {
    if (!messages_.contains(name)) return {};
    Message& m = messages_[name];
    m.heard = now;
    if (++m.received == m.packets) messages_.erase(name);
    return grant();
  }
  void busy(Time now, std::uint32_t name) {
    if (messages_.contains(name)) messages_[name].heard = now;
  }
  Grants forget(std::uint32_t name) {
    messages_.erase(name);
    return grant();
  }
  Resends timer(Time now) {
    std::map<std::uint64_t, HomaReceiver::Resend> out;
    for (auto& [name, m] : messages_) {
      if (m.received >= m.granted || now - m.heard < p_.resend_interval) continue;
      m.heard = now;
      out[m.born] = {name, m.received, m.granted, m.priority};
    }
    Resends list;
    for (const auto& [born, resend] : out) list.push_back(resend);
    return list;
  }
  std::vector<std::uint32_t> missing() const {
    std::vector<std::uint32_t> out;
    for (const auto& [name, m] : messages_) {
      if (m.received < m.granted) out.push_back(name);
    }
    return out;
  }

 private:
  struct Message {
    std::uint32_t peer, packets, granted, received;
    std::uint8_t priority;
    std::uint64_t born;
    Time heard;
  };

  std::vector<std::uint32_t> active() const {
    std::set<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>> waiting;
    for (const auto& [name, m] : messages_) {
      if (m.granted < m.packets) waiting.emplace(m.packets - m.received, m.born, name);
    }
    std::set<std::uint32_t> peers;
    std::vector<std::uint32_t> out;
    for (const auto& entry : waiting) {
      const std::uint32_t name = std::get<2>(entry);
      if (out.size() < p_.overcommit && peers.insert(messages_.at(name).peer).second) out.push_back(name);
    }
    return out;
  }
  Grants grant() {
    Grants out;
    for (bool again = true; again;) {
      again = false;
      const auto names = active();
      for (std::size_t rank = 0; rank < names.size(); ++rank) {
        Message& m = messages_[names[rank]];
        const std::uint32_t wanted = std::min(m.packets, m.received + rules_.rtt_packets());
        if (wanted <= m.granted) continue;
        m.granted = wanted;
        m.priority = rules_.scheduled_priority(rank, names.size());
        out.push_back({names[rank], wanted, m.priority});
        again = again || wanted == m.packets;
      }
    }
    return out;
  }

  HomaParameters p_;
  HomaRules rules_;
  std::map<std::uint32_t, Message> messages_;
  std::uint64_t born_ = 0;
};

}  // namespace

TEST_CASE("the receiver agrees with the plain rules through random events", "[homa]") {
  constexpr std::uint32_t kMessages = 120, kPeers = 9;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    HomaParameters p;
    p.overcommit = static_cast<std::uint32_t>(1 + seed * 3 % 8);
    p.rtt_bytes = seed * 9000;
    p.resend_interval = 40 * kMicrosecond;
    CountingMemory memory;
    HomaReceiver receiver(p, {kMessages, kPeers}, &memory);
    PlainReceiver plain(p);
    const std::size_t allocated = memory.allocations();
    Rng rng(seed);
    Time now = kMillisecond;
    for (int step = 0; step < 6000; ++step) {
      INFO("seed " << seed << " step " << step);
      now += rng.below(2 * kMicrosecond);
      const auto name = static_cast<std::uint32_t>(rng.below(kMessages));
      const auto missing = plain.missing();
      const std::uint32_t due = missing.empty() ? name : missing[rng.below(missing.size())];
      switch (rng.below(24)) {
        case 0: {
          const Time deadline = receiver.deadline();
          const Resends wanted = plain.timer(now);
          REQUIRE(list(receiver.timer(now)) == wanted);
          REQUIRE((wanted.empty() || deadline <= now));
          break;
        }
        case 1:
          REQUIRE(list(receiver.forget(name)) == plain.forget(name));
          break;
        case 2:
          receiver.busy(now, due);
          plain.busy(now, due);
          break;
        case 3:  // the arrival of a packet that was not granted
          REQUIRE(list(receiver.data(now, name)) == plain.data(now, name));
          break;
        case 4:
        case 5: {
          const auto peer = static_cast<std::uint32_t>(rng.below(kPeers));
          const auto length = static_cast<std::uint32_t>(rng.below(1U << (10 + rng.below(10))));
          REQUIRE(list(receiver.first(now, name, peer, length)) == plain.first(now, name, peer, length));
          break;
        }
        default:
          REQUIRE(list(receiver.data(now, due)) == plain.data(now, due));
      }
    }
    CHECK(memory.allocations() == allocated);
  }
}

TEST_CASE("a message beyond the capacity is granted at once and not scheduled", "[homa]") {
  HomaReceiver receiver({}, {.messages = 2, .peers = 1});
  CHECK(list(receiver.first(0, 2, 0, 10 * kFullPacket)) == Grants{{2, 10, 0}});
  CHECK(list(receiver.first(0, 0, 1, 10 * kFullPacket)) == Grants{{0, 10, 0}});
  CHECK(receiver.first(0, 2, 0, 3 * kFullPacket).empty());
  CHECK_FALSE(receiver.in_progress(2));
  CHECK_FALSE(receiver.in_progress(0));
  CHECK(receiver.data(0, 2).empty());
  CHECK(receiver.forget(2).empty());
  receiver.busy(0, 2);
  CHECK(receiver.deadline() == kNever);
  // The messages beyond the capacity do not count: a message for which there is room is scheduled as usual.
  CHECK(list(receiver.first(0, 1, 0, 10 * kFullPacket)) == Grants{{1, 4, 0}});
  HomaReceiver none({}, {.messages = 0, .peers = 0});
  CHECK(list(none.first(0, 0, 0, 10 * kFullPacket)) == Grants{{0, 10, 0}});
}

TEST_CASE("a forgotten or restarted message makes room for another one", "[homa]") {
  HomaParameters p;
  p.overcommit = 1;
  HomaReceiver receiver(p, {3, 3});
  CHECK(list(receiver.first(0, 0, 0, 10 * kFullPacket)) == Grants{{0, 4, 0}});
  CHECK(receiver.first(0, 1, 1, 20 * kFullPacket).empty());
  CHECK(list(receiver.forget(0)) == Grants{{1, 4, 0}});
  CHECK(receiver.first(0, 2, 2, 30 * kFullPacket).empty());
  CHECK(list(receiver.first(0, 1, 1, 2 * kFullPacket)) == Grants{{2, 4, 0}});
}

TEST_CASE("missing packets are requested once per interval until they arrive", "[homa]") {
  HomaReceiver receiver({}, {1, 1});
  receiver.first(0, 0, 0, 10 * kFullPacket);
  CHECK(receiver.deadline() == kMillisecond);
  CHECK(receiver.timer(kMillisecond - 1).empty());
  CHECK(list(receiver.timer(kMillisecond)) == Resends{{0, 1, 4, 0}});
  CHECK(receiver.timer(kMillisecond).empty());
  receiver.busy(kMillisecond + 5, 0);
  CHECK(receiver.timer(2 * kMillisecond).empty());
  CHECK(receiver.deadline() == 2 * kMillisecond + 5);
  CHECK(list(receiver.timer(2 * kMillisecond + 5)) == Resends{{0, 1, 4, 0}});
  for (int packet = 1; packet < 10; ++packet) receiver.data(3 * kMillisecond, 0);
  CHECK_FALSE(receiver.in_progress(0));
  CHECK(receiver.deadline() == kNever);
}

TEST_CASE("the longest message does not overflow", "[homa]") {
  HomaParameters p;
  p.pmtu = 1;
  p.rtt_bytes = UINT32_MAX;
  HomaReceiver receiver(p, {1, 1});
  CHECK(receiver.first(0, 0, 0, UINT32_MAX).empty());
  CHECK(receiver.granted(0) == UINT32_MAX);
  CHECK(receiver.data(0, 0).empty());
}
