// SPDX-License-Identifier: BSD-3-Clause
#include "faults/edit.hpp"

#include "cch_frame.hpp"
#include "roce_frame.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::faults;

namespace {

using Frame = std::vector<std::uint8_t>;
constexpr std::size_t kIp = 14, kUdp = 34, kBth = 42, kReth = 54, kPayload = 70;

/// Applies an action to a frame and returns the result. Returns an empty frame if the action is refused.
Frame edited(Frame frame, const FaultAction& action) {
  const auto at = locate_roce(frame);
  REQUIRE(at);
  const Frame before = frame;
  const auto size = edit(action, frame, *at);
  if (!size) {
    CHECK(frame == before);
    return {};
  }
  frame.resize(*size);
  return frame;
}

FaultAction corruption(CorruptTarget target, std::uint64_t mask, bool right = false,
                       std::uint32_t offset = 0) {
  return {
      .kind = ActionKind::kCorrupt, .target = target, .offset = offset, .mask = mask, .right_icrc = right};
}

/// Returns the offsets of the bytes in which two frames differ, apart from the iCRC.
std::vector<std::size_t> changed(const Frame& a, const Frame& b) {
  REQUIRE(a.size() == b.size());
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < a.size() - 4; ++i) {
    if (a[i] != b[i]) all.push_back(i);
  }
  return all;
}

bool right_checksum(const Frame& frame) {
  return roce::internet_checksum(ByteSpan(frame).subspan(kIp, roce::kIpv4Size)) == 0;
}

}  // namespace

TEST_CASE("each field is corrupted in its place, with a stale or a right iCRC", "[faults]") {
  const Frame frame = test::roce_frame({.payload = 62});
  struct Row {
    CorruptTarget target;
    std::size_t place;
  };
  const Row rows[] = {{CorruptTarget::kBthOpcode, kBth},       {CorruptTarget::kBthPkey, kBth + 2},
                      {CorruptTarget::kBthByte4, kBth + 4},    {CorruptTarget::kBthDestQp, kBth + 5},
                      {CorruptTarget::kBthPsn, kBth + 9},      {CorruptTarget::kRethVa, kReth},
                      {CorruptTarget::kRethRkey, kReth + 8},   {CorruptTarget::kRethLength, kReth + 12},
                      {CorruptTarget::kPayload, kPayload + 3}, {CorruptTarget::kUdpSport, kUdp}};
  for (const Row& row : rows) {
    const unsigned width = width_of(row.target);
    const std::uint64_t mask = 0x11 | std::uint64_t{0x22} << (8 * (width - 1));
    const std::uint32_t offset = row.target == CorruptTarget::kPayload ? 3 : 0;
    const Frame stale = edited(frame, corruption(row.target, mask, false, offset));
    REQUIRE(stale.size() == frame.size());
    CHECK(changed(frame, stale).front() == row.place);
    CHECK(changed(frame, stale).back() == row.place + width - 1);
    // The iCRC covers all targets except byte 4 of the BTH. If any other target was changed, the frame must
    // be invalid.
    CHECK(test::believable(stale) == (row.target == CorruptTarget::kBthByte4));
    const Frame right = edited(frame, corruption(row.target, mask, true, offset));
    CHECK(changed(frame, right) == changed(frame, stale));
    CHECK(test::believable(right));
  }
}

TEST_CASE("iCRC, pad, immediate and bytes of the frame are corrupted", "[faults]") {
  const Frame frame = test::roce_frame({.payload = 64});
  const Frame icrc = edited(frame, corruption(CorruptTarget::kIcrc, 1));
  CHECK(changed(frame, icrc).empty());
  CHECK(icrc.back() == (frame.back() ^ 1));
  CHECK_FALSE(test::believable(icrc));
  CHECK(edited(frame, corruption(CorruptTarget::kPad, 1)).empty());
  CHECK(edited(frame, corruption(CorruptTarget::kImmediate, 1)).empty());
  CHECK(edited(frame, corruption(CorruptTarget::kPayload, 1, false, 64)).empty());
  CHECK(edited(frame, corruption(CorruptTarget::kByte, 1, false, 4000)).empty());
  CHECK(changed(frame, edited(frame, corruption(CorruptTarget::kByte, 1, false, 0))) ==
        std::vector<std::size_t>{0});
  Frame padded = frame;
  padded[kBth + 1] = static_cast<std::uint8_t>(padded[kBth + 1] | 0x20);  // two pad bytes
  CHECK(changed(padded, edited(padded, corruption(CorruptTarget::kPad, 1))) ==
        std::vector<std::size_t>{frame.size() - 6});
  Frame immediate = frame;
  immediate[kBth] = 0x0b;  // RC RDMA WRITE Only with Immediate
  CHECK(changed(immediate, edited(immediate, corruption(CorruptTarget::kImmediate, 1))) ==
        std::vector<std::size_t>{kReth + 16 + 3});
}

