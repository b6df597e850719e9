// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_fixture.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

constexpr std::uint64_t kTenth = (std::uint64_t{1} << 32) / 10;

/// Sends numbered frames from station 0 to 1 through a link with faults.
Bench& load(Bench& b) {
  for (std::uint32_t i = 0; i < 2000; ++i) {
    DataFrame f;
    f.payload = 64;
    f.qpn = i;
    b.send(f, i * kMicrosecond);
    b.run(i * kMicrosecond);
  }
  b.run(kSecond);
  return b;
}

NetworkConfig faulty(const fabric::LinkFaults& faults) {
  auto config = star(2);
  config.links[0].a_to_b = faults;
  config.seed = 11;
  return config;
}

std::vector<std::uint32_t> order(const Bench& b) {
  std::vector<std::uint32_t> out;
  for (const auto& a : b.arrivals) out.push_back(load_be24(&a.bytes[14 + 20 + 8 + 5]));
  return out;
}

}  // namespace

TEST_CASE("faults: drop") {
  fabric::LinkFaults faults;
  faults.drop = kTenth;
  Bench b(faulty(faults));
  load(b);
  const auto& t = b.look(kSecond).totals;
  CHECK(t.dropped_fault == Approx(200).margin(50));
  CHECK(b.arrivals.size() == 2000 - t.dropped_fault);
  std::uint64_t dropped = 0;
  for (const auto& flow : b.snapshot.flows) dropped += flow.dropped;
  CHECK(dropped == t.dropped_fault);
  CHECK(b.conserved(kSecond));
  CHECK(b.store.out == 0);
}

TEST_CASE("faults: duplicate") {
  fabric::LinkFaults faults;
  faults.duplicate = kTenth;
  Bench b(faulty(faults));
  load(b);
  const auto& t = b.look(kSecond).totals;
  CHECK(t.duplicated == Approx(200).margin(50));
  CHECK(b.arrivals.size() == 2000 + t.duplicated);
  CHECK(b.conserved(kSecond));
  const auto got = order(b);
  CHECK(std::is_sorted(got.begin(), got.end()));
}

TEST_CASE("faults: corrupt one bit, never in the addresses") {
  fabric::LinkFaults faults;
  faults.corrupt = kTenth;
  Bench b(faulty(faults));
  load(b);
  CHECK(b.look(kSecond).totals.corrupted == Approx(200).margin(50));
  REQUIRE(b.arrivals.size() == 2000);
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    DataFrame f;
    f.payload = 64;
    f.qpn = i;
    const auto sent = data_bytes(f);
    int bits = 0;
    for (std::size_t k = 0; k < sent.size(); ++k)
      bits += __builtin_popcount(static_cast<unsigned>(sent[k] ^ b.arrivals[i].bytes[k]));
    CHECK(bits <= 1);
    wrong += bits != 0 ? 1U : 0U;
  }
  CHECK(wrong == b.snapshot.totals.corrupted);
}

TEST_CASE("faults: reorder") {
  fabric::LinkFaults faults;
  faults.reorder = kTenth;
  faults.reorder_by = 5 * kMicrosecond;
  Bench b(faulty(faults));
  load(b);
  CHECK(b.look(kSecond).totals.reordered == Approx(200).margin(50));
  auto got = order(b);
  REQUIRE(got.size() == 2000);
  CHECK_FALSE(std::is_sorted(got.begin(), got.end()));
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(std::abs(static_cast<int>(got[i]) - static_cast<int>(i)) <= 6);
  CHECK(std::is_sorted(b.arrivals.begin(), b.arrivals.end(), [](auto& x, auto& y) { return x.at < y.at; }));
  std::sort(got.begin(), got.end());
  for (std::uint32_t i = 0; i < 2000; ++i) CHECK(got[i] == i);
  CHECK(b.conserved(kSecond));
}

TEST_CASE("faults: reproducible with the seed, different with another") {
  fabric::LinkFaults faults;
  faults.drop = faults.duplicate = faults.reorder = kTenth;
  auto config = faulty(faults);
  Bench one(config);
  Bench same(config);
  config.seed = 12;
  Bench other(config);
  CHECK(order(load(one)) == order(load(same)));
  CHECK(order(one) != order(load(other)));
}

TEST_CASE("faults: in one direction only") {
  fabric::LinkFaults faults;
  faults.drop = std::uint64_t{1} << 32;
  Bench b(faulty(faults));
  b.send({0, 1}, 0);
  b.send({1, 0}, 0);
  b.run(kSecond);
  CHECK(b.at_station(0).size() == 1);
  CHECK(b.at_station(1).empty());
}
