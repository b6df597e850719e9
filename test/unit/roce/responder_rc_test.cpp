// SPDX-License-Identifier: BSD-3-Clause
// Tests case by case that the responder behaves like Linux Soft-RoCE on a reliable connection.
#include "base/rng.hpp"
#include "responder_fixture.hpp"

#include <functional>
#include <numeric>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::roce::test;

namespace {

constexpr Transport kRc = Transport::kRc;

std::vector<std::uint8_t> bytes_of(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::uint8_t> v(n);
  for (auto& b : v) b = static_cast<std::uint8_t>(rng.next());
  return v;
}

/// Checks the syndrome, the PSN and the MSN of the reply.
void expect_reply(const RequestOutcome& out, std::uint8_t syndrome, Psn psn, std::uint32_t msn) {
  REQUIRE(out.reply);
  CHECK(unsigned{out.reply->aeth.syndrome} == unsigned{syndrome});
  CHECK(out.reply->psn == psn);
  CHECK(out.reply->aeth.msn == msn);
}

}  // namespace

TEST_CASE("RC: a WRITE of one packet is written, acknowledged and counted", "[responder]") {
  for (const std::size_t size : {1U, 3U, 61U, 64U, 256U}) {
    Memory memory(1000);
    Responder r(config(kRc), memory.regions);
    const auto data = bytes_of(size, size);
    auto packets = write_message(kRc, 100, 7, data);
    const auto out = r.on_request(packets[0].get());
    expect_reply(out, 0x1f, 100, 1);
    REQUIRE(out.message);
    CHECK(out.message->address == kAddress + 7);
    CHECK(out.message->length == size);
    CHECK_FALSE(out.message->has_immediate);
    CHECK(out.packet_index == 0U);
    CHECK(std::equal(data.begin(), data.end(), memory.data() + 7));
    CHECK(std::count(memory.bytes.begin(), memory.bytes.end(), kUntouched) >=
          static_cast<std::ptrdiff_t>(memory.bytes.size() - size));
    CHECK(r.expected_psn() == 101);
  }
}

TEST_CASE("RC: a long WRITE over the wrap of the PSN has one ACK, for the AckReq packet", "[responder]") {
  Memory memory(256 * 20 + 5);
  Responder r(config(kRc, 0xfffff8), memory.regions);
  const auto data = bytes_of(memory.size, 9);
  auto packets = write_message(kRc, 0xfffff8, 0, data);
  REQUIRE(packets.size() == 21);
  std::uint64_t index = 0;
  for (auto& p : packets) {
    const auto out = r.on_request(p.get());
    CHECK(out.packet_index == index);
    REQUIRE(out.payload);
    CHECK(out.payload->message_offset == index * kPmtu);
    CHECK(out.payload->address == kAddress + index * kPmtu);
    if (++index < packets.size()) {
      CHECK_FALSE(out.reply);
      CHECK_FALSE(out.message);
    } else {
      expect_reply(out, 0x1f, 12, 1);
      CHECK(out.message->length == memory.size);
    }
  }
  CHECK(std::equal(data.begin(), data.end(), memory.data()));
  CHECK(memory.guards_intact());
  CHECK(r.counters().messages == 1);
  CHECK(r.counters().payload_bytes == data.size());
}

TEST_CASE("RC: payload in several segments is written in order", "[responder]") {
  Memory memory(256);
  Responder r(config(kRc), memory.regions);
  const auto data = bytes_of(200, 3);
  auto p = packet(kRc, Operation::kWriteOnly, 100, 200);
  p.request.payload = {};
  p.request.payload.push(ByteSpan(data).first(1));
  p.request.payload.push(ByteSpan(data).subspan(1, 130));
  p.request.payload.push(ByteSpan(data).subspan(131));
  r.on_request(p.request);
  CHECK(std::equal(data.begin(), data.end(), memory.data()));
}

