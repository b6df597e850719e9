// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_fixture.hpp"
#include "roce/packet.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

NetworkConfig threshold_star(std::uint64_t threshold) {
  auto config = star(3);
  config.switches[0].forge = {threshold, 100 * kMicrosecond, 50 * kMicrosecond};
  return config;
}

/// Makes station 0 send to station 1, and station 1 send acknowledgements. The load is about half the rate of
/// the link (1106 bytes every 1.77 µs).
void half_load(Bench& b, Time until, bool v6 = false) {
  DataFrame data{0, 1};
  data.v6 = v6;
  DataFrame ack{1, 0};
  ack.v6 = v6;
  ack.qpn = 99;
  for (Time t = 0; t < until; t += 1770 * kNanosecond) {
    b.send(data, t);
    if (t % (10 * 1770 * kNanosecond) == 0) b.send(1, ack_bytes(ack), t);
    b.run(t);
  }
  b.run(until + kMillisecond);
}

std::vector<Bench::Arrival> cnps(const Bench& b, std::uint32_t station) {
  std::vector<Bench::Arrival> out;
  for (const auto& a : b.at_station(station)) {
    const auto parsed = a.parsed();
    if (roce::parse_transport(roce::transport_bytes(parsed)).kind == roce::TransportKind::kCnp)
      out.push_back(a);
  }
  return out;
}

}  // namespace

TEST_CASE("forge: CNPs to the sending queue pair above the threshold, at most one per interval") {
  for (const bool v6 : {false, true}) {
    Bench b(threshold_star(k10G / 4));
    half_load(b, 10 * kMillisecond, v6);
    const auto found = cnps(b, 0);
    // The switch sends one CNP every 50 µs for 10 ms, but none before its first measurement is complete.
    CHECK(found.size() == Approx(196).margin(6));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto parsed = found[i].parsed();
      REQUIRE(roce::icrc_matches(parsed));
      const auto packet = roce::parse_transport(roce::transport_bytes(parsed));
      CHECK(packet.request.bth.dest_qp == 99);
      CHECK(parsed.source_ip == path_of({1, 0, 0, 0, 0, roce::Ecn::kEct0, {}, v6}).source_ip);
      if (i != 0) CHECK(found[i].at - found[i - 1].at > 45 * kMicrosecond);
    }
    CHECK(cnps(b, 1).empty());
    CHECK(b.look(20 * kMillisecond).ports[1].cnp_forged == found.size());
    CHECK(b.snapshot.totals.made == found.size());
    CHECK(b.conserved(20 * kMillisecond));
    CHECK(b.store.out == 0);
  }
}

TEST_CASE("forge: no CNPs below the threshold") {
  Bench b(threshold_star(k10G * 6 / 10));
  half_load(b, 5 * kMillisecond);
  CHECK(cnps(b, 0).empty());
}

TEST_CASE("forge: no CNPs to unacknowledged senders, and none for acknowledgements") {
  Bench b(threshold_star(1000));
  for (int i = 0; i < 1000; ++i) b.send({0, 1}, 0);
  for (int i = 0; i < 1000; ++i) b.send(2, ack_bytes({2, 0}), 0);
  b.run(10 * kMillisecond);
  CHECK(b.look(10 * kMillisecond).totals.made == 0);
}

TEST_CASE("forge: silence ends the state above the threshold") {
  Bench b(threshold_star(k10G / 4));
  half_load(b, kMillisecond);
  const std::size_t before = cnps(b, 0).size();
  CHECK(before > 10);
  b.send({0, 1}, kSecond);
  b.run(2 * kSecond);
  CHECK(cnps(b, 0).size() == before);
}
