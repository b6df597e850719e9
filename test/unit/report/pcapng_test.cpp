// SPDX-License-Identifier: BSD-3-Clause
#include "report/pcapng.hpp"

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;

namespace {

using Direction = PcapngWriter::Direction;

std::uint32_t u32(const std::string& bytes, std::size_t at) {
  REQUIRE(at + 4 <= bytes.size());
  std::uint32_t out = 0;
  for (std::size_t k = 4; k-- != 0;) out = out << 8 | static_cast<std::uint8_t>(bytes[at + k]);
  return out;
}

std::uint16_t u16(const std::string& bytes, std::size_t at) {
  REQUIRE(at + 2 <= bytes.size());
  return static_cast<std::uint16_t>(static_cast<std::uint8_t>(bytes[at]) |
                                    static_cast<std::uint8_t>(bytes[at + 1]) << 8);
}

/// A block without its two length fields.
struct PcapngBlock {
  std::uint32_t type = 0;
  std::string body;
};

/// Reads the blocks as draft-ietf-opsawg-pcapng describes them.
std::vector<PcapngBlock> blocks_of(const std::string& bytes) {
  std::vector<PcapngBlock> out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint32_t length = u32(bytes, at + 4);
    REQUIRE(length >= 12);
    REQUIRE(length % 4 == 0);
    REQUIRE(at + length <= bytes.size());
    REQUIRE(u32(bytes, at + length - 4) == length);
    out.push_back({u32(bytes, at), bytes.substr(at + 8, length - 12)});
    at += length;
  }
  return out;
}

/// Returns the options that begin at `at`. The end-of-options marker must be the last option and is left out.
std::map<std::uint16_t, std::string> options_of(const PcapngBlock& block, std::size_t at) {
  std::map<std::uint16_t, std::string> out;
  for (;;) {
    const std::uint16_t code = u16(block.body, at), length = u16(block.body, at + 2);
    at += 4;
    if (code == 0) {
      CHECK(length == 0);
      CHECK(at == block.body.size());
      return out;
    }
    out[code] = block.body.substr(at, length);
    for (at += length; at % 4 != 0; ++at) CHECK(block.body[at] == '\0');
  }
}

std::vector<std::uint8_t> frame_of(std::size_t length) {
  std::vector<std::uint8_t> out(length);
  for (std::size_t k = 0; k < length; ++k) out[k] = static_cast<std::uint8_t>(k + 1);
  return out;
}

}  // namespace

TEST_CASE("a capture begins with a section that says what it is", "[pcapng]") {
  const PcapngWriter out("PSN-09: fail", "softfeb 1.2");
  const auto blocks = blocks_of(out.bytes());
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].type == 0x0a0d0d0a);
  CHECK(u32(blocks[0].body, 0) == 0x1a2b3c4d);
  CHECK(u16(blocks[0].body, 4) == 1);  // version 1.0
  CHECK(u16(blocks[0].body, 6) == 0);
  CHECK(blocks[0].body.substr(8, 8) == std::string(8, '\xff'));  // the length of the section is unknown
  const auto options = options_of(blocks[0], 16);
  CHECK(options == std::map<std::uint16_t, std::string>{{1, "PSN-09: fail"}, {4, "softfeb 1.2"}});
}

TEST_CASE("interfaces are Ethernet with nanoseconds", "[pcapng]") {
  PcapngWriter out("", "");
  CHECK(out.add_interface("requester", "sent by the board") == 0);
  CHECK(out.add_interface("not sent", "") == 1);
  const auto blocks = blocks_of(out.bytes());
  REQUIRE(blocks.size() == 3);
  CHECK(options_of(blocks[0], 16).empty());
  for (const std::size_t k : {1U, 2U}) {
    CHECK(blocks[k].type == 1);
    CHECK(u16(blocks[k].body, 0) == 1);  // LINKTYPE_ETHERNET
    CHECK(u32(blocks[k].body, 4) == 0);  // no snap length: frames are not cut
    CHECK(options_of(blocks[k], 8).at(9) == std::string(1, '\x09'));
  }
  CHECK(options_of(blocks[1], 8).at(2) == "requester");
  CHECK(options_of(blocks[1], 8).at(3) == "sent by the board");
  CHECK(options_of(blocks[2], 8).count(3) == 0);
}

TEST_CASE("a packet keeps its bytes, time, interface, direction and comment", "[pcapng]") {
  PcapngWriter out("", "");
  out.add_interface("a", "");
  out.add_interface("b", "");
  constexpr Time kAt = 5'000'000'001 * kNanosecond + 999;  // more than 2^32 ns; picoseconds are cut off
  const std::size_t length = GENERATE(60, 61, 62, 63, 0);
  const auto frame = frame_of(length);
  out.add_packet(1, kAt, frame, Direction::kInbound, "step 2: gap");
  out.add_packet(0, 7 * kNanosecond, frame, Direction::kOutbound, "");
  out.add_packet(0, 0, frame, Direction::kUnknown, "");
  const auto blocks = blocks_of(out.bytes());
  REQUIRE(blocks.size() == 6);
  const PcapngBlock& first = blocks[3];
  CHECK(first.type == 6);
  CHECK(u32(first.body, 0) == 1);
  CHECK((std::uint64_t{u32(first.body, 4)} << 32 | u32(first.body, 8)) == 5'000'000'001);
  CHECK(u32(first.body, 12) == length);
  CHECK(u32(first.body, 16) == length);
  CHECK(first.body.substr(20, length) == std::string(frame.begin(), frame.end()));
  const std::size_t options = 20 + (length + 3) / 4 * 4;
  CHECK(options_of(first, options) ==
        std::map<std::uint16_t, std::string>{{1, "step 2: gap"}, {2, std::string("\x01\0\0\0", 4)}});
  CHECK(u32(blocks[4].body, 8) == 7);
  CHECK(options_of(blocks[4], options) ==
        std::map<std::uint16_t, std::string>{{2, std::string("\x02\0\0\0", 4)}});
  CHECK(options_of(blocks[5], options).empty());
}

TEST_CASE("comments are UTF-8 and end before the limit of an option", "[pcapng]") {
  PcapngWriter out("<tag> \xff\x01 µ", std::string(100'000, 'x'));
  out.add_interface("a", "");
  out.add_packet(0, 0, frame_of(60), Direction::kUnknown, std::string(3'999, 'x') + "µµ");
  const auto blocks = blocks_of(out.bytes());
  REQUIRE(blocks.size() == 3);
  const auto options = options_of(blocks[0], 16);
  CHECK(options.at(1) == "<tag> ?? µ");
  CHECK(options.at(4) == std::string(4'000, 'x'));
  // The text is cut before a character, not within it.
  CHECK(options_of(blocks[2], 80).at(1) == std::string(3'999, 'x') + "µ");
}
