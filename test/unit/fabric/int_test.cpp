// SPDX-License-Identifier: BSD-3-Clause
// Tests in-band network telemetry, which switches write into congestion control headers.
#include "base/rng.hpp"
#include "cch_frame.hpp"
#include "fabric_fixture.hpp"

#include <set>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using roce::CongestionHeader;
using roce::IntBody;

namespace {

using Bytes = std::vector<std::uint8_t>;

NetworkConfig int_star(std::uint32_t stations) {
  auto config = star(stations);
  config.switches[0].int_on = true;
  config.switches[0].int_id = 0x1234;
  return config;
}

/// Returns a network with stations 0 and 1 at the ends of a chain of switches.
NetworkConfig chain(std::uint32_t switches) {
  auto config = int_star(2);
  auto link = config.links[0];
  for (std::uint32_t s = 1; s < switches; ++s) {
    config.switches.push_back(config.switches[0]);
    config.switches[s].int_id = static_cast<std::uint16_t>(0x100 << s);
    link.a = switch_(s - 1);
    link.b = switch_(s);
    config.links.push_back(link);
  }
  config.links[1].b = switch_(switches - 1);
  return config;
}

/// Returns the CCH of a frame, or null if its checksum is wrong.
std::optional<CongestionHeader> cch_of(const Bytes& frame) {
  return CongestionHeader::decode(ByteSpan(frame).subspan(udp_place(frame).content));
}

IntBody ints_of(const Bytes& frame) {
  const auto cch = cch_of(frame);
  REQUIRE(cch);
  const auto ints = IntBody::decode(*cch);
  REQUIRE(ints);
  return *ints;
}

/// Sends one frame through the network, and returns the frame that arrives at station 1.
Bytes through(Bench& b, const Bytes& frame) {
  b.send(0, frame, 0);
  b.run(kMillisecond);
  const auto arrived = b.at_station(1);
  REQUIRE(arrived.size() == 1);
  return arrived[0].bytes;
}

}  // namespace

TEST_CASE("INT: a record has the time, the bytes sent before the frame and those queued behind it", "[int]") {
  Bench b(int_star(4));
  // Each frame has 1130 bytes and occupies 1154 bytes on the wire, which take 923.2 ns. All frames arrive at
  // the switch at the same time, after 923.2 ns + 500 ns.
  for (const std::uint32_t from : {0U, 1U, 2U}) {
    const Bytes frame = with_cch(data_bytes({from, 3}), int_cch());
    REQUIRE(frame.size() == 1130);
    b.send(from, frame, 0);
  }
  b.run(kMillisecond);
  const auto arrived = b.at_station(3);
  REQUIRE(arrived.size() == 3);
  using congestion::IntRecord;
  const IntRecord wanted[] = {
      {3, 1423, 0, 0}, {3, 2346, 1154 / 128, 1130 / 80}, {3, 3269, 2 * 1154 / 128, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    const auto cch = cch_of(arrived[i].bytes);
    REQUIRE(cch);
    CHECK(cch->hops == 1);
    CHECK(cch->path == 0x1234);
    CHECK(cch->flags == 0);
    const IntBody ints = ints_of(arrived[i].bytes);
    REQUIRE(ints.count == 1);
    CHECK(ints.records[0] == wanted[i]);
  }
  const auto& port = b.look(kMillisecond).ports[3];
  CHECK(port.cch_hops == 3);
  CHECK(port.cch_invalid == 0);
}

TEST_CASE("INT: six switches leave five records, and the flag for more", "[int]") {
  auto config = chain(6);
  for (std::size_t i = 2; i < config.links.size(); ++i) config.links[i].rate = congestion::kIntRates[i];
  Bench b(config);
  const Bytes out = through(b, with_cch(data_bytes({0, 1}), int_cch()));
  const auto cch = cch_of(out);
  REQUIRE(cch);
  CHECK(cch->hops == 6);
  CHECK(cch->flags == CongestionHeader::kMoreHops);
  CHECK(cch->path == (0x1234 ^ 0x200 ^ 0x400 ^ 0x800 ^ 0x1000 ^ 0x2000));
  const IntBody ints = ints_of(out);
  REQUIRE(ints.count == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(ints.records[i].rate_code == i + 2);
    if (i != 0) CHECK(ints.records[i].time > ints.records[i - 1].time);
  }
}

TEST_CASE("INT: the packet itself stays as it was", "[int]") {
  DataFrame f;
  SECTION("IPv4") {}
  SECTION("with a tag") { f.vlan = roce::VlanTag{100, 5}; }
  SECTION("IPv6") { f.v6 = true; }
  Bench b(chain(2));
  const Bytes plain = data_bytes(f);
  Bytes out = through(b, with_cch(plain, int_cch()));
  CHECK(cch_of(out)->hops == 2);
  const std::size_t at = udp_place(out).content;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(at),
            out.begin() + static_cast<std::ptrdiff_t>(at + 48));
  CHECK(Bytes(out.begin() + static_cast<std::ptrdiff_t>(at), out.end()) ==
        Bytes(plain.begin() + static_cast<std::ptrdiff_t>(at), plain.end()));
}

