// SPDX-License-Identifier: BSD-3-Clause
#include "control_answers.hpp"

#include "srp/srp.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include <catch2/catch.hpp>

namespace softfeb::test {
namespace {

namespace srp = srp;
using srp::Packetizer;

std::string hex(std::uint32_t v) {
  std::ostringstream out;
  out << "0x" << std::hex << std::setw(8) << std::setfill('0') << v;
  return out.str();
}

bool is_read(const CapturedMessage& m) { return (m.bytes[1] & 3) == 0; }

void check_data(const CapturedMessage& captured, const CapturedMessage& ours, const FreeBits& free) {
  const std::size_t end = captured.bytes.size() - srp::kStatusSize;
  for (std::size_t at = srp::kHeaderSize; at + 4 <= end; at += 4) {
    const auto address = static_cast<std::uint32_t>(captured.address() + at - srp::kHeaderSize);
    const std::uint32_t want = load_le32(&captured.bytes[at]);
    const std::uint32_t have = load_le32(&ours.bytes[at]);
    const std::uint32_t compared = is_read(captured) ? ~free(address, want) : ~0U;
    if (((want ^ have) & compared) != 0) {
      FAIL_CHECK("transaction " << captured.transaction()
                                << (is_read(captured) ? ": read of " : ": write of ") << hex(address)
                                << ": captured " << hex(want) << ", ours " << hex(have));
    }
  }
}

/// Returns true if two packets have equal headers and equal values in three fields of their tails: last-user,
/// end-of-frame, and the number of valid bytes.
bool same_fields(ByteSpan a, ByteSpan b) {
  if (a.size() != b.size()) return false;
  const std::size_t tail = a.size() - Packetizer::kTail;
  return std::equal(a.begin(), a.begin() + Packetizer::kHeader, b.begin()) &&
         std::equal(a.begin() + static_cast<std::ptrdiff_t>(tail), a.end() - 4,
                    b.begin() + static_cast<std::ptrdiff_t>(tail));
}

void check_packets(const CapturedMessage& captured, const CapturedMessage& ours) {
  REQUIRE(captured.packets.size() == ours.packets.size());
  for (std::size_t i = 0; i < captured.packets.size(); ++i) {
    INFO("packet " << i);
    CHECK(same_fields(captured.packets[i], ours.packets[i]));
  }
}

void check_answer(const CapturedMessage& captured, const CapturedMessage& ours, const FreeBits& free) {
  INFO("transaction " << captured.transaction() << " at " << hex(captured.address()));
  const auto header_end = static_cast<std::ptrdiff_t>(srp::kHeaderSize);
  const bool same_header =
      std::equal(captured.bytes.begin(), captured.bytes.begin() + header_end, ours.bytes.begin());
  const auto status = [](const CapturedMessage& m) { return load_le32(&m.bytes[m.bytes.size() - 4]); };
  CHECK(same_header);
  CHECK(hex(status(captured)) == hex(status(ours)));
  REQUIRE(captured.bytes.size() == ours.bytes.size());
  check_data(captured, ours, free);
  check_packets(captured, ours);
}

}  // namespace

void check_answers(const std::vector<CapturedMessage>& captured, const std::vector<CapturedMessage>& ours,
                   const FreeBits& free) {
  CHECK(captured.size() == ours.size());
  for (std::size_t i = 0; i < std::min(captured.size(), ours.size()); ++i) {
    REQUIRE(captured[i].bytes.size() >= srp::kHeaderSize + srp::kStatusSize);
    REQUIRE(ours[i].bytes.size() >= srp::kHeaderSize + srp::kStatusSize);
    check_answer(captured[i], ours[i], free);
  }
}

}  // namespace softfeb::test
