// SPDX-License-Identifier: BSD-3-Clause
// Tests the unreliable connection (IBA 9.8.2): there are no responses, and a loss affects only its message.
#include "base/rng.hpp"
#include "responder_fixture.hpp"

#include <numeric>
#include <set>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::roce::test;

namespace {

constexpr Transport kUc = Transport::kUc;

struct Uc {
  explicit Uc(Psn psn = 100) : memory(4096), responder(config(kUc, psn), memory.regions) {}

  RequestOutcome send(Operation op, Psn psn, std::size_t size, std::uint32_t dma_length = 0) {
    auto p = packet(kUc, op, psn, size, static_cast<std::uint8_t>(psn));
    if (dma_length != 0) p.request.reth.dma_length = dma_length;
    auto out = responder.on_request(p.get());
    CHECK_FALSE(out.reply);
    return out;
  }
  const ResponderCounters& counters() const { return responder.counters(); }

  Memory memory;
  Responder responder;
};

}  // namespace

TEST_CASE("UC: messages of one and of many packets arrive without responses", "[responder]") {
  Uc uc(0xffffff);
  CHECK(uc.send(Operation::kWriteOnly, 0xffffff, 64).message);
  CHECK_FALSE(uc.send(Operation::kWriteFirst, 0, 256, 600).message);
  CHECK_FALSE(uc.send(Operation::kWriteMiddle, 1, 256).message);
  const auto out = uc.send(Operation::kWriteLastImm, 2, 88);
  REQUIRE(out.message);
  CHECK(out.message->length == 600);
  CHECK(out.message->has_immediate);
  CHECK(out.packet_index == 3U);
  CHECK(uc.counters().messages == 2);
  CHECK(uc.counters().missing_packets == 0);
}

TEST_CASE("UC: after a gap everything is dropped until a new message begins", "[responder]") {
  Uc uc;
  uc.send(Operation::kWriteFirst, 100, 256, 1000);
  // Packet 101 is lost.
  CHECK_FALSE(uc.send(Operation::kWriteMiddle, 102, 256).packet_index);
  CHECK_FALSE(uc.send(Operation::kWriteLast, 103, 232).message);
  const auto out = uc.send(Operation::kWriteOnly, 104, 8);
  CHECK(out.message);
  CHECK(out.packet_index == 4U);
  CHECK(uc.counters().missing_packets == 1);
  CHECK(uc.counters().missing_messages == 1);
  CHECK(uc.counters().discarded == 2);
  CHECK(uc.counters().messages == 1);
}

TEST_CASE("UC: a message without its beginning is dropped whole and counted once", "[responder]") {
  Uc uc;
  uc.send(Operation::kWriteMiddle, 101, 256);
  uc.send(Operation::kWriteMiddle, 102, 256);
  uc.send(Operation::kWriteLast, 103, 16);
  CHECK(uc.counters().missing_packets == 1);
  CHECK(uc.counters().missing_messages == 1);
  CHECK(uc.counters().discarded == 3);
  CHECK(uc.memory.untouched());
  uc.send(Operation::kWriteMiddle, 105, 256);
  CHECK(uc.counters().missing_messages == 2);
}

TEST_CASE("UC: a message interrupted by the next one is missing", "[responder]") {
  Uc uc;
  uc.send(Operation::kWriteFirst, 100, 256, 1000);
  // Packets 101 and 102, the rest of this message, are lost.
  CHECK(uc.send(Operation::kWriteOnly, 103, 16).message);
  CHECK(uc.counters().missing_messages == 1);
  CHECK(uc.counters().missing_packets == 2);
  uc.send(Operation::kWriteFirst, 104, 256, 1000);
  // There is no gap, so the requester has abandoned its previous message.
  CHECK(uc.send(Operation::kWriteOnly, 105, 16).message);
  CHECK(uc.counters().missing_messages == 2);
  CHECK(uc.counters().missing_packets == 2);
}

TEST_CASE("UC: errors affect their message, not the QP", "[responder]") {
  Uc uc;
  auto wrong = packet(kUc, Operation::kWriteFirst, 100, 256);
  wrong.request.reth = {kAddress + 4000, kRkey, 1000};
  CHECK_FALSE(uc.responder.on_request(wrong.get()).reply);
  CHECK_FALSE(uc.send(Operation::kWriteMiddle, 101, 256).packet_index);
  CHECK_FALSE(uc.send(Operation::kWriteLast, 102, 16).packet_index);
  CHECK(uc.counters().access_errors == 1);
  CHECK(uc.counters().missing_messages == 1);
  CHECK(uc.counters().discarded == 3);
  CHECK(uc.memory.untouched());
  uc.send(Operation::kWriteFirst, 103, 256, 600);
  CHECK_FALSE(uc.send(Operation::kWriteMiddle, 104, 252).packet_index);  // shorter than the path MTU
  CHECK_FALSE(uc.send(Operation::kWriteLast, 105, 88).packet_index);
  CHECK(uc.counters().invalid_requests == 1);
  CHECK(uc.counters().missing_messages == 2);
  CHECK_FALSE(uc.send(Operation::kSendOnly, 106, 16).packet_index);
  CHECK(uc.counters().invalid_requests == 2);
  CHECK(uc.send(Operation::kWriteOnly, 107, 16).message);
  CHECK(uc.responder.state() == QpState::kRtr);
  CHECK(uc.counters().missing_packets == 0);
}

