// SPDX-License-Identifier: BSD-3-Clause
// Tests hostile requests, and valid ones over a network that loses, duplicates and reorders packets.
#include "base/rng.hpp"
#include "responder_fixture.hpp"
#include "stream_fixture.hpp"

#include <deque>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::roce::test;

namespace {

/// Returns a random number. It is often close to a limit at which a check could be off by one.
std::uint64_t near_limit(Rng& rng) {
  static constexpr std::uint64_t kLimits[] = {0,          kAddress,    kAddress + 4096, UINT64_MAX,
                                              UINT32_MAX, 0x8000'0000, kPmtu,           4096};
  return kLimits[rng.below(std::size(kLimits))] + rng.below(600) - 300;
}

TestPacket hostile_packet(Rng& rng, Psn expected) {
  static constexpr std::size_t kSizes[] = {0, 1, 4, 252, 255, 256, 257, 260, 1000};
  TestPacket p = packet(Transport::kRc, Operation::kWriteOnly, expected, kSizes[rng.below(std::size(kSizes))],
                        static_cast<std::uint8_t>(rng.next()));
  Bth& bth = p.request.bth;
  bth.opcode =
      static_cast<std::uint8_t>(rng.below(8) == 0 ? rng.next() : 0x06 + rng.below(6) + (rng.below(2) << 5));
  bth.ack_req = rng.below(2) != 0;
  if (rng.below(4) == 0) bth.psn = (expected + static_cast<Psn>(rng.below(8)) - 4) & kPsnMask;
  if (rng.below(16) == 0) bth.psn = static_cast<Psn>(rng.next()) & kPsnMask;
  if (rng.below(16) == 0) bth.pad_count = rng.next() & 3;
  if (rng.below(32) == 0) bth.tver = rng.next() & 15;
  if (rng.below(32) == 0) bth.pkey = static_cast<std::uint16_t>(rng.next());
  Reth& reth = p.request.reth;
  reth.virtual_address = kAddress + rng.below(4096);
  if (rng.below(2) != 0) reth.dma_length = static_cast<std::uint32_t>(rng.below(1300));
  if (rng.below(8) == 0) reth.dma_length = static_cast<std::uint32_t>(near_limit(rng));
  if (rng.below(8) == 0) reth.virtual_address = near_limit(rng);
  if (rng.below(16) == 0) reth.rkey = static_cast<std::uint32_t>(rng.next());
  return p;
}

/// Checks the outcome of a request for properties that hold for all requests, valid or not.
void check_outcome(const Responder& r, const TestPacket& p, const RequestOutcome& out, Psn expected_before,
                   QpState state_before) {
  const bool rc = r.config().transport == Transport::kRc;
  if (!rc || state_before == QpState::kErr) REQUIRE_FALSE(out.reply);
  if (state_before == QpState::kErr) REQUIRE_FALSE(out.packet_index);
  if (!out.packet_index) {
    REQUIRE_FALSE(out.payload);
    REQUIRE_FALSE(out.message);
    if (rc) REQUIRE(r.expected_psn() == expected_before);
  } else {
    REQUIRE(r.expected_psn() == psn_add(p.request.bth.psn, 1));
    REQUIRE(p.payload.size() <= kPmtu);
  }
  if (out.payload && out.payload->bytes.size() != 0) {
    REQUIRE(out.payload->address >= kAddress);
    REQUIRE(out.payload->address + out.payload->bytes.size() <= kAddress + 4096);
  }
  if (out.reply && out.reply->aeth.kind() == AethKind::kNakSequence)
    REQUIRE(out.reply->psn == expected_before);
  if (!rc) REQUIRE(r.state() == QpState::kRtr);
}

}  // namespace

TEST_CASE("hostile requests write nothing outside the region and never confuse the QP",
          "[responder][hostile]") {
  std::uint64_t accepted = 0;
  std::uint64_t messages = 0;
  std::uint64_t errors = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    Rng rng(seed);
    Memory memory(4096);
    auto c =
        config(rng.below(2) == 0 ? Transport::kRc : Transport::kUc, static_cast<Psn>(rng.next()) & kPsnMask);
    c.receives = rng.below(4);
    Responder r(c, memory.regions);
    for (int i = 0; i < 40; ++i) {
      auto p = hostile_packet(rng, r.expected_psn());
      const Psn before = r.expected_psn();
      const QpState state = r.state();
      check_outcome(r, p, r.on_request(p.get()), before, state);
      if (rng.below(16) == 0) r.post_receives(1);
    }
    REQUIRE(memory.guards_intact());
    const ResponderCounters& n = r.counters();
    REQUIRE(n.packets == 40);
    if (c.transport == Transport::kRc) {
      REQUIRE(n.access_errors + n.invalid_requests == (r.state() == QpState::kErr ? 1U : 0U));
      REQUIRE(n.access_errors + n.invalid_requests == n.nak_error_tx);
    }
    accepted += n.payload_bytes != 0;
    messages += n.messages;
    errors += n.access_errors + n.invalid_requests + n.no_receive;
  }
  // Enough requests were accepted, and enough were refused, for the test to be meaningful.
  CHECK(accepted > 500);
  CHECK(messages > 500);
  CHECK(errors > 500);
}