TEST_CASE("RC: AckReq alone determines whether a valid packet is acknowledged", "[responder]") {
  Memory memory(1024);
  Responder r(config(kRc), memory.regions);
  auto quiet = packet(kRc, Operation::kWriteOnly, 100, 8);
  quiet.request.bth.ack_req = false;
  CHECK_FALSE(r.on_request(quiet.get()).reply);
  auto first = packet(kRc, Operation::kWriteFirst, 101, 256);
  first.request.reth.dma_length = 300;
  first.request.bth.ack_req = true;
  expect_reply(r.on_request(first.get()), 0x1f, 101, 1);  // incomplete messages do not increase the MSN
  CHECK(r.counters().ack_tx == 1);
}

TEST_CASE("RC: immediates consume receive requests, plain WRITEs do not", "[responder]") {
  Memory memory(4096);
  auto c = config(kRc);
  c.receives = 2;
  Responder r(c, memory.regions);
  auto empty = packet(kRc, Operation::kWriteOnlyImm, 100, 0);
  empty.request.immediate = 0xdeadbeef;
  empty.request.bth.solicited = true;
  empty.request.reth = {0, 0, 0};  // an empty message does not refer to memory
  const auto a = r.on_request(empty.get());
  expect_reply(a, 0x1f, 100, 1);
  CHECK(a.message->has_immediate);
  CHECK(a.message->immediate == 0xdeadbeef);
  CHECK(a.message->solicited);
  CHECK(a.message->length == 0);
  CHECK_FALSE(a.payload);
  CHECK(a.packet_index == 0U);
  r.on_request(write_message(kRc, 101, 0, bytes_of(10, 1))[0].get());
  CHECK(r.receives() == 1);
  auto packets = write_message(kRc, 102, 0, bytes_of(600, 1), true, 77);
  RequestOutcome out;
  for (auto& p : packets) out = r.on_request(p.get());
  CHECK(out.message->immediate == 77);
  CHECK(out.message->length == 600);
  CHECK(r.receives() == 0);
  CHECK(r.counters().immediates == 2);
  CHECK(r.counters().messages == 3);
}

TEST_CASE("RC: an immediate without a receive request gets an RNR NAK and is accepted on retry",
          "[responder]") {
  Memory memory(4096);
  auto c = config(kRc);
  c.receives = 0;
  c.rnr_timer = 14;
  Responder r(c, memory.regions);
  auto imm = packet(kRc, Operation::kWriteOnlyImm, 100, 16);
  expect_reply(r.on_request(imm.get()), 0x20 | 14, 100, 0);
  CHECK(memory.untouched());
  // Until the refused request is accepted, each RNR NAK is followed by at most one sequence NAK. The sequence
  // NAK is caused by packets with later PSNs, and has the PSN of the RNR NAK.
  auto next = packet(kRc, Operation::kWriteOnly, 101, 16);
  expect_reply(r.on_request(next.get()), 0x60, 100, 0);
  CHECK_FALSE(r.on_request(next.get()).reply);
  expect_reply(r.on_request(imm.get()), 0x20 | 14, 100, 0);
  expect_reply(r.on_request(next.get()), 0x60, 100, 0);
  r.post_receives(1);
  expect_reply(r.on_request(imm.get()), 0x1f, 100, 1);
  expect_reply(r.on_request(next.get()), 0x1f, 101, 2);
  CHECK(r.counters().rnr_tx == 2);
  CHECK(r.counters().no_receive == 2);
  CHECK(r.state() == QpState::kRtr);
}

TEST_CASE("RC: RNR on the last packet keeps the state of the message", "[responder]") {
  Memory memory(4096);
  auto c = config(kRc);
  c.receives = 0;
  Responder r(c, memory.regions);
  const auto data = bytes_of(700, 5);
  auto packets = write_message(kRc, 100, 0, data, true, 1);
  r.on_request(packets[0].get());
  r.on_request(packets[1].get());
  expect_reply(r.on_request(packets[2].get()), 0x20 | 12, 102, 0);
  r.post_receives(5);
  expect_reply(r.on_request(packets[2].get()), 0x1f, 102, 1);
  CHECK(std::equal(data.begin(), data.end(), memory.data()));
  CHECK(r.receives() == 4);
}

