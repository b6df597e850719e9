// SPDX-License-Identifier: BSD-3-Clause
// Tests what each option of the notation does to the bytes of a packet, and whether a receiver accepts the
// result.
#include "roce/frame.hpp"
#include "roce/icrc.hpp"
#include "script_fixture.hpp"

#include <algorithm>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Matchers::Contains;
using test::frame_of;
using test::scripted;

namespace {

using Bytes = std::vector<std::uint8_t>;

enum class Layer : std::uint8_t { kEthernet, kIp, kUdp, kBth };
/// How roce::parse_frame() and roce::icrc_matches() classify a frame.
enum class Fate : std::uint8_t {
  kRight,
  kWrongIcrc,
  kMalformed,
  kOther,  ///< well-formed, but not UDP
};

/// An option to insert into "O(e,8,OPTION)!", and the bytes that it must produce at offset `at` of a layer.
struct Row {
  const char* option;
  Layer layer;
  std::size_t at;
  Bytes bytes;
  Fate fate = Fate::kRight;
  bool flipped = false;  ///< `bytes` are the XOR of the bytes with and without the option
};

std::size_t start_of_layer(Layer layer, bool v6) {
  const std::size_t udp = 14 + (v6 ? 40 : 20);
  switch (layer) {
    case Layer::kEthernet:
      return 0;
    case Layer::kIp:
      return 14;
    case Layer::kUdp:
      return udp;
    default:
      return udp + 8;
  }
}

Fate fate_of(const Bytes& frame) {
  const roce::ParsedFrame parsed = roce::parse_frame(ByteSpan(frame));
  if (parsed.kind == roce::FrameKind::kMalformed) return Fate::kMalformed;
  if (parsed.kind != roce::FrameKind::kUdp) return Fate::kOther;
  return roce::icrc_matches(parsed) ? Fate::kRight : Fate::kWrongIcrc;
}

/// Compares the frame with the option to the frame without it. Only the bytes of the row, the IP checksum and
/// the iCRC may differ.
void check_row(const Row& row, bool v6) {
  INFO(row.option << (v6 ? " with IPv6" : " with IPv4"));
  const Bytes plain = frame_of("O(e,8)!", v6);
  const Bytes frame = frame_of(std::string("O(e,8,") + row.option + ")!", v6);
  const std::size_t at = start_of_layer(row.layer, v6) + row.at;
  REQUIRE(frame.size() == plain.size());
  Bytes wanted = plain;
  for (std::size_t k = 0; k < row.bytes.size(); ++k)
    wanted[at + k] = static_cast<std::uint8_t>(row.bytes[k] ^ (row.flipped ? plain[at + k] : 0));
  if (!v6 && at != 24) std::copy_n(frame.begin() + 24, 2, wanted.begin() + 24);
  if (at + 4 != frame.size()) std::copy_n(frame.end() - 4, 4, wanted.end() - 4);
  CHECK(frame == wanted);
  CHECK(fate_of(frame) == row.fate);
}

void check_rows(const std::vector<Row>& rows, std::initializer_list<bool> families) {
  for (const Row& row : rows) {
    for (const bool v6 : families) check_row(row, v6);
  }
}

std::uint32_t icrc_at_end(const Bytes& frame) { return load_le32(&frame[frame.size() - 4]); }

}  // namespace

TEST_CASE("options of the base transport header", "[options]") {
  check_rows({{"opcode=0x0b", Layer::kBth, 0, {0x0b}},
              {"opcode=+1", Layer::kBth, 0, {0x0b}},
              {"se", Layer::kBth, 1, {0xc0}},
              {"migreq=0", Layer::kBth, 1, {0x00}},
              {"padcnt=3", Layer::kBth, 1, {0x70}},
              {"tver=5", Layer::kBth, 1, {0x45}},
              {"tver=0x15", Layer::kBth, 1, {0x45}},  // the field has only four bits
              {"pkey=0x7fff", Layer::kBth, 2, {0x7f, 0xff}},
              {"pkey=^0x8000", Layer::kBth, 2, {0x7f, 0xff}},
              {"byte4=0x40", Layer::kBth, 4, {0x40}},
              {"destqp=unused", Layer::kBth, 5, {0xab, 0xcd, 0xef}},
              {"destqp=+1", Layer::kBth, 5, {0x11, 0x22, 0x34}},
              {"ackreq=0", Layer::kBth, 8, {0x00}},
              {"res7=0x7f", Layer::kBth, 8, {0xff}},
              {"psn=+1", Layer::kBth, 9, {0x01, 0x02, 0x04}},
              {"psn=0xffffff", Layer::kBth, 9, {0xff, 0xff, 0xff}},
              {"psn=e-1", Layer::kBth, 9, {0x01, 0x02, 0x02}}},
             {false, true});
}