TEST_CASE("the IPv4 checksum is corrected unless it is the target", "[faults]") {
  const Frame frame = test::roce_frame();
  const Frame id = edited(frame, corruption(CorruptTarget::kIpId, 0x1234, true));
  CHECK(right_checksum(id));
  CHECK(test::believable(id));
  const Frame sum = edited(frame, corruption(CorruptTarget::kIpChecksum, 1));
  CHECK(changed(frame, sum) == std::vector<std::size_t>{kIp + 11});
  CHECK_FALSE(right_checksum(sum));
  CHECK_FALSE(right_checksum(edited(sum, corruption(CorruptTarget::kIpId, 1))));
  CHECK_FALSE(right_checksum(edited(frame, corruption(CorruptTarget::kByte, 1, false, kIp + 10))));
  CHECK(right_checksum(edited(frame, corruption(CorruptTarget::kByte, 1, false, kIp + 5))));
  const Frame v6 = test::roce_frame({.ipv6 = true});
  CHECK(edited(v6, corruption(CorruptTarget::kIpId, 1)).empty());
  CHECK(edited(v6, corruption(CorruptTarget::kIpChecksum, 1)).empty());
  CHECK(test::believable(edited(v6, corruption(CorruptTarget::kPayload, 1, true))));
  CHECK(edited(frame, corruption(CorruptTarget::kByte, 0x20, true, kIp)).empty());
}

TEST_CASE("marks change the IP header and leave all checksums valid", "[faults]") {
  for (const bool ipv6 : {false, true}) {
    const Frame frame = test::roce_frame({.ipv6 = ipv6});
    const Frame marked = edited(frame, {.kind = ActionKind::kMarkCe});
    CHECK(roce::parse_frame(ByteSpan(marked)).congestion_experienced);
    CHECK(test::believable(marked));
    CHECK(edited(marked, {.kind = ActionKind::kMarkCe}) == marked);
    const Frame plain = edited(marked, {.kind = ActionKind::kSetEcn, .value = 0});
    CHECK_FALSE(roce::parse_frame(ByteSpan(plain)).congestion_experienced);
    CHECK(edited(plain, {.kind = ActionKind::kMarkCe}).empty());
    const Frame dscp = edited(frame, {.kind = ActionKind::kSetDscp, .value = 46});
    CHECK(test::believable(dscp));
    const unsigned byte = ipv6 ? load_be16(&dscp[kIp]) >> 4 & 0xff : dscp[kIp + 1];
    CHECK(byte >> 2 == 46);
    const Frame ttl = edited(frame, {.kind = ActionKind::kSetTtl, .value = 1});
    CHECK(ttl[kIp + (ipv6 ? 7 : 8)] == 1);
    CHECK(test::believable(ttl));
  }
}

TEST_CASE("a frame is truncated to no less than its Ethernet header", "[faults]") {
  const Frame frame = test::roce_frame();
  const Frame cut = edited(frame, {.kind = ActionKind::kTruncate, .value = 4});
  CHECK(cut == Frame(frame.begin(), frame.end() - 4));
  CHECK_FALSE(test::believable(cut));
  const auto all = static_cast<std::uint32_t>(frame.size());
  CHECK(edited(frame, {.kind = ActionKind::kTruncate, .value = all - 14}).size() == 14);
  CHECK(edited(frame, {.kind = ActionKind::kTruncate, .value = all - 13}).empty());
}

TEST_CASE("wrong lengths and congestion control headers are refused", "[faults]") {
  Frame frame = test::roce_frame();
  const FaultAction action = corruption(CorruptTarget::kIcrc, 1);
  for (const std::uint16_t length : {std::uint16_t{0}, std::uint16_t{43}, std::uint16_t{0xffff}}) {
    store_be16(&frame[kIp + 2], length);
    CHECK(edited(frame, action).empty());
  }
  const Frame cch = test::with_cch(test::roce_frame(), test::int_cch());
  CHECK_FALSE(edited(cch, corruption(CorruptTarget::kPayload, 1)).empty());
  CHECK(edited(cch, corruption(CorruptTarget::kPayload, 1, true)).empty());
}
