// SPDX-License-Identifier: BSD-3-Clause
// Tests what a script decides about a packet: its place in memory, lengths, payload and PSNs.
#include "conformance/script_packet.hpp"

#include "roce/craft.hpp"
#include "script_fixture.hpp"

#include <array>
#include <set>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Matchers::Contains;
using test::script_setup;
using test::scripted;
using test::spec_of;

namespace {

/// Returns the frame that a board sends for this packet.
std::vector<std::uint8_t> crafted(const ScriptSetup& setup, const ScriptPacket& packet,
                                  std::uint16_t identification) {
  const roce::HeaderTemplate path(setup.path);
  roce::RequestPacket request;
  request.opcode = packet.opcode;
  request.ack_req = packet.spec.ack_req;
  request.psn = packet.psn;
  request.reth = {setup.regions[packet.region].address + packet.offset, setup.regions[packet.region].rkey,
                  packet.message_length};
  request.immediate = packet.immediate;
  request.payload_length = static_cast<std::uint32_t>(packet.payload.size());
  std::vector<std::uint8_t> frame(roce::HeaderTemplate::kMaxSize + roce::kMaxTransportHeaders);
  std::array<std::uint8_t, 8> trailer{};
  const roce::Crafted c =
      roce::craft_request(path, request, setup.dest_qp, roce::kDefaultPkey, identification,
                          packet.payload.data(), {}, frame.data(), trailer.data());
  frame.resize(c.header_length);
  frame.insert(frame.end(), packet.payload.begin(), packet.payload.end());
  frame.insert(frame.end(), trailer.begin(), trailer.begin() + c.trailer_length);
  return frame;
}

/// Returns the packet as a board sends it. Its MigReq is 0, and with IPv6 its flow label is the source port.
PacketSpec as_boards_send(std::string text, bool v6) {
  text.insert(text.rfind(')'), v6 ? ",migreq=0,flow=0xc000" : ",migreq=0");
  return spec_of(text);
}

}  // namespace

TEST_CASE("valid packets are those that boards send", "[script]") {
  for (const bool v6 : {false, true}) {
    for (const auto transport : {roce::Transport::kRc, roce::Transport::kUc}) {
      ScriptSetup setup = script_setup(v6);
      setup.transport = transport;
      Script script(setup);
      for (const char* const text :
           {"O(e,8)!", "O(e,0)", "O(e,1)", "O(e,5)!", "OI(e,7,imm=0x11223344)!", "F(e,P,len=3P)", "M(e+1,P)",
            "L(e+2,3)!", "LI(e+3,0,imm=9)!", "O(e+4,P,region=1)!", "O(e,64,at=0x2000)"}) {
        INFO(text << ", IPv6 " << v6 << ", transport " << static_cast<unsigned>(transport));
        const ScriptPacket packet = script.make(as_boards_send(text, v6));
        REQUIRE(packet.frames.size() == 1);
        const std::vector<std::uint8_t>& frame = packet.frames.front();
        CHECK((frame == crafted(setup, packet, v6 ? std::uint16_t{0} : load_be16(&frame[18]))));
        const roce::ParsedFrame parsed = roce::parse_frame(ByteSpan(frame));
        CHECK(parsed.kind == roce::FrameKind::kUdp);
        CHECK(roce::icrc_matches(parsed));
      }
    }
  }
}

TEST_CASE("packets of a script have different identifications and payloads", "[script]") {
  Script script(script_setup());
  std::set<std::uint16_t> ids;
  std::set<std::vector<std::uint8_t>> payloads;
  for (int k = 0; k < 100; ++k) {
    const ScriptPacket packet = script.make(spec_of("O(e,8)"));
    ids.insert(load_be16(&packet.frames.front()[18]));
    payloads.insert(packet.payload);
  }
  CHECK(ids.size() == 100);
  CHECK(payloads.size() == 100);
  ScriptSetup next = script_setup();
  ++next.dest_qp;
  const auto first_id = [](const ScriptSetup& setup) {
    return load_be16(&Script(setup).make(spec_of("O(e,8)")).frames.front()[18]);
  };
  CHECK(first_id(next) != first_id(script_setup()));
}

