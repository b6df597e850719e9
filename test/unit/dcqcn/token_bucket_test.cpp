// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/token_bucket.hpp"

#include "base/rng.hpp"
#include "base/uint128.hpp"
#include "support/dcqcn_bucket_model.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dcqcn;
using namespace softfeb::test;

TEST_CASE("bucket: lazy equals stepped for any rates and frames", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 101));
  Rng rng(static_cast<std::uint64_t>(seed));
  const std::uint32_t size = rng.below(2) == 0 ? 1U << 20 : 16384;
  std::uint64_t rate = 1'250'000'000;
  TokenBucket lazy({.size = size}, rate);
  DcqcnBucketModel stepped(rate, size);
  bool first = true;
  INFO("seed " << seed);
  std::uint32_t bytes = 64;
  for (Edge n = 0; n < 20'000; ++n) {
    std::uint64_t charge = 0;
    if (first || stepped.may_admit(bytes)) {
      if (rng.below(4) == 0) {
        REQUIRE(lazy.ready(bytes) <= n);
        lazy.take(bytes, n);
        charge = first ? 0 : bytes;
        first = false;
        bytes = static_cast<std::uint32_t>(1 + rng.below(size / 2));
      }
    } else if (rng.below(50) == 0) {
      REQUIRE(lazy.ready(bytes) > n);
    }
    if (rng.below(100) == 0) {
      rate = rng.below(3) == 0 ? rng.below(5000) : rng.below(4'294'967'296);
      lazy.set_rate(rate, n);
    }
    stepped.clock(charge, rate);
    if (rng.below(200) == 0) {
      lazy.advance(n + 1);
      REQUIRE(static_cast<std::uint64_t>(lazy.credit()) == stepped.credit());
      REQUIRE(lazy.refill() == stepped.byte_per_clock());
    }
  }
}

TEST_CASE("bucket: ready() is the first edge with enough credit", "[dcqcn]") {
  TokenBucket bucket({.first_frame_free = false}, 1'250'000'000);
  CHECK(bucket.ready(4168) == 521);
  CHECK(bucket.ready(1 << 20) == 131'072);
  CHECK(bucket.ready((1 << 20) + 1) == kNoEdge);
  bucket.set_rate(0, 100);  // takes effect after edge 102; edges 0 to 102 refill 8 bytes each
  CHECK(bucket.ready(824) == 103);
  CHECK(bucket.ready(825) == kNoEdge);
}

TEST_CASE("bucket: full at the start, and the first frame uses credit", "[dcqcn]") {
  TokenBucket bucket({.size = 5000, .start_full = true, .first_frame_free = false}, 1'000'000, 1000);
  CHECK(bucket.ready(5000) == 1000);
  bucket.take(5000, 1000);
  CHECK(bucket.credit() == 0);
  CHECK(bucket.ready(100) > 1000);
}

TEST_CASE("bucket: exact arithmetic loses nothing over a day", "[dcqcn]") {
  const std::uint64_t rate = GENERATE(1U, 997U, 125'000U, 1'234'567'891U, 50'000'000'000U);
  TokenBucket bucket({.size = 1U << 20, .first_frame_free = false, .arithmetic = BucketArithmetic::kExact},
                     rate);
  const Edge end = edge_until(std::min<Time>(86'400 * kSecond, 200'000 * (Time{1500} * kSecond / rate)));
  std::uint64_t sent = 0;
  for (Edge n = bucket.ready(1500); n <= end; n = bucket.ready(1500)) {
    bucket.take(1500, n);
    sent += 1500;
  }
  const auto due = static_cast<std::uint64_t>(Uint128{rate} * time_of(end) / kSecond);
  CHECK(sent <= due);
  CHECK(due - sent <= 1500 + rate / 156'250'000 + 1);
}

TEST_CASE("bucket: a frame without credit leaves a debt", "[dcqcn]") {
  TokenBucket bucket({.first_frame_free = false}, 1'250'000'000);
  bucket.take(8000, 0);
  CHECK(bucket.credit_bytes() == -7992);
  CHECK(bucket.now() == 1);
  CHECK(bucket.ready(8) == 1 + 1000);
}