TEST_CASE("RC: a duplicate is acknowledged with the latest PSN and not written again", "[responder]") {
  Memory memory(4096);
  Responder r(config(kRc), memory.regions);
  for (Psn psn = 100; psn < 104; ++psn) r.on_request(packet(kRc, Operation::kWriteOnly, psn, 16, 1).get());
  for (const bool ack_req : {true, false}) {
    auto again = packet(kRc, Operation::kWriteOnly, 101, 16, 2);
    again.request.bth.ack_req = ack_req;
    const auto out = r.on_request(again.get());
    expect_reply(out, 0x1f, 103, 4);
    CHECK_FALSE(out.payload);
    CHECK_FALSE(out.message);
    CHECK_FALSE(out.packet_index);
  }
  CHECK(memory.data()[0] == 1);
  CHECK(r.counters().duplicate == 2);
  CHECK(r.counters().messages == 4);
  CHECK(r.counters().payload_bytes == 64);
}

TEST_CASE("RC: one NAK per gap, then silence until the expected PSN", "[responder]") {
  Memory memory(4096);
  Responder r(config(kRc), memory.regions);
  const auto send = [&](Psn psn) { return r.on_request(packet(kRc, Operation::kWriteOnly, psn, 16).get()); };
  expect_reply(send(100), 0x1f, 100, 1);
  expect_reply(send(102), 0x60, 101, 1);
  for (Psn psn = 103; psn < 110; ++psn) CHECK_FALSE(send(psn).reply);
  expect_reply(send(100), 0x1f, 100, 1);  // after a duplicate, there is still no second NAK for the gap
  CHECK_FALSE(send(105).reply);
  expect_reply(send(101), 0x1f, 101, 2);
  expect_reply(send(103), 0x60, 102, 2);
  CHECK_FALSE(send(104).reply);
  CHECK(r.counters().nak_sequence_tx == 2);
  CHECK(r.counters().out_of_order == 11);
  CHECK(r.counters().messages == 2);
}

TEST_CASE("RC: packets for others are dropped silently and change nothing", "[responder]") {
  Memory memory(4096);
  Responder r(config(kRc), memory.regions);
  std::vector<TestPacket> strange(5, packet(kRc, Operation::kWriteOnly, 100, 16));
  strange[0].request.bth.pkey = 0x8001;
  strange[1].request.bth.tver = 1;
  strange[2].request.bth.opcode = opcode(Transport::kUc, Operation::kWriteOnly);
  strange[3].request.bth.opcode = 0x10;  // RDMA READ Response Only
  strange[4].request.bth.opcode = kOpcodeRcAck;
  for (auto& p : strange) {
    const auto out = r.on_request(p.get());
    CHECK_FALSE(out.reply);
    CHECK_FALSE(out.packet_index);
  }
  CHECK(r.counters().ignored == strange.size());
  CHECK(memory.untouched());
  auto right = packet(kRc, Operation::kWriteOnly, 100, 16);
  right.request.bth.mig_req = true;  // hardware NICs set MigReq, and the firmware does not
  right.request.bth.pkey = 0x7fff;   // P_Key of a limited member
  expect_reply(r.on_request(right.get()), 0x1f, 100, 1);
}