TEST_CASE("options of extended headers and the payload", "[options]") {
  check_rows({{"at=0", Layer::kBth, 12, {0, 0, 0, 0, 0, 0x10, 0, 0}},
              {"va=0x1122334455667788", Layer::kBth, 12, {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}},
              {"va=+8", Layer::kBth, 12, {0, 0, 0, 0, 0, 0x10, 0, 0x48}},
              {"va=-1", Layer::kBth, 12, {0, 0, 0, 0, 0, 0x10, 0, 0x3f}},
              {"va=^1", Layer::kBth, 12, {0, 0, 0, 0, 0, 0x10, 0, 0x41}},
              {"rkey=7", Layer::kBth, 20, {0, 0, 0, 7}},
              {"rkey=^1", Layer::kBth, 20, {0, 0, 0x12, 0x35}},
              {"len=3P", Layer::kBth, 24, {0, 0, 0x0c, 0}},
              {"len=+4", Layer::kBth, 24, {0, 0, 0, 12}},
              {"len=^1", Layer::kBth, 24, {0, 0, 0, 9}},
              {"len=0x100000000", Layer::kBth, 24, {0, 0, 0, 0}},
              {"region=1", Layer::kBth, 12, {0, 0, 0, 0, 0, 0x90, 0, 0x40, 0, 0, 0x56, 0x78}},
              {"fill=0xaa", Layer::kBth, 28, Bytes(8, 0xaa)},
              {"payload=0", Layer::kBth, 28, {0}},
              {"payload.7=^0x80", Layer::kBth, 35, {0x80}, Fate::kRight, true}},
             {false, true});
  const Bytes padded = frame_of("O(e,5,pad.0=0xaa,pad.2=1)!");
  CHECK(Bytes(padded.end() - 7, padded.end() - 4) == Bytes{0xaa, 0, 1});
  CHECK(fate_of(padded) == Fate::kRight);
  const Bytes immediate = frame_of("OI(e,0,imm=0x11223344)!");
  CHECK(Bytes(immediate.end() - 8, immediate.end() - 4) == Bytes{0x11, 0x22, 0x33, 0x44});
  CHECK(frame_of("OI(e,0,imm=^5)!") == frame_of("OI(e,0,imm=5)!"));
}

