// SPDX-License-Identifier: BSD-3-Clause
#include "srp/packetizer.hpp"

#include "hex.hpp"
#include "roce/icrc.hpp"

#include <array>
#include <numeric>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using test::hex;
using test::to_hex;
using Bytes = std::vector<std::uint8_t>;
using Result = Depacketizer::Result;

namespace {

/// A recorded SRPv3 message: the real client writes 0xc6c2f69e to address 4.
constexpr const char* kClientFrame = "0301000a 01000000 04000000 00000000 03000000 9ef6c2c6";
constexpr const char* kClientPacket =
    "22020000 00000080 | 0301000a 01000000 04000000 00000000 03000000 9ef6c2c6 | 00010800 8d5995e1";

Bytes counting(std::size_t n) {
  Bytes bytes(n);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  return bytes;
}

std::vector<Bytes> cut(Packetizer& packetizer, ByteSpan frame, std::size_t room, const FrameTags& tags = {}) {
  std::vector<Bytes> packets;
  for (std::size_t at = 0; at < frame.size();) {
    const std::size_t n = std::min(Packetizer::payload_room(room), frame.size() - at);
    Bytes packet(room);
    packet.resize(packetizer.write(packet, frame.subspan(at, n), at + n == frame.size(), tags));
    REQUIRE(!packet.empty());
    packets.push_back(packet);
    at += n;
  }
  return packets;
}

/// Corrects the CRC of a packet that the test has changed. The packet must be the first of its frame.
Bytes resealed(Bytes packet) {
  const std::size_t n = packet.size() - 4;
  store_be32(&packet[n], roce::crc32(0, ByteSpan(packet).first(n)));
  return packet;
}

}  // namespace

TEST_CASE("a frame of a real client, byte for byte", "[packetizer]") {
  Packetizer packetizer;
  const std::vector<Bytes> packets = cut(packetizer, hex(kClientFrame), 1016);
  REQUIRE(packets.size() == 1);
  CHECK(to_hex(packets[0]) == to_hex(hex(kClientPacket)));

  Depacketizer depacketizer(4096);
  REQUIRE(depacketizer.push(hex(kClientPacket)) == Result::kFrame);
  CHECK(to_hex(depacketizer.frame()) == to_hex(hex(kClientFrame)));
  CHECK(depacketizer.tags() == FrameTags{});
}

TEST_CASE("a segment of 1024 bytes has room for 1000", "[packetizer]") {
  CHECK(Packetizer::payload_room(1024 - 8) == 1000);
  CHECK(Packetizer::payload_room(8192 - 8) == 8168);
  CHECK(Packetizer::payload_room(24) == 8);
  CHECK(Packetizer::payload_room(31) == 8);
  CHECK(Packetizer::payload_room(23) == 0);
  CHECK(Packetizer::payload_room(0) == 0);
}

TEST_CASE("frames of every length work in every mode", "[packetizer]") {
  const CrcMode mode = GENERATE(CrcMode::kNone, CrcMode::kPayload, CrcMode::kFull);
  Packetizer packetizer(mode);
  Depacketizer depacketizer(300);
  const FrameTags tags{0x12, 0x01, 7, 9};
  for (std::size_t length = 1; length <= 300; ++length) {
    const Bytes frame = counting(length);
    const std::vector<Bytes> packets = cut(packetizer, frame, 64, tags);
    REQUIRE(packets.size() == (length + 47) / 48);
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const bool last = i + 1 == packets.size();
      REQUIRE(depacketizer.push(packets[i]) == (last ? Result::kFrame : Result::kPart));
    }
    REQUIRE(to_hex(depacketizer.frame()) == to_hex(frame));
    REQUIRE(depacketizer.tags() == tags);
    REQUIRE(depacketizer.tags().eofe());
  }
  CHECK(depacketizer.dropped() == 0);
}

TEST_CASE("the CRC continues over the packets of a frame and restarts with the next", "[packetizer]") {
  Packetizer packetizer;
  for (int frame = 0; frame < 2; ++frame) {
    const std::vector<Bytes> packets = cut(packetizer, counting(100), 64);
    std::uint32_t crc = 0;
    for (const Bytes& packet : packets) {
      crc = roce::crc32(crc, ByteSpan(packet).first(packet.size() - 4));
      CHECK(load_be32(&packet[packet.size() - 4]) == crc);
    }
  }
}

TEST_CASE("only the last packet may end within a word", "[packetizer]") {
  Packetizer packetizer;
  Bytes out(64);
  CHECK(packetizer.write(out, counting(7), false) == 0);
  CHECK(packetizer.write(out, counting(49), true) == 0);
  CHECK(packetizer.write(out, {}, true) == 0);
  CHECK(packetizer.write(out, counting(8), false) == 24);
  CHECK(packetizer.write(out, counting(7), true) == 24);
}