namespace {

struct Refusal {
  std::string what;
  std::uint8_t syndrome;
  std::function<void(TestPacket&)> spoil;
  bool in_message = false;  ///< whether a FIRST packet of a message of 1000 bytes precedes the packet
};

TestPacket with_op(Operation op, std::size_t size) { return packet(kRc, op, 100, size); }

const std::vector<Refusal>& refusals() {
  static const std::vector<Refusal> table = {
      {"wrong rkey", 0x62, [](TestPacket& p) { p.request.reth.rkey ^= 1; }},
      {"below the region", 0x62, [](TestPacket& p) { p.request.reth.virtual_address = kAddress - 1; }},
      {"crosses the end", 0x62, [](TestPacket& p) { p.request.reth.virtual_address = kAddress + 4096 - 15; }},
      {"at the end", 0x62, [](TestPacket& p) { p.request.reth.virtual_address = kAddress + 4096; }},
      {"address that overflows", 0x62,
       [](TestPacket& p) { p.request.reth.virtual_address = UINT64_MAX - 3; }},
      {"address zero", 0x62, [](TestPacket& p) { p.request.reth.virtual_address = 0; }},
      {"RETH longer than the payload", 0x61, [](TestPacket& p) { p.request.reth.dma_length = 17; }},
      {"RETH shorter than the payload", 0x61, [](TestPacket& p) { p.request.reth.dma_length = 15; }},
      {"RETH of 0 with payload", 0x61, [](TestPacket& p) { p.request.reth.dma_length = 0; }},
      {"ONLY longer than the path MTU", 0x61, [](TestPacket& p) { p = with_op(Operation::kWriteOnly, 260); }},
      {"RETH beyond 2 GiB", 0x61, [](TestPacket& p) { p.request.reth.dma_length = 0x8000'0001; }},
      {"FIRST shorter than the path MTU", 0x61,
       [](TestPacket& p) {
         p = with_op(Operation::kWriteFirst, 252);
         p.request.reth.dma_length = 1000;
       }},
      {"FIRST longer than the path MTU", 0x61,
       [](TestPacket& p) {
         p = with_op(Operation::kWriteFirst, 260);
         p.request.reth.dma_length = 1000;
       }},
      {"FIRST of a message that fits one packet", 0x61,
       [](TestPacket& p) { p = with_op(Operation::kWriteFirst, 256); }},
      {"pad without need", 0x61, [](TestPacket& p) { p.request.bth.pad_count = 1; }},
      {"missing pad", 0x61,
       [](TestPacket& p) {
         p = with_op(Operation::kWriteOnly, 61);
         p.request.bth.pad_count = 0;
       }},
      {"MIDDLE without FIRST", 0x61, [](TestPacket& p) { p = with_op(Operation::kWriteMiddle, 256); }},
      {"LAST without FIRST", 0x61, [](TestPacket& p) { p = with_op(Operation::kWriteLast, 16); }},
      {"SEND", 0x61, [](TestPacket& p) { p = with_op(Operation::kSendOnly, 16); }},
      {"READ", 0x61, [](TestPacket& p) { p.request.bth.opcode = 0x0c; }},
      {"atomic", 0x61, [](TestPacket& p) { p.request.bth.opcode = 0x13; }},
      {"FIRST inside a message", 0x61,
       [](TestPacket& p) {
         p = with_op(Operation::kWriteFirst, 256);
         p.request.reth.dma_length = 1000;
       },
       true},
      {"ONLY inside a message", 0x61, [](TestPacket&) {}, true},
      {"SEND MIDDLE inside a WRITE", 0x61, [](TestPacket& p) { p = with_op(Operation::kSendMiddle, 256); },
       true},
      {"short MIDDLE", 0x61, [](TestPacket& p) { p = with_op(Operation::kWriteMiddle, 252); }, true},
      {"LAST too early", 0x61, [](TestPacket& p) { p = with_op(Operation::kWriteLast, 232); }, true},
      {"empty LAST", 0x61, [](TestPacket& p) { p = with_op(Operation::kWriteLast, 0); }, true},
  };
  return table;
}

}  // namespace

TEST_CASE("RC: errors are answered once with their NAK, and the QP is in ERR", "[responder]") {
  for (const Refusal& refusal : refusals()) {
    INFO(refusal.what);
    Memory memory(4096);
    Responder r(config(kRc, refusal.in_message ? 99 : 100), memory.regions);
    if (refusal.in_message) {
      auto first = packet(kRc, Operation::kWriteFirst, 99, 256, kUntouched);
      first.request.reth.dma_length = 1000;
      REQUIRE(r.on_request(first.get()).packet_index == 0U);
    }
    auto p = with_op(Operation::kWriteOnly, 16);
    refusal.spoil(p);
    p.request.bth.psn = 100;
    const auto out = r.on_request(p.get());
    expect_reply(out, refusal.syndrome, 100, 0);
    CHECK_FALSE(out.packet_index);
    CHECK_FALSE(out.payload);
    CHECK(memory.untouched());
    CHECK(r.state() == QpState::kErr);
    CHECK(r.counters().nak_error_tx == 1);
    CHECK(r.counters().access_errors == (refusal.syndrome == 0x62 ? 1 : 0));
    CHECK(r.counters().invalid_requests == (refusal.syndrome == 0x61 ? 1 : 0));
    // In state ERR, the QP does not respond even to valid packets.
    CHECK_FALSE(r.on_request(with_op(Operation::kWriteOnly, 16).get()).reply);
    CHECK(r.counters().ignored == 1);
    CHECK(memory.untouched());
  }
}

TEST_CASE("RC: a LAST with a full path MTU while more bytes remain is refused", "[responder]") {
  Memory memory(4096);
  Responder r(config(kRc), memory.regions);
  auto packets = write_message(kRc, 100, 0, bytes_of(1000, 1));
  r.on_request(packets[0].get());
  packets[1].request.bth.opcode = opcode(kRc, Operation::kWriteLast);
  expect_reply(r.on_request(packets[1].get()), 0x61, 101, 0);
}

TEST_CASE("a region's bounds hold for every address and length", "[responder]") {
  const MemoryRegion top{UINT64_MAX - 99, 100, 1, nullptr};
  CHECK(top.holds(UINT64_MAX - 99, 100));
  CHECK(top.holds(UINT64_MAX, 1));
  CHECK_FALSE(top.holds(UINT64_MAX, 2));
  CHECK_FALSE(top.holds(0, 1));
  CHECK_FALSE(top.holds(UINT64_MAX - 100, 1));
  CHECK_FALSE(top.holds(UINT64_MAX - 99, 101));
  CHECK_FALSE(top.holds(UINT64_MAX - 50, UINT64_MAX));
  const MemoryRegion all{0, UINT64_MAX, 1, nullptr};
  CHECK(all.holds(UINT64_MAX - 1, 1));
  CHECK_FALSE(all.holds(UINT64_MAX, 1));
}

TEST_CASE("RC: each of several regions accepts its own range", "[responder]") {
  Memory a(512);
  Memory b(512);
  a.regions.push_back({kAddress, 512, 0x9999, b.data()});
  a.regions.push_back({0, UINT64_MAX, 0x7777, nullptr});
  Responder r(config(kRc), a.regions);
  const std::uint32_t rkeys[] = {kRkey, 0x9999, kRkey, 0x7777, 0x9999};
  Psn psn = 100;
  for (const std::uint32_t rkey : rkeys) {
    auto p = packet(kRc, Operation::kWriteOnly, psn, 8, static_cast<std::uint8_t>(psn));
    p.request.reth.rkey = rkey;
    p.request.reth.virtual_address = kAddress + (psn - 100) * 8;
    const auto out = r.on_request(p.get());
    expect_reply(out, 0x1f, psn, psn - 99);
    CHECK(out.payload);  // the outcome contains the payload, even if it is discarded
    ++psn;
  }
  CHECK(a.data()[0] == 100);
  CHECK(a.data()[8] == kUntouched);
  CHECK(b.data()[8] == 101);
  CHECK(a.data()[16] == 102);
  CHECK(a.data()[24] == kUntouched);
  CHECK(b.data()[32] == 104);
}

TEST_CASE("RC: PSN, MSN and packet number beyond 2^24 packets", "[responder]") {
  std::vector<MemoryRegion> regions{{kAddress, 4096, kRkey, nullptr}};
  Responder r(config(kRc, 5), regions);
  auto p = packet(kRc, Operation::kWriteOnly, 0, 4);
  p.get();
  constexpr std::uint64_t kPackets = (1U << 24) + 10;
  bool right = true;
  for (std::uint64_t i = 0; i < kPackets; ++i) {
    p.request.bth.psn = static_cast<Psn>(5 + i) & kPsnMask;
    const auto out = r.on_request(p.request);
    right = right && out.packet_index == i && out.reply && out.reply->aeth.msn == ((i + 1) & kPsnMask);
  }
  CHECK(right);
  CHECK(r.expected_psn() == 15);
  CHECK(r.counters().messages == kPackets);
}
