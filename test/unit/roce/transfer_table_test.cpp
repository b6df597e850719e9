// SPDX-License-Identifier: BSD-3-Clause
#include "roce/transfer_table.hpp"

#include "roce/transfer_immediate.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

constexpr std::uint32_t kSegmentBytes = 1000;

TransferTable make_transfer_table(std::uint32_t sources = 1, std::uint64_t slots = 4,
                                  std::uint32_t segments = 8) {
  RegistrationConfig config;
  config.packet = kSegmentBytes;
  config.mask_bits = 32;
  return TransferTable({sources, slots, segments}, config);
}

std::uint32_t transfer_immediate(std::uint64_t op, std::uint32_t count, std::uint32_t index) {
  return TransferImmediate{static_cast<std::uint32_t>(op % TransferImmediate::kOps), count, index}.encode();
}

}  // namespace

TEST_CASE("segments in any order make a transfer", "[registration]") {
  TransferTable table = make_transfer_table();
  CHECK(table.message(1, 0, transfer_immediate(0, 3, 1), kSegmentBytes) == RegistrationVerdict::kEscaped);
  CHECK(table.message(2, 0, transfer_immediate(0, 3, 0), kSegmentBytes) == RegistrationVerdict::kPlaced);
  CHECK_FALSE(table.poll());
  CHECK(table.message(3, 0, transfer_immediate(0, 3, 2), 10) == RegistrationVerdict::kPlaced);
  CHECK(table.poll() == Notification{3, 0, 0, 0, 2 * kSegmentBytes + 10});
  CHECK_FALSE(table.poll());
}

TEST_CASE("transfers of a source use its slots in turn", "[registration]") {
  TransferTable table = make_transfer_table(3);
  for (std::uint64_t op = 0; op < 6; ++op) {
    CHECK(table.message(op, 2, transfer_immediate(op, 1, 0), 7) == RegistrationVerdict::kPlaced);
    CHECK(table.poll()->address == (2 * 4 + op % 4) * 8 * kSegmentBytes);
  }
  CHECK(table.layout().memory(kSegmentBytes) == 3 * 4 * 8 * kSegmentBytes);
}

TEST_CASE("the numbers of transfers go on where the immediate wraps", "[registration]") {
  // The number in the immediate wraps at 4096, which is not a multiple of the 3 slots.
  TransferTable table = make_transfer_table(1, 3);
  for (std::uint64_t op = 0; op < 10'000; ++op) {
    REQUIRE(table.message(op, 0, transfer_immediate(op, 1, 0), 1) == RegistrationVerdict::kPlaced);
    const auto n = table.poll();
    REQUIRE(n);
    REQUIRE(n->op == op);
    REQUIRE(n->address == op % 3 * 8 * kSegmentBytes);
  }
  CHECK(table.message(10'000, 0, transfer_immediate(9'999, 1, 0), 1) == RegistrationVerdict::kDuplicate);
}

TEST_CASE("impossible messages are counted and change nothing", "[registration]") {
  TransferTable table = make_transfer_table();
  CHECK_FALSE(table.message(0, 1, transfer_immediate(0, 1, 0), 1));     // source 1 does not exist
  CHECK_FALSE(table.message(0, 0, transfer_immediate(4095, 1, 0), 1));  // precedes the first transfer
  CHECK_FALSE(
      table.message(0, 0, transfer_immediate(0, 9, 0), kSegmentBytes));  // more segments than the layout has
  CHECK_FALSE(table.message(0, 0, transfer_immediate(0, 2, 2), kSegmentBytes));  // the segments are 0 and 1
  CHECK_FALSE(table.message(0, 0, transfer_immediate(0, 1, 0), kSegmentBytes + 1));  // longer than a segment
  CHECK_FALSE(table.message(0, 0, transfer_immediate(0, 1, 0), 0));
  CHECK(table.rejected() == 6);
  CHECK(table.table().counters().packets == 0);
}

TEST_CASE("a layout that immediates cannot describe is refused", "[registration]") {
  CHECK_THROWS_AS(make_transfer_table(1, 2049), std::invalid_argument);
  CHECK_THROWS_AS(make_transfer_table(1, 1, 1025), std::invalid_argument);
  CHECK_THROWS_AS(make_transfer_table(0), std::invalid_argument);
}
