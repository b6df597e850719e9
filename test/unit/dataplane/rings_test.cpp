// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/rings.hpp"

#include <array>
#include <thread>

#include <catch2/catch.hpp>

using namespace softfeb::dataplane;

TEST_CASE("a ring holds its capacity and keeps order", "[dataplane][rings]") {
  SpscRing<int> ring(5);
  CHECK(ring.capacity() == 8);
  int out = 0;
  CHECK_FALSE(ring.pop(out));
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 8; ++i) REQUIRE(ring.push(i));
    CHECK_FALSE(ring.push(99));
    for (int i = 0; i < 8; ++i) REQUIRE((ring.pop(out) && out == i));
  }
  const std::array<int, 6> six{1, 2, 3, 4, 5, 6};
  CHECK(ring.push_bulk(six) == 6);
  CHECK(ring.push_bulk(six) == 2);
  std::array<int, 16> all{};
  CHECK(ring.pop_bulk(all) == 8);
  CHECK((all[5] == 6 && all[7] == 2));
}

TEST_CASE("a ring carries everything between two threads", "[dataplane][rings]") {
  SpscRing<std::uint64_t> ring(64);
  constexpr std::uint64_t kCount = 200'000;
  std::thread producer([&ring] {
    for (std::uint64_t i = 0; i < kCount;) {
      if (ring.push(i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::uint64_t wrong = 0;
  std::array<std::uint64_t, 16> burst;
  for (std::uint64_t next = 0; next < kCount;) {
    const std::size_t n = ring.pop_bulk(burst);
    if (n == 0) std::this_thread::yield();
    for (std::size_t i = 0; i < n; ++i) wrong += burst[i] != next++ ? 1 : 0;
  }
  producer.join();
  CHECK(wrong == 0);
}

TEST_CASE("a mailbox returns complete values, the latest one", "[dataplane][rings]") {
  struct Snapshot {
    std::array<std::uint32_t, 31> same;
  };
  Mailbox<Snapshot> box;
  Snapshot seen{};
  CHECK(box.read(seen) == 0);
  std::thread writer([&box] {
    for (std::uint32_t i = 1; i <= 50'000; ++i) {
      Snapshot s;
      s.same.fill(i);
      box.write(s);
    }
  });
  std::uint64_t torn = 0, back = 0, last = 0;
  while (last < 50'000) {
    const std::uint64_t n = box.read(seen);
    if (n == 0) continue;
    for (const auto v : seen.same) torn += v != n ? 1 : 0;
    back += n < last ? 1 : 0;
    last = n;
    std::this_thread::yield();
  }
  writer.join();
  CHECK(torn == 0);
  CHECK(back == 0);
}
