// SPDX-License-Identifier: BSD-3-Clause
#include "peers/perftest_messages.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::peers::perftest;

namespace {

template <class Message>
Message message_of(const std::string& text) {
  Message message{};
  REQUIRE(text.size() <= message.size());
  std::copy(text.begin(), text.end(), message.begin());
  return message;
}

template <class Message>
std::string message_text(const Message& message) {
  return {message.begin(), message.end()};
}

// Recorded message of ib_write_bw from Debian's perftest 4.5+0.17-1 on Soft-RoCE.
const std::string kRecordedKeys =
    "0000:0001:000011:13d241:00000204:0000555b80d62000:"
    "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:02:00000000:";

Keys recorded() {
  Keys keys;
  keys.qpn = 0x11;
  keys.psn = 0x13d241;
  keys.rkey = 0x204;
  keys.address = 0x555b80d62000;
  keys.gid = *roce::IpAddress::parse("10.77.0.2");
  return keys;
}

}  // namespace

TEST_CASE("keys equal those of a real server", "[perftest]") {
  CHECK(decode_keys(message_of<KeysMessage>(kRecordedKeys)) == recorded());
  CHECK(message_text(encode_keys(recorded())) == kRecordedKeys + '\0');
}

TEST_CASE("keys survive encode and decode, every field", "[perftest]") {
  Rng rng(7);
  for (int i = 0; i < 1000; ++i) {
    Keys keys;
    keys.lid = static_cast<std::uint32_t>(rng.next() & 0xffff);
    keys.out_reads = static_cast<std::uint32_t>(rng.next() & 0xffff);
    keys.qpn = static_cast<std::uint32_t>(rng.next() & 0xffffff);
    keys.psn = static_cast<std::uint32_t>(rng.next() & 0xffffff);
    keys.rkey = static_cast<std::uint32_t>(rng.next());
    keys.address = rng.next();
    for (auto& byte : keys.gid.bytes) byte = static_cast<std::uint8_t>(rng.next());
    keys.srqn = static_cast<std::uint32_t>(rng.next());
    CHECK(decode_keys(encode_keys(keys)) == keys);
  }
}

TEST_CASE("invalid keys are refused", "[perftest]") {
  CHECK_FALSE(decode_keys({}));
  const KeysMessage good = message_of<KeysMessage>(kRecordedKeys);
  for (std::size_t i = 0; i + 1 < good.size(); ++i) {
    for (const int bad : {0x00, 0x20, 0x2d, 0x78, 0xff}) {
      KeysMessage spoiled = good;
      spoiled[i] = static_cast<std::uint8_t>(bad);
      INFO("byte " << i << " is " << bad);
      CHECK_FALSE(decode_keys(spoiled));
    }
  }
}

TEST_CASE("random bytes are refused", "[perftest]") {
  Rng rng(8);
  for (int i = 0; i < 20'000; ++i) {
    KeysMessage message;
    for (auto& byte : message) byte = static_cast<std::uint8_t>(rng.next());
    CHECK_FALSE(decode_keys(message));
    CHECK_FALSE(is_short_keys(ByteSpan(message).first(kShortKeysSize)));
  }
}

TEST_CASE("keys without a GID are distinguished from the start of those with one", "[perftest]") {
  const std::string text = "0003:0001:000011:13d241:00000204:0000555b80d62000:00000000";
  std::array<std::uint8_t, kShortKeysSize> message = message_of<decltype(message)>(text);
  CHECK(is_short_keys(message));
  CHECK_FALSE(is_short_keys(ByteSpan(message).first(kShortKeysSize - 1)));
  const KeysMessage with_gid = encode_keys(recorded());
  CHECK_FALSE(is_short_keys(ByteSpan(with_gid).first(kShortKeysSize)));
}

TEST_CASE("versions", "[perftest]") {
  const auto number = [](const std::string& text) {
    const auto version = decode_version(message_of<VersionMessage>(text));
    return version ? static_cast<int>(version->number) : -1;
  };
  CHECK(number("6.06") == 606);
  CHECK(number("5.92") == 592);
  CHECK(number("5.6") == 560);  // perftest also parses versions as decimal fractions
  CHECK(number("6.29") == 629);
  for (const char* bad :
       {"", "6", "6.", ".06", "6.06a", "six", "6.061", "-6.06", "100.01", "6.0 6", "0000:0001:00001"})
    CHECK(number(bad) == -1);
  VersionMessage unterminated;
  unterminated.fill('6');
  CHECK_FALSE(decode_version(unterminated));
  CHECK(message_text(encode_version()) == std::string("6.06") + std::string(12, '\0'));
  CHECK(decode_version(encode_version())->number == 606);
}

TEST_CASE("numbers are big-endian, the MTU is a digit", "[perftest]") {
  CHECK(encode_int(4096) == IntMessage{0, 0, 0x10, 0});
  CHECK(decode_int({0x80, 0, 0, 1}) == 0x8000'0001);
  CHECK(encode_report(std::uint64_t{64}) == ReportMessage{0, 0, 0, 0, 0, 0, 0, 64});
  CHECK(encode_report(12.5) == ReportMessage{0x40, 0x29, 0, 0, 0, 0, 0, 0});
  for (const std::uint32_t bytes : {256U, 512U, 1024U, 2048U, 4096U})
    CHECK(decode_mtu(encode_mtu(bytes)) == bytes);
  CHECK(encode_mtu(4096) == MtuMessage{'5', 0});
  CHECK_FALSE(decode_mtu({'0', 0}));
  CHECK_FALSE(decode_mtu({'6', 0}));
  CHECK_FALSE(decode_mtu({'5', '0'}));
}
