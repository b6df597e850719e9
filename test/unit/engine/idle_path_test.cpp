// SPDX-License-Identifier: BSD-3-Clause
#include "engine/idle_path.hpp"

#include "base/rng.hpp"
#include "roce/headers.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

constexpr std::uint32_t kHeaders = 58;  // Ethernet, IPv4, UDP, BTH, iCRC

IdlePath path_of(std::vector<IdlePath::Hop> hops, std::uint64_t board_rate, std::uint32_t pmtu = 4096) {
  IdlePath p;
  p.hops = std::move(hops);
  p.board_rate = board_rate;
  p.pmtu = pmtu;
  p.headers = kHeaders;
  return p;
}

/// Simulates each packet of a message hop by hop. The result is exact for rates that divide 10^12.
Time followed(const IdlePath& p, std::uint32_t length) {
  std::vector<Time> free(p.hops.size(), 0);
  Time spacing = 0, end = 0;
  std::uint32_t left = length;
  for (bool first = true; first || left != 0; first = false) {
    const std::uint32_t payload = std::min(left, p.pmtu);
    left -= payload;
    const bool last = left == 0;
    const std::uint64_t frame =
        kHeaders + (payload + 3) / 4 * 4 + (first ? 16 : 0) + (last && p.immediate ? 4 : 0);
    const std::uint64_t wire = std::max<std::uint64_t>(frame + 4, 64) + 20;
    Time at = spacing > p.board_slack ? spacing - p.board_slack : 0;
    for (std::size_t h = 0; h < p.hops.size(); ++h) {
      at = std::max(at, free[h]) + wire * (kSecond / p.hops[h].rate);
      free[h] = at;
      at += p.hops[h].delay;
    }
    if (p.board_rate != 0) spacing += wire * (kSecond / p.board_rate);
    end = at;
  }
  return end;
}

}  // namespace

TEST_CASE("a message on one link", "[idle_path]") {
  const IdlePath p = path_of({{1'250'000'000, 500'000}}, 1'250'000'000);
  CHECK(p.message(100) == (58 + 16 + 100 + 24) * 800 + 500'000);
  CHECK(p.message(0) == (58 + 16 + 24) * 800 + 500'000);
  CHECK(p.acknowledgement() == (58 + 4 + 24) * 800 + 500'000);
}

TEST_CASE("the time of a message is that of its packets, each followed alone", "[idle_path]") {
  const std::vector<std::uint64_t> rates{1'250'000'000, 12'500'000'000, 5'000'000'000, 125'000'000};
  Rng rng(1);
  for (int i = 0; i < 3000; ++i) {
    std::vector<IdlePath::Hop> hops(1 + rng.below(4));
    for (auto& hop : hops) hop = {rates[rng.below(rates.size())], rng.below(1'000'000)};
    const std::uint64_t limit = rng.below(2) == 0 ? 0 : rates[rng.below(rates.size())];
    IdlePath p = path_of(hops, limit, std::uint32_t{256} << rng.below(5));
    p.immediate = rng.below(2) == 0;
    p.board_slack = rng.below(3) * kMicrosecond;
    const auto length = static_cast<std::uint32_t>(rng.next() >> (44 + rng.below(20)));
    INFO(length << " bytes, PMTU " << p.pmtu << ", board " << limit << ", hops " << hops.size());
    for (const auto& hop : hops) INFO(hop.rate << ' ' << hop.delay);
    CHECK(p.message(length) == followed(p, length));
  }
}
