// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/flow_hash.hpp"

#include "cch_frame.hpp"
#include "fabric/facts.hpp"
#include "multipath_fixture.hpp"

#include <set>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::HashField;

namespace {

constexpr std::uint8_t kAllFields = 63;

std::uint64_t hash_of(std::vector<std::uint8_t> bytes, std::uint8_t fields, std::uint64_t seed = 1) {
  Frame frame;
  frame.header = bytes.data();
  frame.header_length = static_cast<std::uint16_t>(bytes.size());
  frame.length = static_cast<std::uint32_t>(bytes.size());
  read_facts(frame);
  return flow_hash(frame, fields, seed);
}

/// Returns the fields for which two packets have different hashes.
std::uint8_t sensitive(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  unsigned fields = 0;
  for (unsigned field = 1; field <= fabric::kHashDestQp; field *= 2) {
    const auto one = static_cast<std::uint8_t>(field);
    if (hash_of(a, one) != hash_of(b, one)) fields |= field;
  }
  CHECK((hash_of(a, kAllFields) != hash_of(b, kAllFields)) == (fields != 0));
  return static_cast<std::uint8_t>(fields);
}

std::vector<std::uint8_t> changed(std::vector<std::uint8_t> bytes, std::size_t at) {
  bytes[at] ^= 1;
  return bytes;
}

}  // namespace

TEST_CASE("flow hash: each field is covered if it is selected, and nothing else") {
  const bool v6 = GENERATE(false, true);
  const bool tagged = GENERATE(false, true);
  DataFrame f{0, 2, 64};
  f.v6 = v6;
  if (tagged) f.vlan = roce::VlanTag{5, 3};
  const auto bytes = data_bytes(f);
  const std::size_t ip = tagged ? 18 : 14;
  const std::size_t udp = ip + (v6 ? 40 : 20);
  CHECK(sensitive(bytes, changed(bytes, ip + (v6 ? 23 : 15))) == fabric::kHashSourceIp);
  CHECK(sensitive(bytes, changed(bytes, ip + (v6 ? 24 : 16))) == fabric::kHashDestinationIp);
  CHECK(sensitive(bytes, changed(bytes, udp + 1)) == fabric::kHashSourcePort);
  CHECK(sensitive(bytes, changed(bytes, udp + 8 + 7)) == fabric::kHashDestQp);
  // The destination port also decides whether the packet has a BTH, and thus a DestQP.
  CHECK(sensitive(bytes, changed(bytes, udp + 2)) == (fabric::kHashDestinationPort | fabric::kHashDestQp));
  for (const std::size_t other : {std::size_t{0}, std::size_t{6}, ip + 1, udp + 8 + 11, udp + 40})
    CHECK(sensitive(bytes, changed(bytes, other)) == 0);
}

TEST_CASE("flow hash: protocol, TCP ports, fragments and non-IP frames") {
  auto tcp = data_bytes({0, 2, 64});
  tcp[23] = 6;
  CHECK((sensitive(data_bytes({0, 2, 64}), tcp) & fabric::kHashProtocol) != 0);
  CHECK(sensitive(tcp, changed(tcp, 35)) == fabric::kHashSourcePort);
  CHECK(sensitive(tcp, changed(tcp, 49)) == 0);  // there is no BTH in TCP
  auto fragment = data_bytes({0, 2, 64});
  fragment[20] = 0x20;  // sets the flag More Fragments
  CHECK(sensitive(fragment, changed(fragment, 35)) == 0);
  CHECK(sensitive(fragment, changed(fragment, 29)) == fabric::kHashSourceIp);
  auto arp = data_bytes({0, 2, 64});
  arp[12] = 0x08;
  arp[13] = 0x06;
  CHECK(hash_of(arp, fabric::kHashSourceIp) != hash_of(changed(arp, 5), fabric::kHashSourceIp));
  CHECK(hash_of(arp, fabric::kHashSourceIp) != hash_of(changed(arp, 11), fabric::kHashSourceIp));
  CHECK(hash_of(arp, fabric::kHashSourceIp) == hash_of(changed(arp, 29), fabric::kHashSourceIp));
}

TEST_CASE("flow hash: the DestQP behind a congestion control header") {
  const auto cch = int_cch();
  const auto bytes = with_cch(data_bytes({0, 2, 64}), cch);
  const std::size_t bth = 14 + 20 + 8 + cch.size();
  CHECK(hash_of(bytes, fabric::kHashDestQp) != hash_of(changed(bytes, bth + 7), fabric::kHashDestQp));
  CHECK(hash_of(bytes, fabric::kHashDestQp) == hash_of(changed(bytes, bth + 11), fabric::kHashDestQp));
  // If the congestion control header is wrong, the position of the BTH is unknown.
  const auto wrong = changed(bytes, 14 + 20 + 8 + 2);
  CHECK(hash_of(wrong, fabric::kHashDestQp) == hash_of(changed(wrong, bth + 7), fabric::kHashDestQp));
}

TEST_CASE("flow hash: seeds give independent hashes") {
  // If the hashes were the same CRC with two seeds, their lowest bits would differ in the same way for all
  // flows.
  std::set<std::uint64_t> differences;
  for (std::uint16_t port = 0; port < 64; ++port) {
    const auto bytes = with_source_port(static_cast<std::uint16_t>(0xc000 + port));
    differences.insert((hash_of(bytes, kAllFields, 1) ^ hash_of(bytes, kAllFields, 2)) & 7);
  }
  CHECK(differences.size() == 8);
}

TEST_CASE("flow hash: truncated headers do no harm") {
  DataFrame tagged{0, 2, 64};
  tagged.vlan = roce::VlanTag{5, 3};
  DataFrame v6{0, 2, 64};
  v6.v6 = true;
  for (const auto& whole : {data_bytes({0, 2, 64}), data_bytes(tagged), data_bytes(v6)}) {
    for (std::size_t n = 14; n < 100; ++n) {
      // Hash a copy of exactly this size, so that sanitizers detect reads beyond its end.
      hash_of(std::vector<std::uint8_t>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)), 63);
    }
  }
  auto options = data_bytes({0, 2, 64});
  for (unsigned size = 0; size < 16; ++size) {
    options[14] = static_cast<std::uint8_t>(0x40 | size);
    hash_of(std::vector<std::uint8_t>(options.begin(), options.begin() + 40), 63);
  }
}