namespace {

/// A minimal requester. After a NAK, it goes back to the PSN that the responder requests.
struct GoBackN {
  std::vector<TestPacket> packets;
  Psn first;
  std::size_t next = 0;
  std::size_t acknowledged = 0;

  void on_reply(const Reply& reply) {
    // Number of packets up to the PSN of the reply.
    const auto at = static_cast<std::size_t>(psn_diff(reply.psn, first) + 1);
    if (reply.aeth.kind() == AethKind::kAck) {
      acknowledged = std::max(acknowledged, at);
      next = std::max(next, acknowledged);
    } else {
      acknowledged = std::max(acknowledged, at - 1);
      next = at - 1;
    }
  }
};

}  // namespace

TEST_CASE("RC: everything arrives once over a network that loses, duplicates and reorders",
          "[responder][hostile]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    const auto data = random_bytes(60'000, seed);
    Memory memory(data.size());
    const Psn first = (0xffffff - 50 + static_cast<Psn>(rng.below(40))) & kPsnMask;
    auto c = config(Transport::kRc, first);
    c.receives = 0;
    Responder r(c, memory.regions);
    GoBackN sender{{}, first};
    std::uint32_t sent_messages = 0;
    for (std::size_t at = 0; at < data.size(); ++sent_messages) {
      const std::size_t n = std::min<std::size_t>(data.size() - at, rng.below(2000));
      const std::vector<std::uint8_t> part(data.begin() + static_cast<std::ptrdiff_t>(at),
                                           data.begin() + static_cast<std::ptrdiff_t>(at + n));
      for (auto& p :
           write_message(Transport::kRc, psn_add(first, static_cast<std::uint32_t>(sender.packets.size())),
                         at, part, true, sent_messages)) {
        sender.packets.push_back(std::move(p));
      }
      at += n;
    }
    std::deque<std::size_t> wire;
    std::uint32_t next_immediate = 0;
    int rounds = 0;
    while (sender.acknowledged < sender.packets.size() && ++rounds < 100'000) {
      if (sender.next < sender.packets.size() && sender.next < sender.acknowledged + 32) {
        if (!rng.chance(1U << 27)) wire.push_back(sender.next);
        if (rng.chance(1U << 26)) wire.push_back(sender.next);
        ++sender.next;
      } else if (wire.empty()) {
        sender.next = sender.acknowledged;  // the sender's timeout expires
      }
      if (wire.empty() || rng.below(2) == 0) continue;
      const std::size_t pick =
          std::min<std::size_t>(wire.size() - 1, rng.chance(1U << 27) ? rng.below(4) : 0);
      const std::size_t index = wire[pick];
      wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(pick));
      const auto out = r.on_request(sender.packets[index].get());
      if (out.packet_index) REQUIRE(*out.packet_index == index);
      if (out.message) REQUIRE(out.message->immediate == next_immediate++);
      if (out.reply && !rng.chance(1U << 27)) sender.on_reply(*out.reply);
      if (rng.below(12) == 0 && r.receives() < 2) r.post_receives(1);
    }
    REQUIRE(sender.acknowledged == sender.packets.size());
    CHECK(std::equal(data.begin(), data.end(), memory.data()));
    CHECK(memory.guards_intact());
    CHECK(next_immediate == sent_messages);
    CHECK(r.counters().messages == sent_messages);
    CHECK(r.counters().payload_bytes == data.size());
    CHECK(r.counters().nak_sequence_tx > 0);
    CHECK(r.counters().duplicate > 0);
    CHECK(r.counters().rnr_tx > 0);
    CHECK(r.state() == QpState::kRtr);
  }
}