TEST_CASE("messages are placed in slots, by their first PSN", "[script]") {
  CHECK(scripted("O(e,8)").offset == Script::kMargin);
  CHECK(scripted("O(e+3,8)").offset == Script::kMargin + 3 * Script::kSlot);
  CHECK(scripted("O(e+64,8)").offset == Script::kMargin);
  CHECK(scripted("O(e-1,8)").offset == Script::kMargin + ((1U << 24) - 1) % 64 * Script::kSlot);
  CHECK(scripted("O(e,8,at=S-8)").offset == 0x10'0000 - 8);
  CHECK(scripted("O(e,8,at=-8)").offset == ~std::uint64_t{7});
  CHECK(scripted("O(e,8,va=0x100010)").offset == 0x10);
  CHECK(scripted("O(e,8,va=+8)").offset == Script::kMargin + 8);
  CHECK(scripted("O(e,8,at=16,va=^1)").offset == 17);
  CHECK(scripted("O(e,8,region=1,at=S)").offset == 0x1000);  // S is the size of that region
  CHECK(scripted("O(e,8,region=1,at=S)").region == 1);
}

TEST_CASE("the packets of a message follow its first one", "[script]") {
  Script script(script_setup());
  script.make(spec_of("F(e+1,P,len=3P,at=100,region=1)"));
  const ScriptPacket middle = script.make(spec_of("M(e+2)"));
  CHECK(middle.region == 1);
  CHECK(middle.offset == 100 + 1024);
  script.make(spec_of("O(e+9,8)"));
  const ScriptPacket last = script.make(spec_of("L(e+3,10)!"));
  CHECK(last.offset == 100 + 2 * 1024);
  CHECK(last.payload.size() == 10);
}

TEST_CASE("a size is that of the notation, or the kind's", "[script]") {
  CHECK(scripted("O(e)").payload.size() == 8);
  CHECK(scripted("F(e)").payload.size() == 1024);
  CHECK(scripted("O(e,2P+1)").payload.size() == 2049);
  CHECK(scripted("O(e,0)").payload.empty());
  CHECK(scripted("READ(e,64)").payload.empty());
  CHECK(scripted("CMP_SWAP(e,8)").payload.empty());
  CHECK(scripted("CNP(e)").payload.empty());
  CHECK(scripted("O(e,65000)").payload.size() == 65'000);
  CHECK_THROWS_WITH(scripted("O(e,65001)"), Contains("exceeds 65,000 bytes"));
  CHECK_THROWS_WITH(scripted("O(e,0-1)"), Contains("exceeds 65,000 bytes"));
  const ScriptPacket filled = scripted("O(e,3,fill=0xaa)");
  CHECK(filled.payload == std::vector<std::uint8_t>{0xaa, 0xaa, 0xaa});
}

TEST_CASE("the length of a message is that of its payload unless an option changes it", "[script]") {
  CHECK(scripted("O(e,10)").message_length == 10);
  CHECK(scripted("F(e,P,len=3P)").message_length == 3072);
  CHECK(scripted("O(e,8,len=+4)").message_length == 12);
  CHECK(scripted("O(e,8,len=-4)").message_length == 4);
  CHECK(scripted("O(e,8,len=^1)").message_length == 9);
  CHECK(scripted("READ(e,64)").message_length == 64);
  CHECK(scripted("READ(e)").message_length == 8);
  CHECK(scripted("READ(e,64,len=+1)").message_length == 65);
}

TEST_CASE("a READ request has a PSN for each packet of its response", "[script]") {
  CHECK(scripted("READ(e,0)").psns == 1);
  CHECK(scripted("READ(e,P)").psns == 1);
  CHECK(scripted("READ(e,P+1)").psns == 2);
  CHECK(scripted("READ(e,3P)").psns == 3);
  CHECK(scripted("READ(e,8,len=0xffffffff)").psns == 0x40'0000);
  CHECK(scripted("O(e,3P)").psns == 1);
}

TEST_CASE("an immediate, the PSN and the repetition are those of the notation", "[script]") {
  CHECK(scripted("OI(e,8,imm=0x11223344)").immediate == 0x11223344);
  CHECK(scripted("LI(e,8)").immediate == 0);
  Script script(script_setup());
  CHECK(script.make(spec_of("O(e+2i,8)"), 3).psn == 0x010203 + 6);
  CHECK(script.make(spec_of("O(0x1000000+5,8)")).psn == 5);
  CHECK(script.make(spec_of("O(e,8,psn=+1)")).psn == 0x010203);  // the PSN before the option changes it
}

TEST_CASE("the opcode contains the service, apart from CNPs", "[script]") {
  ScriptSetup uc = script_setup();
  uc.transport = roce::Transport::kUc;
  CHECK(Script(uc).make(spec_of("O(e,8)")).opcode == 0x2a);
  CHECK(Script(uc).make(spec_of("O(e,8,opcode=0x0a)")).opcode == 0x0a);
  CHECK(Script(uc).make(spec_of("CNP(e)")).opcode == 0x81);
  CHECK(scripted("SEND_ONLY_INV(e)").opcode == 0x17);
}

TEST_CASE("a packet that does not exist is refused", "[script]") {
  CHECK_THROWS_WITH(scripted("O(e,8,region=2)"), Contains("the case has no region 2"));
  CHECK_THROWS_WITH(scripted("M(e,P,at=8)"), Contains("the packet that begins the message"));
  CHECK_THROWS_WITH(scripted("L(e,P,region=1)"), Contains("the packet that begins the message"));
}