TEST_CASE("UC: a message may begin with a PSN that is half of all PSNs away", "[responder]") {
  for (const Psn jump : {0x7fffffU, 0x800000U, 0x800001U, 0xa00000U}) {
    Uc uc(100);
    CHECK(uc.send(Operation::kWriteOnly, 100, 64).message);
    CHECK(uc.send(Operation::kWriteOnly, psn_add(100, jump), 64).message);
    CHECK(uc.send(Operation::kWriteFirst, psn_add(101, jump), 256, 300).payload);
    CHECK(uc.send(Operation::kWriteLast, psn_add(102, jump), 44).message);
    CHECK(uc.counters().messages == 3);
  }
  // A packet whose PSN is slightly below the first PSN is a late packet of an earlier queue pair.
  Uc uc(100);
  CHECK_FALSE(uc.send(Operation::kWriteOnly, 90, 64).message);
  CHECK(uc.counters().duplicate == 1);
}

TEST_CASE("UC: an immediate without a receive request is dropped silently", "[responder]") {
  Memory memory(4096);
  auto c = config(kUc);
  c.receives = 1;
  Responder r(c, memory.regions);
  CHECK(r.on_request(packet(kUc, Operation::kWriteOnlyImm, 100, 8).get()).message);
  const auto out = r.on_request(packet(kUc, Operation::kWriteOnlyImm, 101, 8).get());
  CHECK_FALSE(out.reply);
  CHECK_FALSE(out.message);
  CHECK(r.counters().no_receive == 1);
  CHECK(r.counters().missing_messages == 1);
  CHECK(r.on_request(packet(kUc, Operation::kWriteOnly, 102, 8).get()).message);
}

TEST_CASE("UC: late packets are distinguished from duplicates", "[responder]") {
  Uc uc;
  uc.send(Operation::kWriteOnly, 100, 8);
  uc.send(Operation::kWriteOnly, 103, 8);
  CHECK(uc.counters().missing_packets == 2);
  const auto late = uc.send(Operation::kWriteOnly, 101, 8);
  CHECK(late.packet_index == 1U);
  CHECK(uc.counters().missing_packets == 1);
  CHECK(uc.counters().out_of_order == 1);
  CHECK_FALSE(uc.send(Operation::kWriteOnly, 101, 8).message);
  CHECK_FALSE(uc.send(Operation::kWriteOnly, 103, 8).message);
  CHECK(uc.counters().duplicate == 2);
  CHECK_FALSE(uc.send(Operation::kWriteOnly, 99, 8).message);  // a PSN before that of the first packet
  CHECK(uc.counters().duplicate == 3);
  CHECK(uc.send(Operation::kWriteOnly, 104, 8).packet_index == 4U);
  CHECK(uc.counters().messages == 4);
}

TEST_CASE("arrival window compared with a set of all arrivals, over the wrap of the PSN", "[responder]") {
  Rng rng(7);
  ArrivalWindow window(0xffff00);
  std::set<std::uint64_t> came;
  std::uint64_t next = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t index = next + rng.below(6) >= 80 && rng.chance(1U << 30)
                                    ? next - 1 - rng.below(80)
                                    : next + rng.below(6) / 5 * rng.below(150);
    const auto a = window.note(psn_add(0xffff00, static_cast<std::uint32_t>(index)));
    REQUIRE(a);
    REQUIRE(a->index == index);
    using Kind = ArrivalWindow::Kind;
    if (index >= next) {
      REQUIRE(a->kind == (index == next ? Kind::kNext : Kind::kAhead));
      REQUIRE(a->passed_over == index - next);
      next = index + 1;
    } else if (next - index > ArrivalWindow::kWindow) {
      REQUIRE(a->kind == Kind::kTooOld);
    } else {
      REQUIRE(a->kind == (came.count(index) != 0 ? Kind::kDuplicate : Kind::kLate));
    }
    came.insert(index);
    REQUIRE(window.next_index() == next);
  }
}

TEST_CASE("UC: packet numbers continue over losses and wraps", "[responder]") {
  std::vector<MemoryRegion> regions{{kAddress, 4096, kRkey, nullptr}};
  Responder r(config(kUc, 0x123456), regions);
  Rng rng(3);
  std::uint64_t newest = 0;
  std::uint64_t came = 0;
  for (std::uint64_t index = 0; index < (std::uint64_t{5} << 24); index += 1 + rng.below(1U << 20)) {
    auto p = packet(kUc, Operation::kWriteOnly, static_cast<Psn>(0x123456 + index), 4);
    REQUIRE(r.on_request(p.get()).packet_index == index);
    newest = index;
    ++came;
  }
  CHECK(r.counters().messages == came);
  CHECK(r.counters().missing_packets == newest + 1 - came);
}
