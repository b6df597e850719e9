// SPDX-License-Identifier: BSD-3-Clause
#include "srp/srp.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes words(std::initializer_list<std::uint32_t> values) {
  Bytes out(values.size() * 4);
  std::size_t i = 0;
  for (const std::uint32_t v : values) store_le32(&out[4 * i++], v);
  return out;
}

constexpr std::uint32_t kRead = 0x0a000003;
constexpr std::uint32_t kWrite = 0x0a000103;
constexpr std::uint32_t kPosted = 0x0a000203;
constexpr std::uint32_t kNull = 0x0a000303;

/// Checks the status and the access size that parse_request() returns for `message`.
void expect(const Bytes& message, std::uint32_t status, std::size_t access, bool eofe = false) {
  const auto r = srp::parse_request(message, eofe);
  REQUIRE(r);
  CHECK(r->status == status);
  CHECK(r->access == access);
  CHECK(r->data.size() == (r->opcode == srp::Opcode::kRead ? 0 : access));
}

}  // namespace

TEST_CASE("valid SRP requests", "[srp]") {
  expect(words({kRead, 1, 0x100, 0, 3}), 0, 4);
  expect(words({kRead, 1, 0xfffff000, 0, 4095}), 0, 4096);
  expect(words({kWrite, 1, 4, 0, 3, 7}), 0, 4);
  expect(words({kPosted, 1, 4, 0, 7, 7, 8}), 0, 8);
  expect(words({kNull, 1, 4, 0, 3}), 0, 0);

  const auto message = words({kWrite | 1U << 14, 77, 0x10c, 0, 7, 0xabcd, 5});
  const auto r = srp::parse_request(message, false);
  REQUIRE(r);
  CHECK(r->opcode == srp::Opcode::kWrite);
  CHECK(r->id == 77);
  CHECK(r->address == 0x10c);
  CHECK(r->ignore_bus_errors);
  CHECK(load_le32(r->data.data()) == 0xabcd);
  CHECK(r->answered());
  CHECK_FALSE(srp::parse_request(words({kPosted, 1, 4, 0, 3, 7}), false)->answered());
}

TEST_CASE("each status bit of a refused SRP request", "[srp]") {
  expect(words({kRead, 1, 0x100, 0, 4}), srp::kSizeAlignment, 0);
  expect(words({kRead, 1, 0x102, 0, 3}), srp::kMisaligned, 0);
  expect(words({kRead, 1, 0, 1, 3}), srp::kAddressTooHigh, 0);
  expect(words({kRead, 1, 0xfffffffc, 0, 7}), srp::kAddressTooHigh, 0);
  expect(words({kRead, 1, 0xfffffffc, 0xffffffff, 7}), srp::kAddressTooHigh, 0);
  expect(words({kRead, 1, 0x100, 0, 3}), srp::kEofe, 0, true);
  expect(words({kRead, 1, 0x100, 0, 3, 0}), srp::kFraming, 0);
  expect(words({kNull, 1, 0x100, 0, 3, 0}), srp::kFraming, 0);
  expect(words({kWrite, 1, 0x100, 0, 3}), srp::kFraming, 0);
  expect(words({kRead - 1, 1, 0x100, 0, 3}), srp::kWrongVersion, 0);
  expect(words({kRead, 1, 0x100, 0, 4099}), srp::kTooLarge, 0);
  expect(words({kWrite, 1, 0x100, 0, 4099, 1}), srp::kTooLarge, 0);
  expect(words({kRead, 1, 0x100, 0, 0xffffffff}), srp::kTooLarge | srp::kAddressTooHigh, 0);
  expect(words({kRead + 1, 1, 0x101, 0, 2, 1}),
         srp::kWrongVersion | srp::kMisaligned | srp::kSizeAlignment | srp::kFraming, 0);
}

TEST_CASE("SRP requests that end within their header", "[srp]") {
  CHECK_FALSE(srp::parse_request({}, false));
  CHECK_FALSE(srp::parse_request(Bytes{3, 0, 0}, false));
  const Bytes whole = words({kRead, 9, 0x100, 0, 3});
  for (std::size_t n = 4; n < whole.size(); ++n) {
    const auto r = srp::parse_request(ByteSpan(whole).first(n), false);
    REQUIRE(r);
    CHECK((r->status & srp::kFraming) != 0);
    CHECK(r->access == 0);
    CHECK(r->id == (n >= 8 ? 9 : 0));
  }
}

TEST_CASE("an SRP write of the wrong length writes the words before the error is detected", "[srp]") {
  expect(words({kWrite, 1, 0x100, 0, 11, 1}), srp::kFraming, 0);
  expect(words({kWrite, 1, 0x100, 0, 11, 1, 2}), srp::kFraming, 4);
  expect(words({kWrite, 1, 0x100, 0, 3, 1, 2}), srp::kFraming, 0);
  expect(words({kWrite, 1, 0x100, 0, 7, 1, 2, 3, 4}), srp::kFraming, 4);
  Bytes odd = words({kWrite, 1, 0x100, 0, 7, 1, 2});
  odd.pop_back();
  expect(odd, srp::kFraming, 4);
}

TEST_CASE("SRP requests of the real client", "[srp]") {
  const Bytes seen = words({kWrite, 1, 4, 0, 3, 0xc6c2f69e});
  const Bytes data = words({0xc6c2f69e});
  CHECK(srp::make_request(srp::Opcode::kWrite, 1, 4, 4, data) == seen);
  CHECK(srp::make_request(srp::Opcode::kRead, 2, 0xf0000004, 36, {}, 0) == words({3, 2, 0xf0000004, 0, 35}));
}

TEST_CASE("SRP responses", "[srp]") {
  const Bytes request = words({kRead, 5, 0x100, 0, 7});
  srp::Header header{};
  std::copy_n(request.begin(), header.size(), header.begin());

  const Bytes answer = words({kRead | 0x3c00, 5, 0x100, 0, 7, 1, 2, 3});
  const auto r = srp::parse_response(answer);
  REQUIRE(r);
  CHECK(r->answers(header));
  CHECK(r->id == 5);
  CHECK(r->status == 3);
  CHECK(r->data.size() == 8);

  for (const std::size_t byte : {0, 3, 4, 8, 12, 16}) {
    Bytes other = answer;
    other[byte] ^= 0x40;
    CHECK_FALSE(srp::parse_response(other)->answers(header));
  }
  CHECK_FALSE(srp::parse_response(words({kRead, 5, 0x100, 0, 7})));
  CHECK_FALSE(srp::parse_response(ByteSpan(answer).first(answer.size() - 1)));
  CHECK_FALSE(srp::parse_response(Bytes(srp::kMaxMessage + 4)));
  CHECK(srp::parse_response(Bytes(srp::kMaxMessage)));
}

TEST_CASE("descriptions of status words", "[srp]") {
  CHECK(srp::status_text(0).empty());
  CHECK_THAT(srp::status_text(3), Catch::Contains("DECERR"));
  CHECK_THAT(srp::status_text(2), Catch::Contains("SLVERR"));
  CHECK_THAT(srp::status_text(srp::kFraming | srp::kTooLarge),
             Catch::Contains("length does not match") && Catch::Contains(", more than 4096 bytes"));
  CHECK_THAT(srp::status_text(1U << 31), Catch::Contains("unknown status bits"));
  for (int bit = 5; bit < 14; ++bit) CHECK_FALSE(srp::status_text(1U << bit).empty());
}
