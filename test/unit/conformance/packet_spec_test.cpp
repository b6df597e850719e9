// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/packet_spec.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Matchers::Contains;

namespace {

PacketSpec packet(const char* text) {
  const auto packets = parse_packets(text);
  REQUIRE(packets.size() == 1);
  return packets.front();
}

const Override& only_option(const PacketSpec& spec) {
  REQUIRE(spec.overrides.size() == 1);
  return spec.overrides.front();
}

}  // namespace

TEST_CASE("a packet has a kind, a PSN, a size and AckReq", "[packet]") {
  const Symbols symbols{.e = 5, .pmtu = 1024};
  const PacketSpec plain = packet("M(e+1)");
  CHECK(plain.kind == PacketKind::kMiddle);
  CHECK(plain.psn.value(symbols) == 6);
  CHECK_FALSE(plain.size);
  CHECK_FALSE(plain.ack_req);
  CHECK(plain.overrides.empty());
  CHECK(plain.text == "M(e+1)");
  const PacketSpec sized = packet("O(0xFFFFFF,2P+1)!");
  CHECK(sized.psn.value(symbols) == 0xffffff);
  CHECK(sized.size.value().value(symbols) == 2049);
  CHECK(sized.ack_req);
  CHECK(packet("O(e,S/2)").size);
}

TEST_CASE("every kind has a name and an operation", "[packet]") {
  struct Row {
    PacketKind kind;
    const char* name;
    std::uint8_t operation;
  };
  const Row rows[] = {{PacketKind::kOnly, "O", 0x0a},
                      {PacketKind::kOnlyImm, "OI", 0x0b},
                      {PacketKind::kFirst, "F", 0x06},
                      {PacketKind::kMiddle, "M", 0x07},
                      {PacketKind::kLast, "L", 0x08},
                      {PacketKind::kLastImm, "LI", 0x09},
                      {PacketKind::kSendFirst, "SEND_FIRST", 0x00},
                      {PacketKind::kSendMiddle, "SEND_MIDDLE", 0x01},
                      {PacketKind::kSendLast, "SEND_LAST", 0x02},
                      {PacketKind::kSendOnly, "SEND_ONLY", 0x04},
                      {PacketKind::kSendOnlyInv, "SEND_ONLY_INV", 0x17},
                      {PacketKind::kRead, "READ", 0x0c},
                      {PacketKind::kCompareSwap, "CMP_SWAP", 0x13},
                      {PacketKind::kFetchAdd, "FETCH_ADD", 0x14},
                      {PacketKind::kCnp, "CNP", 0x81},
                      {PacketKind::kReadResponse, "READ_RESPONSE", 0x10},
                      {PacketKind::kAcknowledge, "ACKNOWLEDGE", 0x11},
                      {PacketKind::kAtomicAck, "ATOMIC_ACK", 0x12}};
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(packet((std::string(row.name) + "(e)").c_str()).kind == row.kind);
    CHECK(name_of(row.kind) == row.name);
    CHECK(operation_of(row.kind) == row.operation);
  }
}

TEST_CASE("the headers of a kind follow IBA table 38", "[packet]") {
  const auto set_of = [](bool (*has)(PacketKind)) {
    std::string out;
    for (unsigned k = 0; k <= static_cast<unsigned>(PacketKind::kAtomicAck); ++k) {
      const auto kind = static_cast<PacketKind>(k);
      if (has(kind)) out += (out.empty() ? "" : " ") + std::string(name_of(kind));
    }
    return out;
  };
  CHECK(set_of(carries_reth) == "O OI F READ");
  CHECK(set_of(carries_immediate) == "OI LI");
  CHECK(set_of(carries_atomic_header) == "CMP_SWAP FETCH_ADD");
  CHECK(set_of(begins) == "O OI F SEND_FIRST SEND_ONLY SEND_ONLY_INV READ CMP_SWAP FETCH_ADD");
  CHECK(set_of(is_write) == "O OI F M L LI");
  CHECK(set_of(has_payload_by_default) ==
        "O OI F M L LI SEND_FIRST SEND_MIDDLE SEND_LAST SEND_ONLY SEND_ONLY_INV");
  CHECK_FALSE(ends(PacketKind::kFirst));
  CHECK_FALSE(ends(PacketKind::kSendMiddle));
  CHECK(ends(PacketKind::kLastImm));
  CHECK(ends(PacketKind::kRead));
}