TEST_CASE("an invalid packet is dropped, with the rest of its frame", "[packetizer]") {
  Packetizer packetizer;
  Depacketizer depacketizer(4096);
  const std::vector<Bytes> frame = cut(packetizer, counting(150), 64);
  REQUIRE(frame.size() == 4);
  REQUIRE(depacketizer.push(frame[0]) == Result::kPart);

  SECTION("a packet is missing") { CHECK(depacketizer.push(frame[2]) == Result::kDropped); }
  SECTION("a packet comes twice") { CHECK(depacketizer.push(frame[0]) == Result::kPart); }
  SECTION("any bit is wrong") {
    for (std::size_t i = 0; i < frame[1].size() * 8; ++i) {
      Bytes bad = frame[1];
      bad[i / 8] ^= static_cast<std::uint8_t>(1U << (i % 8));
      REQUIRE(depacketizer.push(frame[0]) == Result::kPart);
      REQUIRE(depacketizer.push(bad) == Result::kDropped);
      REQUIRE(depacketizer.push(frame[1]) == Result::kDropped);
    }
  }
  // The rest of the damaged frame is dropped. The next frame is received completely.
  CHECK(depacketizer.push(frame[3]) == Result::kDropped);
  for (std::size_t i = 0; i < 3; ++i) CHECK(depacketizer.push(frame[i]) == Result::kPart);
  CHECK(depacketizer.push(frame[3]) == Result::kFrame);
  CHECK(to_hex(depacketizer.frame()) == to_hex(counting(150)));
}

TEST_CASE("invalid fields are refused even with a valid CRC", "[packetizer]") {
  Depacketizer depacketizer(4096);
  const Bytes good = hex(kClientPacket);
  const std::size_t tail = good.size() - 8;
  const auto with = [&](std::size_t at, std::uint8_t value) {
    Bytes packet = good;
    packet[at] = value;
    return resealed(packet);
  };
  REQUIRE(depacketizer.push(resealed(good)) == Result::kFrame);
  CHECK(depacketizer.push(with(0, 0x21)) == Result::kDropped);      // wrong version
  CHECK(depacketizer.push(with(0, 0x32)) == Result::kDropped);      // wrong CRC mode
  CHECK(depacketizer.push(with(4, 1)) == Result::kDropped);         // not the first packet of the frame
  CHECK(depacketizer.push(with(7, 0)) == Result::kDropped);         // the start-of-frame bit is missing
  CHECK(depacketizer.push(with(tail + 2, 0)) == Result::kDropped);  // wrong number of valid bytes
  CHECK(depacketizer.push(with(tail + 2, 9)) == Result::kDropped);
  // A packet that is not the last of its frame is valid if it consists of whole words.
  CHECK(depacketizer.push(with(tail + 1, 0)) == Result::kPart);
  Bytes part = with(tail + 1, 0);
  part[tail + 2] = 7;
  CHECK(depacketizer.push(resealed(part)) == Result::kDropped);  // only the last packet may end within a word
  for (std::size_t n = 0; n < good.size(); ++n)
    CHECK(depacketizer.push(ByteSpan(good).first(n)) == Result::kDropped);
}

TEST_CASE("a packet with another destination does not belong to the frame", "[packetizer]") {
  const FrameTags tags = GENERATE(FrameTags{.tdest = 1}, FrameTags{.tid = 1});
  Packetizer packetizer(CrcMode::kNone);
  Depacketizer depacketizer(4096);
  Bytes out(64);
  packetizer.write(out, counting(48), false);
  REQUIRE(depacketizer.push(out) == Result::kPart);
  packetizer.write(out, counting(48), true, tags);
  CHECK(depacketizer.push(out) == Result::kDropped);
}

TEST_CASE("a frame longer than the limit is dropped and never stored", "[packetizer]") {
  Packetizer packetizer;
  Depacketizer depacketizer(100);
  const std::vector<Bytes> packets = cut(packetizer, counting(144), 64);
  CHECK(depacketizer.push(packets[0]) == Result::kPart);
  CHECK(depacketizer.push(packets[1]) == Result::kPart);
  CHECK(depacketizer.push(packets[2]) == Result::kDropped);
  CHECK(depacketizer.frame().empty());
  for (const Bytes& packet : cut(packetizer, counting(100), 64)) depacketizer.push(packet);
  CHECK(depacketizer.frame().size() == 100);
}

TEST_CASE("a closed connection discards its incomplete frames", "[packetizer]") {
  Packetizer packetizer;
  Depacketizer depacketizer(4096);
  Bytes out(64);
  REQUIRE(packetizer.write(out, counting(48), false) == 64);
  REQUIRE(depacketizer.push(out) == Result::kPart);
  packetizer.reset();
  depacketizer.reset();
  CHECK(!depacketizer.in_frame());
  const std::vector<Bytes> packets = cut(packetizer, hex(kClientFrame), 1016);
  CHECK(to_hex(packets[0]) == to_hex(hex(kClientPacket)));
  CHECK(depacketizer.push(packets[0]) == Result::kFrame);
}

TEST_CASE("padding may contain any bytes, as the client sends them", "[packetizer]") {
  Packetizer packetizer;
  Depacketizer depacketizer(4096);
  std::vector<Bytes> packets = cut(packetizer, counting(5), 64);
  packets[0][Packetizer::kHeader + 6] = 0xa5;
  CHECK(depacketizer.push(packets[0]) == Result::kDropped);  // the CRC also covers the padding
  CHECK(depacketizer.push(resealed(packets[0])) == Result::kFrame);
  CHECK(to_hex(depacketizer.frame()) == to_hex(counting(5)));
}

TEST_CASE("a frame with more packets than its counter can hold", "[packetizer]") {
  Packetizer packetizer(CrcMode::kNone);
  Depacketizer depacketizer(70'000 * 8);
  std::array<std::uint8_t, 24> out{};
  for (int i = 0; i < 69'999; ++i) {
    REQUIRE(packetizer.seal(out, 8, false) == 24);
    REQUIRE(depacketizer.push(out) == Result::kPart);
  }
  REQUIRE(packetizer.seal(out, 8, true) == 24);
  CHECK(depacketizer.push(out) == Result::kFrame);
}
