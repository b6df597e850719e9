// SPDX-License-Identifier: BSD-3-Clause
#include "detector/stream_buffers.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;

namespace {

constexpr StreamBuffersConfig kSmall{
    .first_port = 6000, .streams = 4, .buffers = 2, .size = 100, .timeout = 10 * kMicrosecond};

std::vector<std::uint8_t> bytes(std::size_t n, std::uint8_t value) {
  return std::vector<std::uint8_t>(n, value);
}

StreamVerdict put(StreamBuffers& b, Time now, std::uint16_t port, const std::vector<std::uint8_t>& data) {
  return b.datagram(now, port, Segments(ByteSpan(data)));
}

}  // namespace

TEST_CASE("datagrams are appended by port and never mixed", "[detector][streams]") {
  StreamBuffers b(kSmall);
  for (std::uint8_t round = 0; round < 3; ++round) {
    for (std::uint8_t s = 0; s < 4; ++s)
      CHECK(put(b, round, static_cast<std::uint16_t>(6000 + s), bytes(20, s)) == StreamVerdict::kAppended);
  }
  b.finish(kMicrosecond);
  for (std::uint32_t s = 0; s < 4; ++s) {
    const auto event = b.poll();
    REQUIRE(event);
    CHECK(event->stream == s);
    CHECK(event->bytes == 60);
    CHECK(event->packets == 3);
    CHECK(event->reason == StreamReason::kEnd);
    for (const std::uint8_t value : b.data(*event)) CHECK(value == s);
  }
  CHECK_FALSE(b.poll());
}

TEST_CASE("a datagram that does not fit closes the buffer and begins the next", "[detector][streams]") {
  StreamBuffers b(kSmall);
  put(b, 100, 6001, bytes(60, 1));
  put(b, 200, 6001, bytes(40, 2));  // fills the buffer exactly
  CHECK_FALSE(b.poll());
  put(b, 300, 6001, bytes(1, 3));
  const auto event = b.poll();
  REQUIRE(event);
  CHECK(event->reason == StreamReason::kFull);
  CHECK(event->bytes == 100);
  CHECK(event->packets == 2);
  CHECK(event->first == 100);
  CHECK(event->at == 300);
  CHECK(b.data(*event)[59] == 1);
  CHECK(b.data(*event)[60] == 2);
  CHECK(b.deadline() == 300 + 10 * kMicrosecond);
}

TEST_CASE("a buffer closes exactly at its timeout, before a datagram of that time", "[detector][streams]") {
  StreamBuffers b(kSmall);
  put(b, 100, 6000, bytes(10, 1));
  put(b, 150, 6002, bytes(10, 1));
  CHECK(put(b, 100 + 10 * kMicrosecond, 6000, bytes(5, 2)) == StreamVerdict::kAppended);
  const auto event = b.poll();
  REQUIRE(event);
  CHECK(event->reason == StreamReason::kTimeout);
  CHECK(event->at == 100 + 10 * kMicrosecond);
  CHECK(event->bytes == 10);
  CHECK_FALSE(b.poll());
  CHECK(b.deadline() == 150 + 10 * kMicrosecond);
  b.advance(kSecond);  // even if this call is late, a buffer closes at the time of its timeout
  CHECK(b.poll()->stream == 2);
  CHECK(b.poll()->at == 100 + 20 * kMicrosecond);
  CHECK(b.deadline() == kNever);
}

TEST_CASE("without a free buffer, datagrams are dropped and counted", "[detector][streams]") {
  StreamBuffers b(kSmall);
  put(b, 1, 6000, bytes(100, 1));
  put(b, 2, 6000, bytes(100, 2));
  CHECK(put(b, 3, 6000, bytes(100, 3)) == StreamVerdict::kNoBuffer);
  CHECK(put(b, 3, 6001, bytes(100, 4)) == StreamVerdict::kAppended);  // another stream
  const auto first = b.poll();
  const auto second = b.poll();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->buffer == 0);
  CHECK(second->buffer == 1);
  // A stream uses its buffers in rotation. It must wait for buffer 0, although buffer 1 is free.
  CHECK(b.release(0, 1));
  CHECK_FALSE(b.release(0, 1));
  CHECK(put(b, 4, 6000, bytes(1, 5)) == StreamVerdict::kNoBuffer);
  CHECK(b.release(0, 0));
  CHECK(put(b, 5, 6000, bytes(1, 5)) == StreamVerdict::kAppended);
  CHECK(b.counts()[StreamVerdict::kNoBuffer] == 2);
  CHECK(b.counts_of(0)[StreamVerdict::kNoBuffer] == 2);
  CHECK(b.counts()[StreamReason::kFull] == 2);
  CHECK(b.counts().bytes == 301);
}

TEST_CASE("other ports, long and empty datagrams are counted", "[detector][streams]") {
  StreamBuffers b(kSmall);
  CHECK(put(b, 1, 5999, bytes(1, 0)) == StreamVerdict::kOtherPort);
  CHECK(put(b, 1, 6004, bytes(1, 0)) == StreamVerdict::kOtherPort);
  CHECK(put(b, 1, 0, bytes(1, 0)) == StreamVerdict::kOtherPort);
  CHECK(put(b, 1, 6003, bytes(101, 0)) == StreamVerdict::kTooLong);
  CHECK(put(b, 1, 6003, {}) == StreamVerdict::kEmpty);
  CHECK(b.deadline() == kNever);
  CHECK(b.counts().bytes == 0);
  CHECK_FALSE(b.release(4, 0));
  CHECK_FALSE(b.release(0, 2));
  CHECK_FALSE(b.release(0, 0));  // the consumer has not received this buffer
}
