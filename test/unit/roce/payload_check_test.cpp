// SPDX-License-Identifier: BSD-3-Clause
#include "roce/payload_check.hpp"

#include "base/rng.hpp"
#include "roce/continuity_check.hpp"
#include "roce/copy_compare.hpp"
#include "stream_fixture.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::roce::test;

TEST_CASE("payload check: correct bytes pass, in any number of segments", "[check]") {
  const VectorStream stream(random_bytes(1000, 1));
  PayloadCheck check(stream);
  check.check(0, 0, 0, 256, Segments(ByteSpan(stream.data()).first(256)));
  Segments three;
  three.push(ByteSpan(stream.data()).subspan(256, 1));
  three.push(ByteSpan(stream.data()).subspan(257, 100));
  three.push(ByteSpan(stream.data()).subspan(357, 155));
  check.check(0, 256, 256, 256, three);
  check.check(1, 0, 512, 0, Segments());
  CHECK(check.checked() == 512);
  CHECK(check.wrong() == 0);
  CHECK(check.unchecked() == 0);
  CHECK(check.mismatches().empty());
}

TEST_CASE("payload check: every wrong byte is counted; the first are recorded with their place", "[check]") {
  const VectorStream stream(random_bytes(1000, 2));
  PayloadCheck check(stream);
  auto got = stream.data();
  got[300] ^= 0x01;
  got[511] ^= 0x80;
  Segments two;
  two.push(ByteSpan(got).subspan(256, 50));
  two.push(ByteSpan(got).subspan(306, 206));
  check.check(42, 256, 256, 256, two);
  CHECK(check.wrong() == 2);
  REQUIRE(check.mismatches().size() == 2);
  const Mismatch& first = check.mismatches()[0];
  CHECK(first.message == 42);
  CHECK(first.offset == 300);
  CHECK(unsigned{first.got} == (first.want ^ 0x01U));
  CHECK(unsigned{first.want} == unsigned{stream.data()[300]});
  CHECK(check.mismatches()[1].offset == 511);
  for (auto& b : got) b = static_cast<std::uint8_t>(~b);
  check.check(43, 0, 512, 256, Segments(ByteSpan(got).subspan(512, 256)));
  CHECK(check.wrong() == 2 + 256);
  CHECK(check.mismatches().size() == PayloadCheck::kRemembered);
}

TEST_CASE("payload check: surplus bytes are wrong, bytes without a stream unchecked", "[check]") {
  const VectorStream stream(random_bytes(100, 3));
  PayloadCheck check(stream);
  check.check(0, 0, 0, 60, Segments(ByteSpan(stream.data()).first(64)));
  CHECK(check.checked() == 64);
  CHECK(check.wrong() == 4);
  check.check(0, 0, 90, 20, Segments(ByteSpan(stream.data()).first(20)));
  CHECK(check.unchecked() == 20);
  CHECK(check.wrong() == 4);
  check.check(
      0, 0, 0, 10,
      Segments(ByteSpan(stream.data()).first(7)));  // only 7 of 10 bytes have arrived, and all 7 are correct
  CHECK(check.checked() == 64 + 7);
  CHECK(check.wrong() == 4);
}

TEST_CASE("continuity: the firmware's counter over packets of any size", "[check]") {
  Rng rng(4);
  std::vector<std::uint8_t> counter(100'000);
  std::iota(counter.begin(), counter.end(), std::uint8_t{77});
  ContinuityCheck check;
  for (std::size_t at = 0; at < counter.size();) {
    const std::size_t n = std::min(counter.size() - at, static_cast<std::size_t>(rng.below(10'000)));
    Segments s;
    s.push(ByteSpan(counter).subspan(at, n / 3));
    s.push(ByteSpan(counter).subspan(at + n / 3, n - n / 3));
    check.on(s);
    at += n;
  }
  CHECK(check.checked() == counter.size());
  CHECK(check.breaks() == 0);
  CHECK(check.first_break() == UINT64_MAX);
}

TEST_CASE("continuity: lost bytes are one break, a flipped byte is two, a resync none", "[check]") {
  std::vector<std::uint8_t> counter(1000);
  std::iota(counter.begin(), counter.end(), std::uint8_t{0});
  ContinuityCheck check;
  check.on(Segments(ByteSpan(counter).first(300)));
  check.on(Segments(ByteSpan(counter).subspan(310, 90)));
  CHECK(check.breaks() == 1);
  CHECK(check.first_break() == 300);
  counter[450] ^= 0x10;
  check.on(Segments(ByteSpan(counter).subspan(400, 100)));
  CHECK(check.breaks() == 3);
  check.resync();
  check.on(Segments(ByteSpan(counter).subspan(700, 100)));
  CHECK(check.breaks() == 3);
  CHECK(check.first_break() == 300);
  CHECK(check.checked() == 300 + 90 + 100 + 100);
}

TEST_CASE("copy and compare: every length, each wrong byte found, nothing written beyond", "[check]") {
  const auto place = GENERATE(copy_and_compare, stream_and_compare);
  const std::size_t shift = GENERATE(0, 1);  // non-temporal stores need an aligned destination
  CAPTURE(place == stream_and_compare, shift);
  const auto want = random_bytes(700, 5);
  for (std::size_t n = 0; n <= 600; ++n) {
    alignas(64) std::array<std::uint8_t, 640> room;
    room.fill(0xa5);
    std::uint8_t* const to = room.data() + shift;
    auto got = want;
    CHECK(place(to, got.data(), want.data(), n));
    CHECK(std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(n), to));
    CHECK(std::count(to + n, room.data() + room.size(), 0xa5) == std::ptrdiff_t(room.size() - shift - n));
    CHECK(place(nullptr, got.data(), want.data(), n));
    for (std::size_t i = n % 7; i < n; i += 7) {
      got[i] ^= 0x40;
      const bool same = place(to, got.data(), want.data(), n);
      const bool right = to[i] == got[i] && !place(nullptr, got.data(), want.data(), n);
      if (same || !right) FAIL("byte " << i << " of " << n);
      got[i] ^= 0x40;
    }
  }
}
