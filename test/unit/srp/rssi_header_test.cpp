// SPDX-License-Identifier: BSD-3-Clause
// Tests that the bytes of headers equal those of a real client.
#include "srp/rssi_header.hpp"

#include "hex.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using namespace softfeb::srp::rssi;
using test::hex;
using test::to_hex;

namespace {

constexpr const char* kClientSyn = "80186400 1c20 05b8 0014 0005 03e8 0f02 0003 78000000 6f08";

std::string short_header(const Header& header) {
  std::array<std::uint8_t, kHeaderSize> out;
  encode(header, out.data());
  return to_hex(out);
}

Syn client_syn() {
  Syn syn;
  syn.parameters = {32, 1464, 20, 5, 1000, 15, 2};
  syn.connection_id = 0x78000000;
  return syn;
}

/// Sets a valid checksum, so that only the intended error remains.
std::vector<std::uint8_t> sealed(std::vector<std::uint8_t> bytes, std::size_t header) {
  store_be16(&bytes[header - 2], checksum(ByteSpan(bytes).first(header)));
  return bytes;
}

}  // namespace

TEST_CASE("short headers equal a real client's, byte for byte", "[rssi][header]") {
  CHECK(short_header({kAck, 101, 100}) == "4008656400005a93");
  CHECK(short_header({kRst, 128, 126}) == "1008807e00006f79");
  CHECK(short_header({kNul | kAck, 124, 124}) == "48087c7c00003b7b");
}

TEST_CASE("a SYN equals a real client's, byte for byte", "[rssi][header]") {
  CHECK(to_hex(encode_syn({kSyn, 100, 0}, client_syn())) == to_hex(hex(kClientSyn)));
}

TEST_CASE("encoded headers are parsed", "[rssi][header]") {
  const auto syn = parse(hex(kClientSyn));
  REQUIRE(syn);
  CHECK(syn->header == Header{kSyn, 100, 0});
  CHECK(syn->syn == client_syn());
  CHECK(!syn->bare());

  const auto ack = parse(hex("40086564 00005a93"));
  REQUIRE(ack);
  CHECK(ack->header == Header{kAck, 101, 100});
  CHECK(!ack->syn);
  CHECK(ack->bare());

  const std::vector<std::uint8_t> datagram = hex("40086564 00005a93 0102030405");
  const auto data = parse(datagram);
  REQUIRE(data);
  CHECK(to_hex(data->payload) == "0102030405");
  CHECK(!data->bare());

  CHECK(!parse(hex("48087c7c 00003b7b"))->bare());
}

TEST_CASE("every byte of a header is covered by its checksum", "[rssi][header]") {
  for (const std::vector<std::uint8_t>& good : {hex(kClientSyn), hex("40086564 00005a93")}) {
    for (std::size_t i = 0; i < good.size() * 8; ++i) {
      std::vector<std::uint8_t> bad = good;
      bad[i / 8] ^= static_cast<std::uint8_t>(1U << (i % 8));
      CHECK(!parse(bad));
    }
  }
}

TEST_CASE("impossible lengths are refused", "[rssi][header]") {
  const std::vector<std::uint8_t> syn = hex(kClientSyn);
  const std::vector<std::uint8_t> ack = hex("40086564 00005a93");
  for (std::size_t n = 0; n < syn.size(); ++n) CHECK(!parse(ByteSpan(syn).first(n)));
  for (std::size_t n = 0; n < ack.size(); ++n) CHECK(!parse(ByteSpan(ack).first(n)));

  SECTION("a SYN with the short length, an ACK with the long one") {
    std::vector<std::uint8_t> bytes = syn;
    bytes[1] = 8;
    CHECK(!parse(sealed(bytes, 8)));
    bytes[0] = kAck;
    bytes[1] = 24;
    CHECK(!parse(sealed(bytes, 24)));
  }
  SECTION("data after SYN, NUL and RST") {
    std::vector<std::uint8_t> bytes = syn;
    bytes.push_back(0);
    CHECK(!parse(bytes));
    CHECK(!parse(hex("48087c7c 00003b7b 00")));
    CHECK(!parse(hex("1008807e 00006f79 00")));
  }
}

TEST_CASE("the distance of sequence numbers wraps", "[rssi][header]") {
  CHECK(ahead(250, 4) == 10);
  CHECK(ahead(4, 250) == 246);
  CHECK(ahead(7, 7) == 0);
}
