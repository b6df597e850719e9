// SPDX-License-Identifier: BSD-3-Clause
#include "guarded_memory.hpp"

#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sink;

namespace {

constexpr std::uint64_t kSize = 100;

}  // namespace

TEST_CASE("a range is found in a region and its guards", "[conformance]") {
  std::vector<std::uint8_t> memory(guarded_size(kSize));
  const auto at = [&](std::int64_t offset, std::uint64_t length) {
    const MutableByteSpan found = bytes_of(memory, {0, offset, length});
    CHECK(found.size() == length);
    return found.data() - memory.data();
  };
  const auto guard = static_cast<std::int64_t>(kGuard);
  CHECK(at(0, kSize) == guard);
  CHECK(at(-guard, guarded_size(kSize)) == 0);
  CHECK(at(-1, 1) == guard - 1);
  CHECK(at(100, kGuard) == guard + 100);
  CHECK(at(100 + guard, 0) == 2 * guard + 100);
}

TEST_CASE("a range outside the guards is refused", "[conformance]") {
  std::vector<std::uint8_t> memory(guarded_size(kSize));
  const auto refused = [&](std::int64_t offset, std::uint64_t length) {
    CHECK_THROWS_WITH(bytes_of(memory, {7, offset, length}),
                      Catch::Contains("region 7, which has 100 bytes"));
  };
  const auto guard = static_cast<std::int64_t>(kGuard);
  refused(-guard - 1, 1);
  refused(0, kSize + kGuard + 1);
  refused(100 + guard, 1);
  refused(101 + guard, 0);
  refused(0, std::numeric_limits<std::uint64_t>::max());
  refused(std::numeric_limits<std::int64_t>::max() - guard, 1);
  refused(std::numeric_limits<std::int64_t>::min() + guard, 1);
}

TEST_CASE("the memory of a session is limited", "[conformance]") {
  CHECK_NOTHROW(check_memory(0, 100, 100));
  CHECK_NOTHROW(check_memory(40, 60, 100));
  CHECK_THROWS_WITH(check_memory(40, 61, 100), Catch::Contains("rdma-sink --memory 101"));
  CHECK_THROWS_AS(check_memory(101, 0, 100), Refusal);
  CHECK_THROWS_AS(check_memory(1, std::numeric_limits<std::uint64_t>::max(), 100), Refusal);
}

TEST_CASE("bytes are written in hexadecimal", "[conformance]") {
  CHECK(to_hex({}).empty());
  const std::vector<std::uint8_t> bytes{0x00, 0x0f, 0xa5, 0xff};
  CHECK(to_hex(bytes) == "000fa5ff");
}
