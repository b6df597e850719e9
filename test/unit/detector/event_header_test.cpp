// SPDX-License-Identifier: BSD-3-Clause
#include "detector/event_header.hpp"

#include "roce/icrc.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;

namespace {

std::vector<std::uint8_t> message_of(EventHeader header, std::size_t length) {
  std::vector<std::uint8_t> out(kEventHeaderSize + length, 0x5a);
  header.length = static_cast<std::uint32_t>(length);
  header.payload_crc = roce::crc32(0, ByteSpan(out).subspan(kEventHeaderSize));
  write_event_header(header, out.data());
  return out;
}

}  // namespace

TEST_CASE("every flipped bit of a message is found", "[detector][header]") {
  auto message = message_of({.event = 7, .board = 3, .total = 40}, 40);
  EventHeader header;
  REQUIRE(read_event_header(message, header) == HeaderVerdict::kOk);
  for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
    const auto mask = static_cast<std::uint8_t>(1U << bit % 8);
    message[bit / 8] ^= mask;
    CHECK(read_event_header(message, header) != HeaderVerdict::kOk);
    message[bit / 8] ^= mask;
  }
}

TEST_CASE("a payload that is compared elsewhere needs no CRC", "[detector][header]") {
  auto message = message_of({.total = 10}, 10);
  message.back() ^= 1;
  EventHeader header;
  CHECK(read_event_header(message, header) == HeaderVerdict::kPayloadCrc);
  CHECK(read_event_header_only(message, header) == HeaderVerdict::kOk);
}

TEST_CASE("messages are counted by reason", "[detector][header]") {
  HeaderCounts counts;
  counts.add(HeaderVerdict::kOk);
  counts.add(HeaderVerdict::kShort);
  counts.add(HeaderVerdict::kPayloadCrc);
  counts.add(HeaderVerdict::kPayloadCrc);
  CHECK(counts[HeaderVerdict::kPayloadCrc] == 2);
  CHECK(counts.rejected() == 3);
}

TEST_CASE("times convert to TAI and back", "[detector][header]") {
  constexpr EventTime kOrigin{1'800'000'000, EventTime::kQuarters - 2};
  CHECK(time_after(kOrigin, 0) == kOrigin);
  CHECK(time_after(kOrigin, 499) == EventTime{1'800'000'000, EventTime::kQuarters - 1});
  CHECK(time_after(kOrigin, 500) == EventTime{1'800'000'001, 0});
  CHECK(time_after(kOrigin, 3 * kSecond) == EventTime{1'800'000'003, EventTime::kQuarters - 2});
  for (const Time t : {Time{0}, Time{250}, 17 * kMicrosecond, 86'400 * kSecond})
    CHECK(time_since(kOrigin, time_after(kOrigin, t)) == t);
  CHECK(time_since(kOrigin, {1'799'999'999, 5}) == 0);
  CHECK(time_since(kOrigin, {1'800'000'000, EventTime::kQuarters - 3}) == 0);
  CHECK(time_since({0, 0}, {UINT32_MAX, 0}) == kNever);
}
