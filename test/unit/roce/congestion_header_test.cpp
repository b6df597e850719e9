// SPDX-License-Identifier: BSD-3-Clause
#include "roce/congestion_header.hpp"

#include "base/rng.hpp"
#include "roce/ip.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes delay_header(Time departure) {
  Bytes b(CongestionHeader::kMaxSize);
  b.resize(write_delay_header(b.data(), departure));
  return b;
}

Bytes int_header() {
  Bytes b(CongestionHeader::kMaxSize);
  b.resize(write_int_header(b.data()));
  return b;
}

/// Returns the header with a correct checksum, so that a decoder can refuse it only because of other fields.
Bytes resealed(Bytes b) {
  store_be16(&b[4], 0);
  store_be16(&b[4], internet_checksum(b));
  return b;
}

bool accepted(const Bytes& b) { return CongestionHeader::decode(b).has_value(); }

const congestion::IntRecord kRecord = congestion::IntRecord::of(1'250'000'000, 5 * kMicrosecond, 4096, 800);

}  // namespace

TEST_CASE("a user's header is padded to words, and its body stays opaque", "[cch]") {
  Bytes out(CongestionHeader::kMaxSize);
  for (std::size_t n = 0; n <= CongestionHeader::kMaxBody; ++n) {
    const Bytes body(n, 0xa5);
    const std::size_t size = write_user_header(out.data(), 0xf3, body);
    REQUIRE(size == 8 + (n + 3) / 4 * 4);
    const auto h = CongestionHeader::decode(out);
    REQUIRE(h);
    CHECK(h->profile == 0xf3);
    CHECK(Bytes(h->body.begin(), h->body.begin() + static_cast<std::ptrdiff_t>(n)) == body);
    CHECK_FALSE(DelayBody::decode(*h));
    CHECK_FALSE(IntBody::decode(*h));
    CHECK_FALSE(CreditBody::decode(*h));
  }
  CHECK(write_user_header(out.data(), 0xf0, Bytes(57)) == 0);
  CHECK(write_user_header(out.data(), 0xef, Bytes(4)) == 0);
}

TEST_CASE("truncated headers are rejected at every length", "[cch]") {
  for (const Bytes& whole : {delay_header(1), int_header()}) {
    for (std::size_t n = 0; n < whole.size(); ++n)
      CHECK_FALSE(accepted(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))));
    CHECK(accepted(whole));
  }
}

TEST_CASE("version, length and profile must fit, even under a valid checksum", "[cch]") {
  const auto with = [](Bytes b, std::size_t at, std::uint8_t value) {
    b.resize(80);
    b[at] = value;
    const std::size_t size = std::size_t{4} * b[2];
    store_be16(&b[4], 0);
    store_be16(&b[4], internet_checksum(ByteSpan(b).first(std::min(size, b.size()))));
    return b;
  };
  for (unsigned v = 0; v < 256; ++v) {
    const auto value = static_cast<std::uint8_t>(v);
    CHECK(accepted(with(delay_header(1), 0, value)) == (v >> 4 == 1));
    CHECK(accepted(with(delay_header(1), 2, value)) == (v == 4));
    Bytes user = delay_header(1);
    user[1] = 0xff;
    CHECK(accepted(with(user, 2, value)) == (v >= 2 && v <= 16));
  }
  CHECK_FALSE(accepted(with(delay_header(1), 1, CongestionHeader::kInt)));
  CHECK_FALSE(accepted(with(delay_header(1), 1, CongestionHeader::kCredit)));
}

TEST_CASE("the checksum detects every flipped bit", "[cch]") {
  const Bytes good = delay_header(123 * kMicrosecond);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes b = good;
    b[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    CHECK_FALSE(accepted(b));
  }
}

TEST_CASE("switches add records, count hops and keep the checksum valid", "[cch]") {
  Rng rng(3);
  Bytes b = int_header();
  std::uint16_t path = 0;
  std::vector<congestion::IntRecord> records;
  for (unsigned hop = 1; hop <= 300; ++hop) {
    const congestion::IntRecord record = congestion::IntRecord::unpack(rng.next());
    const auto id = static_cast<std::uint16_t>(rng.next());
    records.push_back(record);
    path ^= id;
    REQUIRE(add_hop(b, record, id));
    CHECK(b == resealed(b));
    const auto h = CongestionHeader::decode(b);
    REQUIRE(h);
    CHECK(h->hops == std::min(hop, 255U));
    CHECK(h->path == path);
    CHECK((h->flags == CongestionHeader::kMoreHops) == (hop > 5));
    const auto ints = IntBody::decode(*h);
    REQUIRE(ints);
    CHECK(ints->count == std::min(hop, 5U));
    for (std::size_t i = 0; i < ints->count; ++i) CHECK(ints->records[i] == records[i]);
  }
}

TEST_CASE("other profiles only count hops", "[cch]") {
  Bytes b = delay_header(77 * kNanosecond);
  const Bytes before = b;
  REQUIRE(add_hop(b, kRecord, 0x1234));
  const auto h = CongestionHeader::decode(b);
  REQUIRE(h);
  CHECK(h->hops == 1);
  CHECK(h->path == 0x1234);
  CHECK(Bytes(b.begin() + 8, b.end()) == Bytes(before.begin() + 8, before.end()));
}

TEST_CASE("an echo differs in its flag and in the remote delay", "[cch]") {
  Bytes delay = delay_header(0xfffffff0 * kNanosecond);
  REQUIRE(add_hop(delay, kRecord, 7));
  REQUIRE(make_echo(delay, 7500 * kNanosecond + 999));
  CHECK(delay == resealed(delay));
  const auto h = CongestionHeader::decode(delay);
  REQUIRE(h);
  CHECK(h->echo());
  CHECK(h->hops == 1);
  CHECK(DelayBody::decode(*h) == DelayBody{0xfffffff0, 7500});

  Bytes ints = int_header();
  REQUIRE(add_hop(ints, kRecord, 7));
  Bytes wanted = ints;
  wanted[0] |= CongestionHeader::kEcho;
  REQUIRE(make_echo(ints, kSecond));
  CHECK(ints == resealed(wanted));

  delay = delay_header(0);
  REQUIRE(make_echo(delay, kNever));
  CHECK(DelayBody::decode(*CongestionHeader::decode(delay)) == DelayBody{0, UINT32_MAX});
}

TEST_CASE("echoes, control headers and invalid headers stay as they are", "[cch]") {
  Bytes echo = int_header();
  REQUIRE(make_echo(echo, 0));
  Bytes control(CongestionHeader::kMaxSize);
  control.resize(write_credit_header(control.data(), {CreditBody::kGrant, 2, 0x1fffffe, 5}));
  Bytes wrong = delay_header(0);
  wrong[9] ^= 1;
  for (const Bytes& b : {echo, control, wrong, Bytes{}, Bytes(3, 0x10)}) {
    Bytes changed = b;
    CHECK_FALSE(add_hop(changed, kRecord, 1));
    CHECK_FALSE(make_echo(changed, 1));
    CHECK(changed == b);
  }
  const auto h = CongestionHeader::decode(control);
  REQUIRE(h);
  CHECK(h->control());
  CHECK(CreditBody::decode(*h) == CreditBody{CreditBody::kGrant, 2, 0xfffffe, 5});
}