TEST_CASE("an option sets, adds to, or XORs a field", "[packet]") {
  using Mode = Override::Mode;
  CHECK(only_option(packet("O(e,8,tver=1)")) == Override{.field = Field::kTver, .value = Expression(1)});
  CHECK(only_option(packet("O(e,8,tver=^3)")) ==
        Override{.field = Field::kTver, .mode = Mode::kXor, .value = Expression(3)});
  CHECK(only_option(packet("O(e,8,udplen=+4)")) ==
        Override{.field = Field::kUdpLength, .mode = Mode::kAdd, .value = Expression::parse("+4")});
  const PacketSpec less = packet("O(e,8,udplen=-4)");
  CHECK(only_option(less).mode == Mode::kAdd);
  CHECK(only_option(less).value.value({}) == ~std::uint64_t{3});
  CHECK(only_option(packet("O(e,8,v1)")) == Override{.field = Field::kRoceV1, .value = Expression(1)});
  CHECK(only_option(packet("O(e,8,~ttl=1)")) ==
        Override{.field = Field::kTtl, .value = Expression(1), .late = true});
  CHECK(only_option(packet("O(e,8,payload.5=^1)")) ==
        Override{.field = Field::kPayload, .mode = Mode::kXor, .value = Expression(1), .index = 5});
  CHECK(only_option(packet("O(e,8,sip=second)")) ==
        Override{.field = Field::kSourceIp, .mode = Mode::kWord, .word = "second"});
  // The leading minus sign of an offset is part of the expression. It does not mean that 8 is subtracted from
  // the correct value.
  const PacketSpec before = packet("O(e,8,at=-8)!");
  CHECK(only_option(before).mode == Mode::kSet);
  CHECK(only_option(before).value.value({}) == ~std::uint64_t{7});
  CHECK(packet("O(e,8,tver=1,pkey=2,se)").overrides.size() == 3);
  CHECK(packet("O(e,len=8)").overrides.size() == 1);
}

TEST_CASE("an option is found by its field, if it changes the packet before its iCRC", "[packet]") {
  const PacketSpec spec = packet("O(e,8,~psn=+1,len=4,len=6)");
  CHECK(spec.find(Field::kPsn) == nullptr);
  REQUIRE(spec.find(Field::kLength) != nullptr);
  CHECK(spec.find(Field::kLength)->value.value({}) == 4);
  CHECK(spec.find(Field::kRkey) == nullptr);
}

TEST_CASE("the unspoilt packet goes to the same place", "[packet]") {
  const PacketSpec spoilt =
      packet("OI(e+1,8,tver=1,len=4,at=S-8,~psn=+1,region=1,imm=7,rkey=^1,fill=3,~len=5)");
  const PacketSpec right = spoilt.unspoilt();
  CHECK(right.kind == spoilt.kind);
  CHECK(right.psn == spoilt.psn);
  CHECK(right.size == spoilt.size);
  CHECK(right.ack_req);
  CHECK(right.text == "OI(e+1,8,len=4,at=S-8,region=1,imm=7,fill=3)!");
  CHECK(right.overrides == packet(right.text.c_str()).overrides);
  CHECK(packet("O(e,icrc=^1)!").unspoilt().text == "O(e)!");
  CHECK(packet("O(e,8)").unspoilt().text == "O(e,8)!");
}

TEST_CASE("several packets are separated by spaces", "[packet]") {
  const auto packets = parse_packets("  F(e,P,len=2P)  L(e+1)! ");
  REQUIRE(packets.size() == 2);
  CHECK(packets[0].kind == PacketKind::kFirst);
  CHECK(packets[1].kind == PacketKind::kLast);
  CHECK(packets[1].ack_req);
}

TEST_CASE("a wrong packet is refused, and the message says why", "[packet]") {
  struct Row {
    const char* text;
    const char* what;
  };
  const Row rows[] = {
      {"", "a list of packets is empty"},
      {"   ", "a list of packets is empty"},
      {"O", "it must have the form KIND(PSN,SIZE,OPTION"},
      {"!", "it must have the form"},
      {"O(", "it must have the form"},
      {"O(e", "it must have the form"},
      {"O e)", "it must have the form"},
      {"X(e)", "unknown kind 'X'; fix: use O, OI, F"},
      {"o(e)", "unknown kind 'o'"},
      {"O()", "it is empty"},
      {"O(e,)", "an option is empty"},
      {"O(e,8,)", "an option is empty"},
      {"O(e,8,8)", "unknown option '8'"},
      {"O(e,8,tvr=1)", "unknown option 'tvr'; fix: use one of opcode, se,"},
      {"O(e,8,~)", "unknown option ''"},
      {"O(e,8,tver=)", "'tver' has no value"},
      {"O(e,8,tver=^)", "it is empty"},
      {"O(e,8,tver=second)", "unknown symbol 's'"},
      {"O(e,8,payload.=1)", "'' is not the number of a byte"},
      {"O(e,8,payload.x=1)", "'x' is not the number of a byte"},
      {"O(e,8,payload.4294967296=1)", "is not the number of a byte"},
      {"O(e,8,psn.1=1)", "only payload and pad have numbered bytes"},
      {"O(e)) O(e)", "is missing before ')'"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK_THROWS_WITH(parse_packets(row.text), Contains(row.what));
    CHECK_THROWS_AS(parse_packets(row.text), NotationError);
  }
}