TEST_CASE("INT: other profiles only count hops", "[int]") {
  Bench b(chain(3));
  const Bytes before = with_cch(data_bytes({0, 1}), delay_cch(7 * kMicrosecond));
  const Bytes out = through(b, before);
  const auto cch = cch_of(out);
  REQUIRE(cch);
  CHECK(cch->hops == 3);
  CHECK(cch->path == (0x1234 ^ 0x200 ^ 0x400));
  CHECK(roce::DelayBody::decode(*cch) == roce::DelayBody{7000, 0});
}

TEST_CASE("INT: echoes, control frames, standard frames and other ports stay as they are", "[int]") {
  const Bytes plain = data_bytes({0, 1});
  const Bytes fresh = int_cch();
  for (const Bytes& frame : {with_cch(plain, echo_of(fresh)), with_cch(plain, grant_cch()), plain,
                             with_cch(plain, fresh, roce::kRoceUdpPort), with_cch(plain, fresh, 49'790)}) {
    Bench b(int_star(2));
    CHECK(through(b, frame) == frame);
    CHECK(b.look(kMillisecond).ports[1].cch_hops == 0);
    CHECK(b.snapshot.ports[1].cch_invalid == 0);
  }
}

TEST_CASE("INT: another port can be chosen for congestion control headers", "[int]") {
  auto config = int_star(2);
  config.cc_port = 50'000;
  const Bytes plain = data_bytes({0, 1});
  Bench b(config);
  CHECK(cch_of(through(b, with_cch(plain, int_cch(), 50'000)))->hops == 1);
  Bench other(config);
  const Bytes frame = with_cch(plain, int_cch());
  CHECK(through(other, frame) == frame);
}

TEST_CASE("INT: a switch without it forwards every header unchanged", "[int]") {
  auto config = chain(3);
  config.switches[0].int_on = config.switches[2].int_on = false;
  Bench b(config);
  const auto cch = cch_of(through(b, with_cch(data_bytes({0, 1}), int_cch())));
  REQUIRE(cch);
  CHECK(cch->hops == 1);
  CHECK(cch->path == 0x200);
}

TEST_CASE("INT: wrong headers are forwarded unchanged and counted", "[int]") {
  const Bytes good = with_cch(data_bytes({0, 1}), int_cch());
  const std::size_t at = udp_place(good).content;
  const auto with = [&good](std::size_t position, std::uint8_t value) {
    Bytes b = good;
    b[position] = value;
    return b;
  };
  std::vector<Bytes> frames{with(at, 0x20), with(at + 2, 16), with(at + 2, 0xff), with(at + 2, 0),
                            with(at + 5, static_cast<std::uint8_t>(good[at + 5] ^ 1))};
  Bytes shorter = good;  // the UDP length is so short that the datagram ends within the CCH
  store_be16(&shorter[at - 4], roce::kUdpHeaderSize + 47);
  frames.push_back(shorter);
  store_be16(&shorter[at - 4], 3);
  frames.push_back(shorter);
  for (std::size_t n = at; n < at + 48; ++n) {
    frames.push_back(good);
    frames.back().resize(n);
  }
  for (const Bytes& frame : frames) {
    CAPTURE(frame.size());
    Bench b(int_star(2));
    CHECK(through(b, frame) == frame);
    const auto& port = b.look(kMillisecond).ports[1];
    CHECK(port.cch_invalid == 1);
    CHECK(port.cch_hops == 0);
    CHECK(b.snapshot.flows.empty());
    CHECK(b.conserved(kMillisecond));
  }
}

TEST_CASE("INT: a valid header without a complete BTH is updated, but belongs to no flow", "[int]") {
  Bytes frame = with_cch(data_bytes({0, 1}), int_cch());
  frame.resize(udp_place(frame).content + 48 + 11);
  Bench b(int_star(2));
  CHECK(cch_of(through(b, frame))->hops == 1);
  CHECK(b.look(kMillisecond).flows.empty());
}

TEST_CASE("INT: each copy of a frame has its own header", "[int]") {
  SECTION("flooded") {
    Bench b(int_star(4));
    Bytes frame = with_cch(data_bytes({0, 1}), int_cch());
    std::fill_n(frame.begin(), 6, std::uint8_t{0xff});
    b.send(0, frame, 0);
    b.run(kMillisecond);
    REQUIRE(b.arrivals.size() == 3);
    for (const auto& a : b.arrivals) CHECK(ints_of(a.bytes).count == 1);
  }
  SECTION("duplicated by a fault") {
    auto config = chain(2);
    config.links[2].a_to_b.duplicate = std::uint64_t{1} << 32;
    Bench b(config);
    b.send(0, with_cch(data_bytes({0, 1}), int_cch()), 0);
    b.run(kMillisecond);
    REQUIRE(b.arrivals.size() == 2);
    const IntBody first = ints_of(b.arrivals[0].bytes), second = ints_of(b.arrivals[1].bytes);
    REQUIRE((first.count == 2 && second.count == 2));
    CHECK(first.records[0] == second.records[0]);
    CHECK(first.records[1].tx == 0);
    CHECK(second.records[1].tx == 1154 / 128);
  }
}

TEST_CASE("INT: damage on one link is not covered up by the next switch", "[int]") {
  auto config = chain(2);
  config.links[2].a_to_b.corrupt = std::uint64_t{1} << 32;
  Rng rng(5);
  unsigned damaged = 0;
  for (int i = 0; i < 500; ++i) {
    config.seed = rng.next();
    Bench b(config);
    DataFrame f{0, 1};
    f.payload = 0;
    const Bytes frame = with_cch(data_bytes(f), int_cch());
    const Bytes out = through(b, frame);
    if (CongestionHeader::decode(ByteSpan(out).subspan(udp_place(frame).content))) continue;
    ++damaged;
    const auto& ports = b.look(kMillisecond).ports;
    const auto last =
        std::find_if(ports.begin(), ports.end(), [](const auto& port) { return port.peer == station(1); });
    REQUIRE(last != ports.end());
    CHECK(last->cch_hops == 0);
    CHECK(last->cch_invalid == 1);
  }
  CHECK(damaged > 100);
}

TEST_CASE("INT: a UDP checksum stays correct", "[int]") {
  Bytes frame = with_cch(data_bytes({0, 1}), int_cch());
  const UdpPlace at = udp_place(frame);
  Bytes summed(frame.begin() + static_cast<std::ptrdiff_t>(at.ip + 12),
               frame.begin() + static_cast<std::ptrdiff_t>(at.ip + 20));  // the IP addresses
  summed.insert(summed.end(), {0, 17, frame[at.udp + 4], frame[at.udp + 5]});
  summed.insert(summed.end(), frame.begin() + static_cast<std::ptrdiff_t>(at.udp), frame.end());
  store_be16(&frame[at.udp + 6], roce::internet_checksum(summed));
  REQUIRE(roce::parse_frame(ByteSpan(frame)).kind == roce::FrameKind::kUdp);
  Bench b(chain(3));
  const Bytes out = through(b, frame);
  CHECK(cch_of(out)->hops == 3);
  CHECK(roce::parse_frame(ByteSpan(out)).kind == roce::FrameKind::kUdp);
}

TEST_CASE("identifiers of switches differ, given or derived", "[int]") {
  NetworkConfig config;
  config.switches.resize(2000);
  std::set<unsigned> met;
  for (std::size_t i = 0; i < config.switches.size(); ++i) met.insert(fabric::int_id_of(config, i));
  CHECK(met.size() == config.switches.size());
  CHECK(met.count(0) == 0);

  auto same = chain(2);
  same.switches[1].int_id = same.switches[0].int_id;
  TestStore store;
  CHECK_THROWS_AS(Network(same, store), std::invalid_argument);
  same.switches[1].int_on = false;
  CHECK_NOTHROW(Network(same, store));
  same.cc_port = roce::kRoceUdpPort;
  CHECK_THROWS_AS(Network(same, store), std::invalid_argument);
}

TEST_CASE("hostile congestion control headers: every frame is accounted for", "[int]") {
  auto config = chain(3);
  for (auto& link : config.links) link.a_to_b = link.b_to_a = {1U << 26, 1U << 26, 1U << 30, 1U << 26};
  config.switches[1].forge = {1'000'000, 20 * kMicrosecond, 10 * kMicrosecond};
  Bench b(config);
  Rng rng(31);
  Time now = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto from = static_cast<std::uint32_t>(rng.below(2));
    DataFrame f{from, 1 - from};
    f.payload = static_cast<std::uint32_t>(rng.below(100));
    f.v6 = rng.chance(1U << 31);
    if (rng.chance(1U << 31)) f.vlan = roce::VlanTag{7, 1};
    Bytes cch = rng.chance(1U << 31) ? int_cch() : Bytes(4 * rng.below(20) + 4, 0x11);
    for (std::size_t n = rng.below(3); n != 0; --n)
      cch[rng.below(std::min<std::size_t>(cch.size(), 8))] = static_cast<std::uint8_t>(rng.next());
    Bytes frame = with_cch(rng.chance(1U << 31) ? data_bytes(f) : ack_bytes(f), cch);
    if (rng.chance(1U << 30)) frame.resize(rng.below(frame.size()) + 1);
    b.send(from, frame, now);
    now += rng.below(kMicrosecond);
    b.run(now);
    b.arrivals.clear();
  }
  b.run(now + kSecond);
  CHECK(b.conserved(now + kSecond));
  CHECK(b.store.out == 0);
  std::uint64_t hops = 0, invalid = 0;
  for (const auto& port : b.snapshot.ports) {
    hops += port.cch_hops;
    invalid += port.cch_invalid;
  }
  CHECK(hops > 1000);
  CHECK(invalid > 1000);
}
