// SPDX-License-Identifier: BSD-3-Clause
#include "requester_fixture.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::test;

namespace {

std::vector<unsigned> opcodes(const std::vector<RequestPacket>& packets) {
  std::vector<unsigned> out;
  for (const auto& p : packets) out.push_back(p.opcode);
  return out;
}

std::vector<unsigned> opcodes_of(Transport transport, WrOpcode verb, std::uint32_t length) {
  RequesterConfig c;
  c.transport = transport;
  c.pmtu = 256;
  RequesterFixture f(c);
  WorkRequest r = RequesterFixture::write(1, length);
  r.opcode = verb;
  f.q.post(r, f.now);
  return opcodes(f.drain());
}

using Codes = std::vector<unsigned>;

}  // namespace

TEST_CASE("requester: opcodes of every verb, RC and UC", "[requester]") {
  CHECK(opcodes_of(Transport::kRc, WrOpcode::kWrite, 700) == Codes{0x06, 0x07, 0x08});
  CHECK(opcodes_of(Transport::kRc, WrOpcode::kWrite, 256) == Codes{0x0a});
  CHECK(opcodes_of(Transport::kRc, WrOpcode::kWriteImm, 512) == Codes{0x06, 0x09});
  CHECK(opcodes_of(Transport::kRc, WrOpcode::kWriteImm, 0) == Codes{0x0b});
  CHECK(opcodes_of(Transport::kRc, WrOpcode::kSend, 700) == Codes{0x00, 0x01, 0x02});
  CHECK(opcodes_of(Transport::kRc, WrOpcode::kSend, 1) == Codes{0x04});
  CHECK(opcodes_of(Transport::kRc, WrOpcode::kSendImm, 513) == Codes{0x00, 0x01, 0x03});
  CHECK(opcodes_of(Transport::kRc, WrOpcode::kSendImm, 1) == Codes{0x05});
  CHECK(opcodes_of(Transport::kUc, WrOpcode::kWrite, 700) == Codes{0x26, 0x27, 0x28});
  CHECK(opcodes_of(Transport::kUc, WrOpcode::kWrite, 0) == Codes{0x2a});
  CHECK(opcodes_of(Transport::kUc, WrOpcode::kWriteImm, 300) == Codes{0x26, 0x29});
  CHECK(opcodes_of(Transport::kUc, WrOpcode::kWriteImm, 3) == Codes{0x2b});
}

TEST_CASE("requester: packets cover the message once, at every path MTU", "[requester]") {
  const std::uint32_t pmtu = GENERATE(256U, 512U, 1024U, 2048U, 4096U);
  const std::uint32_t length = GENERATE(0U, 1U, 255U, 256U, 257U, 4095U, 4096U, 4097U, 65536U, 100001U);
  RequesterConfig c;
  c.pmtu = pmtu;
  c.initial_psn = 0xffffff;
  RequesterFixture f(c);
  f.post(3, length);
  std::uint64_t offset = RequesterFixture::write(3, length).payload_offset;
  Psn psn = 0xffffff;
  const auto packets = f.drain();
  REQUIRE(packets.size() == std::max(1U, (length + pmtu - 1) / pmtu));
  std::uint64_t covered = 0;
  for (const auto& p : packets) {
    CHECK(p.psn == psn);
    CHECK(p.payload_offset == offset + covered);
    if (&p != &packets.back()) CHECK(p.payload_length == pmtu);
    covered += p.payload_length;
    psn = psn_add(psn, 1);
  }
  CHECK(covered == length);
  CHECK(packets[0].reth.virtual_address == 0x30'0000);
  CHECK(packets[0].reth.rkey == 0xabcd);
  CHECK(packets[0].reth.dma_length == length);
}

TEST_CASE("requester: peek returns what next gives and changes nothing", "[requester]") {
  RequesterConfig c;
  c.pmtu = 256;
  RequesterFixture f(c);
  f.post(1, 600, false);
  for (int i = 0; i < 3; ++i) {
    const RequestPacket a = f.q.peek();
    const RequestPacket b = f.q.peek();
    const RequestPacket n = f.q.next(f.now);
    CHECK(a.psn == b.psn);
    CHECK(a.psn == n.psn);
    CHECK(a.opcode == n.opcode);
    CHECK(a.ack_req == n.ack_req);
    CHECK(a.payload_offset == n.payload_offset);
  }
  CHECK(f.q.counters().packets == 3);
}

TEST_CASE("requester: SE if the receiver gets a completion", "[requester]") {
  const auto solicited = [](TimingProfile profile, WrOpcode verb) {
    RequesterConfig c;
    c.pmtu = 256;
    c.timing = profile;
    RequesterFixture f(c);
    WorkRequest r = RequesterFixture::write(1, 600);
    r.opcode = verb;
    r.solicited = true;
    f.q.post(r, f.now);
    std::vector<bool> out;
    for (const auto& p : f.drain()) out.push_back(p.solicited);
    return out;
  };
  using Bits = std::vector<bool>;
  CHECK(solicited(TimingProfile::kStandard, WrOpcode::kWrite) == Bits{false, false, false});
  CHECK(solicited(TimingProfile::kStandard, WrOpcode::kWriteImm) == Bits{false, false, true});
  CHECK(solicited(TimingProfile::kStandard, WrOpcode::kSend) == Bits{false, false, true});
  CHECK(solicited(TimingProfile::kFirmware, WrOpcode::kWrite) == Bits{true, true, true});
}

TEST_CASE("requester: impossible configurations are refused", "[requester]") {
  const auto bad = [](auto change) {
    RequesterConfig c;
    change(c);
    CHECK_THROWS_AS(Requester(c), std::invalid_argument);
  };
  bad([](RequesterConfig& c) { c.pmtu = 1500; });
  bad([](RequesterConfig& c) { c.send_queue_depth = 0; });
  bad([](RequesterConfig& c) { c.window_requests = 0; });
  bad([](RequesterConfig& c) { c.window_packets = kMaxWindowPackets + 1; });
}

TEST_CASE("requester: a queue pair is small", "[requester]") {
  // The memory must suffice for 100,000 requesters with short queues.
  CHECK(sizeof(Requester) + 8 * sizeof(SendSlot) <= 1024);
}