TEST_CASE("headers of SENDs, READs, atomic operations and responses", "[options]") {
  const auto behind_bth = [](const char* text) {
    const Bytes frame = frame_of(text);
    CHECK(fate_of(frame) == Fate::kRight);
    return Bytes(frame.begin() + 54, frame.end() - 4);
  };
  CHECK(behind_bth("READ(e,64,at=0)!") == Bytes{0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 64});
  CHECK(behind_bth("CMP_SWAP(e,at=8,swap=1,compare=0x0203040506070809)!") ==
        Bytes{0, 0, 0, 0, 0, 0x10, 0, 8, 0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(behind_bth("FETCH_ADD(e,at=8,swap=-1,rkey=1)!").size() == 28);
  CHECK(behind_bth("SEND_ONLY_INV(e,0,rkey=^1)!") == Bytes{0, 0, 0x12, 0x35});
  CHECK(behind_bth("SEND_FIRST(e,4)!").size() == 4);
  CHECK(behind_bth("CNP(e)") == Bytes(16, 0));
  CHECK(behind_bth("ACKNOWLEDGE(e)") == Bytes{0x1f, 0, 0, 0});
  CHECK(behind_bth("READ_RESPONSE(e)") == Bytes{0x1f, 0, 0, 0});
  CHECK(behind_bth("ATOMIC_ACK(e)") == Bytes{0x1f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const Bytes cnp = frame_of("CNP(e+5)");
  CHECK(Bytes(cnp.begin() + 42, cnp.begin() + 54) ==
        Bytes{0x81, 0, 0xff, 0xff, 0x40, 0x11, 0x22, 0x33, 0, 0, 0, 0});
}

TEST_CASE("options of IPv4", "[options]") {
  check_rows({{"version=5", Layer::kIp, 0, {0x55}, Fate::kMalformed},
              {"tos=0xff", Layer::kIp, 1, {0xff}},
              {"dscp=46", Layer::kIp, 1, {0xba}},
              {"ecn=ce", Layer::kIp, 1, {0x03}},
              {"ecn=1", Layer::kIp, 1, {0x01}},
              {"id=0x1234", Layer::kIp, 4, {0x12, 0x34}},
              {"df=0", Layer::kIp, 6, {0x00, 0x00}},
              {"mf", Layer::kIp, 6, {0x60, 0x00}, Fate::kOther},
              {"offset=1", Layer::kIp, 6, {0x40, 0x01}, Fate::kOther},
              {"ttl=1", Layer::kIp, 8, {1}},
              {"ipsum=^1", Layer::kIp, 10, {0, 1}, Fate::kMalformed, true},
              {"ipsum=0x1234", Layer::kIp, 10, {0x12, 0x34}, Fate::kMalformed},
              {"sip=other", Layer::kIp, 12, {10, 0, 0, 0x41}},
              {"sip=second", Layer::kIp, 12, {10, 0, 0, 11}},
              {"sip=0x0a000063", Layer::kIp, 12, {10, 0, 0, 99}},
              {"dip=other", Layer::kIp, 16, {10, 0, 0, 0x42}},
              {"dip=broadcast", Layer::kIp, 16, {10, 0, 0, 255}}},
             {false});
  // A checksum that is one too high is refused. Adding 0 to the correct checksum has no effect.
  CHECK(fate_of(frame_of("O(e,8,ipsum=+1)!")) == Fate::kMalformed);
  CHECK(frame_of("O(e,8,ipsum=+0)!") == frame_of("O(e,8)!"));
}

TEST_CASE("options of IPv6", "[options]") {
  check_rows({{"version=4", Layer::kIp, 0, {0x40}, Fate::kMalformed},
              {"tos=0xff", Layer::kIp, 0, {0x6f, 0xf0}},
              {"dscp=46", Layer::kIp, 0, {0x6b, 0xa0}},
              {"ecn=ce", Layer::kIp, 0, {0x60, 0x30}},
              {"flow=0x12345", Layer::kIp, 0, {0x60, 0x21, 0x23, 0x45}},
              {"ttl=1", Layer::kIp, 7, {1}},
              {"sip=other", Layer::kIp, 23, {0x41}},
              {"sip=second", Layer::kIp, 8, {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11}},
              {"dip=other", Layer::kIp, 39, {0x42}},
              {"dip=broadcast", Layer::kIp, 39, {255}}},
             {true});
}

TEST_CASE("options of UDP and Ethernet", "[options]") {
  check_rows({{"sport=0", Layer::kUdp, 0, {0, 0}},
              {"dport=4790", Layer::kUdp, 2, {0x12, 0xb6}},
              {"udplen=+4", Layer::kUdp, 4, {0, 52}, Fate::kMalformed},
              {"udplen=^1", Layer::kUdp, 4, {0, 49}, Fate::kMalformed},
              {"udplen=7", Layer::kUdp, 4, {0, 7}, Fate::kMalformed},
              {"udpsum=1", Layer::kUdp, 6, {0, 1}, Fate::kMalformed},
              {"dmac=other", Layer::kEthernet, 5, {0x42}},
              {"dmac=broadcast", Layer::kEthernet, 0, Bytes(6, 0xff)},
              {"dmac=0x020304050607", Layer::kEthernet, 0, {2, 3, 4, 5, 6, 7}},
              {"smac=other", Layer::kEthernet, 11, {0x41}}},
             {false, true});
  // With a smaller UDP length, the datagram ends earlier, so its last four bytes are not the iCRC.
  check_row({"udplen=-4", Layer::kUdp, 4, {0, 44}, Fate::kMalformed}, false);
  for (const bool v6 : {false, true}) {
    const Bytes frame = frame_of("O(e,5,udpsum=right)!", v6);
    CHECK(load_be16(&frame[start_of_layer(Layer::kUdp, v6) + 6]) != 0);
    CHECK(fate_of(frame) == Fate::kRight);
  }
}

TEST_CASE("changes on the way leave the iCRC as it was", "[options]") {
  const std::vector<Row> rows = {{"~tos=0xff", Layer::kIp, 1, {0xff}},
                                 {"~dscp=46", Layer::kIp, 1, {0xba}},
                                 {"~ecn=ce", Layer::kIp, 1, {0x03}},
                                 {"~ttl=1", Layer::kIp, 8, {1}},
                                 {"~id=^1", Layer::kIp, 4, {0, 1}, Fate::kWrongIcrc, true},
                                 {"~df=0", Layer::kIp, 6, {0, 0}, Fate::kWrongIcrc},
                                 {"~ipsum=^1", Layer::kIp, 10, {0, 1}, Fate::kMalformed, true},
                                 {"~sip=other", Layer::kIp, 12, {10, 0, 0, 0x41}, Fate::kWrongIcrc},
                                 {"~sport=1", Layer::kUdp, 0, {0, 1}, Fate::kWrongIcrc},
                                 {"~udplen=+4", Layer::kUdp, 4, {0, 52}, Fate::kMalformed},
                                 {"~udpsum=1", Layer::kUdp, 6, {0, 1}, Fate::kMalformed},
                                 {"~byte4=0xff", Layer::kBth, 4, {0xff}},
                                 {"~psn=+1", Layer::kBth, 9, {1, 2, 4}, Fate::kWrongIcrc},
                                 {"~destqp=unused", Layer::kBth, 5, {0xab, 0xcd, 0xef}, Fate::kWrongIcrc},
                                 {"~va=+1", Layer::kBth, 19, {0x41}, Fate::kWrongIcrc},
                                 {"~rkey=7", Layer::kBth, 20, {0, 0, 0, 7}, Fate::kWrongIcrc},
                                 {"~len=9", Layer::kBth, 24, {0, 0, 0, 9}, Fate::kWrongIcrc},
                                 {"~payload.3=^1", Layer::kBth, 31, {1}, Fate::kWrongIcrc, true},
                                 {"~icrc=^1", Layer::kBth, 36, {0, 0, 0, 1}, Fate::kWrongIcrc, true},
                                 {"~dmac=other", Layer::kEthernet, 5, {0x42}}};
  check_rows(rows, {false});
  const std::uint32_t icrc = icrc_at_end(frame_of("O(e,8)!"));
  for (const Row& row : rows) {
    INFO(row.option);
    const bool changes_icrc = std::string(row.option) == "~icrc=^1";
    CHECK((icrc_at_end(frame_of(std::string("O(e,8,") + row.option + ")!")) == icrc) == !changes_icrc);
  }
  const Bytes immediate = frame_of("OI(e,0,~imm=7)!");
  CHECK(immediate[immediate.size() - 5] == 7);
  CHECK(fate_of(immediate) == Fate::kWrongIcrc);
  CHECK(fate_of(frame_of("O(e,8,~udpsum=right)!")) == Fate::kRight);
}

TEST_CASE("wrong iCRCs", "[options]") {
  const Bytes right = frame_of("O(e,8)!");
  const std::size_t end = right.size() - 4;
  check_rows({{"icrc=^1", Layer::kBth, 36, {0, 0, 0, 1}, Fate::kWrongIcrc, true},
              {"icrc=0", Layer::kBth, 36, {0, 0, 0, 0}, Fate::kWrongIcrc}},
             {false, true});
  Bytes reversed = right;
  std::reverse(reversed.end() - 4, reversed.end());
  CHECK(frame_of("O(e,8,icrc=reversed)!") == reversed);
  CHECK(frame_of("O(e,8,~icrc=reversed)!") == reversed);

  Bytes masked(right.begin() + 14, right.end() - 4);
  for (const std::size_t at : {1U, 8U, 10U, 11U, 26U, 27U, 32U}) masked[at] = 0xff;
  CHECK(icrc_at_end(frame_of("O(e,8,icrc=no_ones)!")) == roce::crc32(0, masked));
  masked[32] = right[46];
  const std::uint32_t ones = roce::crc32(0, Bytes(8, 0xff));
  CHECK(icrc_at_end(frame_of("O(e,8,icrc=byte4_counted)!")) == roce::crc32(ones, masked));
  CHECK(fate_of(frame_of("O(e,8,icrc=byte4_counted)!")) == Fate::kWrongIcrc);

  // If the iCRC is left out, the IP and UDP lengths are those of the shorter packet.
  const Bytes none = frame_of("O(e,8,icrc=none)!");
  CHECK(none.size() == end);
  CHECK(load_be16(&none[16]) == none.size() - 14);
  CHECK(load_be16(&none[38]) == none.size() - 34);
  CHECK(fate_of(none) == Fate::kWrongIcrc);
}

TEST_CASE("VLAN tags", "[options]") {
  for (const bool v6 : {false, true}) {
    const Bytes plain = frame_of("O(e,8)!", v6);
    Bytes tagged = plain;
    const Bytes tag = {0x81, 0x00, 0xa0, 0x64};
    tagged.insert(tagged.begin() + 12, tag.begin(), tag.end());
    CHECK(frame_of("O(e,8,vid=100,pcp=5)!", v6) == tagged);
    CHECK(frame_of("O(e,8,pcp=5,vid=100)!", v6) == tagged);
    CHECK(frame_of("O(e,8,~vid=100,~pcp=5)!", v6) == tagged);
    CHECK(fate_of(tagged) == Fate::kRight);
  }
}

TEST_CASE("IPv4 options", "[options]") {
  const Bytes plain = frame_of("O(e,8)!");
  const Bytes frame = frame_of("O(e,8,ihl=6)!");
  REQUIRE(frame.size() == plain.size() + 4);
  CHECK(frame[14] == 0x46);
  CHECK(Bytes(frame.begin() + 34, frame.begin() + 38) == Bytes(4, 0x01));
  CHECK(load_be16(&frame[16]) == frame.size() - 14);
  CHECK(std::equal(plain.begin() + 34, plain.end() - 4, frame.begin() + 38));
  CHECK(fate_of(frame) == Fate::kOther);
  CHECK(frame_of("O(e,8,ihl=15)!").size() == plain.size() + 40);
}

TEST_CASE("RoCE v1", "[options]") {
  const Bytes frame = frame_of("O(e,8,v1)!");
  CHECK(load_be16(&frame[12]) == 0x8915);
  CHECK(frame[14] == 0x60);
  CHECK(load_be16(&frame[18]) == frame.size() - 14 - 40);
  CHECK(frame[20] == 0x1b);
  CHECK(frame[21] == 64);
  CHECK(frame[54] == 0x0a);  // the BTH follows the GRH
  CHECK(fate_of(frame) == Fate::kOther);
  Bytes masked(frame.begin() + 14, frame.end() - 4);
  for (const std::size_t at : {1U, 2U, 3U, 7U, 44U}) masked[at] = 0xff;
  masked[0] = 0x6f;
  masked.insert(masked.begin(), 8, 0xff);
  CHECK(icrc_at_end(frame) == roce::crc32(0, masked));
  const Bytes tagged = frame_of("O(e,8,vid=5,v1)!");
  CHECK(load_be16(&tagged[16]) == 0x8915);
}

TEST_CASE("cut packets and Ethernet padding", "[options]") {
  const Bytes plain = frame_of("O(e,8)!");
  const Bytes cut = frame_of("O(e,8,cut=20)!");
  CHECK(cut.size() == 42 + 20 + 4);
  CHECK(std::equal(cut.begin() + 42, cut.begin() + 62, plain.begin() + 42));
  CHECK(fate_of(cut) == Fate::kRight);  // the iCRC is computed after the cut
  CHECK(frame_of("O(e,8,cut=0)!").size() == 46);
  CHECK(frame_of("O(e,8,cut=0,icrc=none)!").size() == 42);
  CHECK(frame_of("O(e,8,cut=999)!") == plain);
  Bytes trailed = plain;
  trailed.resize(plain.size() + 7);
  CHECK(frame_of("O(e,8,trail=7)!") == trailed);
  CHECK(frame_of("O(e,8,trail=100000)!").size() == plain.size() + 1500);
}

TEST_CASE("IP fragments", "[options]") {
  const Bytes plain = frame_of("O(e,8)!");
  const auto frames = scripted("O(e,8,split=24)!").frames;
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].size() == 34 + 24);
  CHECK(frames[1].size() == plain.size() - 24);
  CHECK(load_be16(&frames[0][20]) == 0x2000);
  CHECK(load_be16(&frames[1][20]) == 3);
  CHECK(load_be16(&frames[0][18]) == load_be16(&frames[1][18]));
  for (const Bytes& frame : frames) {
    CHECK(load_be16(&frame[16]) == frame.size() - 14);
    CHECK(fate_of(frame) == Fate::kOther);  // well-formed, so the IP checksum is correct
  }
  Bytes whole(frames[0].begin() + 34, frames[0].end());
  whole.insert(whole.end(), frames[1].begin() + 34, frames[1].end());
  CHECK(whole == Bytes(plain.begin() + 34, plain.end()));
}

TEST_CASE("options that a packet does not have are refused", "[options]") {
  struct Refusal {
    const char* text;
    const char* what;
    bool v6 = false;
  };
  const Refusal rows[] = {
      {"M(e,8,rkey=1)", "the packet has no such header"},
      {"M(e,8,len=8)", "the packet has no such header"},
      {"L(e,8,va=8)", "the packet has no such header"},
      {"O(e,8,imm=5)", "the packet has no such header"},
      {"O(e,8,~imm=5)", "the packet has no such header"},
      {"O(e,8,swap=1)", "the packet has no such header"},
      {"OI(e,8,compare=1)", "the packet has no such header"},
      {"CMP_SWAP(e,len=8)", "the packet has no such header"},
      {"CNP(e,rkey=1)", "the packet has no such header"},
      {"O(e,8,payload.8=1)", "the payload has no such byte"},
      {"O(e,8,pad=1)", "the packet is too short for this option"},
      {"O(e,5,pad.3=1)", "the packet is too short for this option"},
      {"O(e,5,pad.4294967295=1)", "the packet is too short for this option"},
      {"O(e,8,cut=4,~destqp=unused)", "the packet is too short for this option"},
      {"O(e,8,cut=4,~psn=1)", "the packet is too short for this option"},
      {"O(e,8,cut=30,~payload.5=1)", "the packet is too short for this option"},
      {"O(e,8,icrc=none,~icrc=^1)", "the packet is too short for this option"},
      {"O(e,8,~icrc=none)", "cannot change on the way"},
      {"O(e,8,~icrc=no_ones)", "cannot change on the way"},
      {"O(e,8,~icrc=byte4_counted)", "cannot change on the way"},
      {"O(e,8,~cut=4)", "cannot change on the way"},
      {"O(e,8,~ihl=6)", "cannot change on the way"},
      {"O(e,8,~v1)", "cannot change on the way"},
      {"O(e,8,~fill=1)", "cannot change on the way"},
      {"O(e,8,v1,ttl=1)", "RoCE v1 has no IP header"},
      {"O(e,8,v1,ihl=6)", "ihl is a length of IPv4 headers"},
      {"O(e,8,v1,udpsum=right)", "RoCE v1 has no UDP header"},
      {"O(e,8,v1,udplen=8)", "RoCE v1 has no UDP header"},
      {"O(e,8,ihl=4)", "ihl is a length of IPv4 headers"},
      {"O(e,8,ihl=16)", "ihl is a length of IPv4 headers"},
      {"O(e,8,split=0)", "only IPv4 is fragmented"},
      {"O(e,8,split=12)", "only IPv4 is fragmented"},
      {"O(e,8,split=48)", "it is split behind its end"},
      {"O(e,8,split=40,cut=4)", "it is split behind its end"},
      {"O(e,8,v1,split=8)", "only IPv4 is fragmented"},
      {"O(e,8,flow=1)", "a flow label exists only with IPv6"},
      {"O(e,8,id=1)", "the option exists only with IPv4", true},
      {"O(e,8,df=0)", "the option exists only with IPv4", true},
      {"O(e,8,mf)", "the option exists only with IPv4", true},
      {"O(e,8,offset=1)", "the option exists only with IPv4", true},
      {"O(e,8,ipsum=1)", "the option exists only with IPv4", true},
      {"O(e,8,ihl=6)", "ihl is a length of IPv4 headers", true},
      {"O(e,8,split=8)", "only IPv4 is fragmented", true},
  };
  for (const Refusal& row : rows) {
    INFO(row.text);
    CHECK_THROWS_WITH(scripted(row.text, row.v6), Contains(row.what) && Contains(row.text));
    CHECK_THROWS_AS(scripted(row.text, row.v6), NotationError);
  }
}
