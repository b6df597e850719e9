// SPDX-License-Identifier: BSD-3-Clause
#include "roce/crc_compare.hpp"

#include "base/rng.hpp"
#include "roce/copy_compare.hpp"
#include "roce/icrc.hpp"
#include "roce/shift_table.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

constexpr std::size_t kLongest = 9000;  // a jumbo frame; a payload has at most 4096 bytes
constexpr std::size_t kAlignments = 64;

std::vector<std::uint8_t> random_payload(Rng& rng, std::size_t n) {
  std::vector<std::uint8_t> v(n);
  for (auto& b : v) b = static_cast<std::uint8_t>(rng.next());
  return v;
}

/// A CRC-32 that is extended by one byte at a time, bit by bit, as its definition says.
class CrcByDefinition {
 public:
  explicit CrcByDefinition(std::uint32_t seed) : state_(~seed) {}
  void add(std::uint8_t byte) {
    state_ ^= byte;
    for (int i = 0; i < 8; ++i) state_ = (state_ >> 1) ^ ((state_ & 1) != 0 ? 0xedb88320U : 0);
  }
  std::uint32_t crc() const { return ~state_; }

 private:
  std::uint32_t state_;
};

/// Returns an address with the given remainder modulo kAlignments, at the beginning of `room`.
std::uint8_t* aligned_to(std::vector<std::uint8_t>& room, std::size_t remainder) {
  const auto at = reinterpret_cast<std::uintptr_t>(room.data());
  return room.data() + (kAlignments - at % kAlignments) % kAlignments + remainder;
}

void for_each_kernel(const std::function<void(const CrcKernel&)>& test) {
  for (const CrcKernel& kernel : crc_kernels()) {
    if (!kernel.supported) {
      WARN("this CPU does not support the kernel " << kernel.name);
      continue;
    }
    test(kernel);
  }
}

}  // namespace

TEST_CASE("CRC and comparison: every length and alignment equals the definition", "[crc][icrc]") {
  Rng rng(1);
  const std::vector<std::uint8_t> bytes = random_payload(rng, kLongest);
  std::vector<std::uint8_t> got_room(kLongest + 2 * kAlignments), want_room(kLongest + 2 * kAlignments);
  for (std::size_t alignment = 0; alignment < kAlignments; ++alignment) {
    std::uint8_t* const got = aligned_to(got_room, alignment);
    std::uint8_t* const want = aligned_to(want_room, alignment * 7 % kAlignments);
    std::copy(bytes.begin(), bytes.end(), got);
    std::copy(bytes.begin(), bytes.end(), want);
    const auto seed = static_cast<std::uint32_t>(rng.next());
    CrcByDefinition reference(seed);
    for (std::size_t n = 0; n <= kLongest; ++n) {
      for (const CrcKernel& kernel : crc_kernels()) {
        if (!kernel.supported) continue;
        const CrcAndComparison found = kernel.compare(seed, ByteSpan(got, n), want);
        if (found.crc != reference.crc() || !found.same)
          FAIL(kernel.name << ": " << n << " bytes at alignment " << alignment);
      }
      if (n != kLongest) reference.add(bytes[n]);
    }
  }
}

TEST_CASE("CRC and comparison: every wrong byte is found", "[crc][icrc]") {
  Rng rng(2);
  for_each_kernel([&](const CrcKernel& kernel) {
    const std::vector<std::uint8_t> want = random_payload(rng, kLongest);
    std::vector<std::uint8_t> got = want;
    for (std::size_t n = 1; n <= kLongest; n = n < 700 ? n + 1 : n + 1 + rng.below(97)) {
      const ByteSpan part(got.data(), n);
      const std::uint32_t right = kernel.compare(0, part, want.data()).crc;
      for (std::size_t i = rng.below(7); i < n; i += 1 + rng.below(n < 700 ? 13 : 499)) {
        const auto bit = static_cast<std::uint8_t>(1U << rng.below(8));
        got[i] ^= bit;
        const CrcAndComparison found = kernel.compare(0, part, want.data());
        if (found.same || found.crc == right) FAIL(kernel.name << ": byte " << i << " of " << n);
        if (kernel.compare(0, part, nullptr).crc != found.crc || !kernel.compare(0, part, nullptr).same)
          FAIL(kernel.name << " without comparison: byte " << i << " of " << n);
        got[i] ^= bit;
      }
    }
  });
}

TEST_CASE("CRC and comparison: reads nothing outside the payload", "[crc][icrc]") {
  // Each buffer has exactly the size of the payload, so that AddressSanitizer finds bytes read beyond it.
  Rng rng(3);
  for_each_kernel([&](const CrcKernel& kernel) {
    for (std::size_t n = 1; n <= 4096; n += n < 600 ? 1 : 233) {
      const std::vector<std::uint8_t> got = random_payload(rng, n);
      const std::vector<std::uint8_t> want = got;
      CHECK(kernel.compare(0, got, want.data()).same);
    }
  });
}

TEST_CASE("CRC and comparison: headers and payload may be in different places", "[crc][icrc]") {
  Rng rng(4);
  for_each_kernel([&](const CrcKernel& kernel) {
    for (int i = 0; i < 3000; ++i) {
      const std::vector<std::uint8_t> whole = random_payload(rng, rng.below(kLongest + 1));
      const std::size_t cut = rng.below(whole.size() + 1);
      const std::vector<std::uint8_t> payload(whole.begin() + static_cast<std::ptrdiff_t>(cut), whole.end());
      const std::uint32_t headers = kernel.compare(0, ByteSpan(whole).first(cut), nullptr).crc;
      REQUIRE(kernel.compare(headers, payload, nullptr).crc == crc32(0, ByteSpan(whole)));
    }
  });
}

TEST_CASE("the selected kernel is the fastest that the CPU supports", "[crc][icrc]") {
  const std::vector<std::uint8_t> bytes(1000, 0x5a);
  const auto found = crc_and_compare(7, bytes, bytes.data());
  CHECK(found.crc == crc32(7, ByteSpan(bytes)));
  CHECK(found.same);
  CHECK(std::string(crc_kernels()[0].name) == "portable");
  CHECK(crc_kernels()[0].supported);
}

TEST_CASE("payload is stored if its CRC is right, and otherwise leaves no trace", "[crc][icrc]") {
  Rng rng(5);
  for_each_kernel([&](const CrcKernel& kernel) {
    const std::vector<std::uint8_t> source = random_payload(rng, kMaxPayload + kAlignments);
    for (std::size_t n = 0; n <= kMaxPayload; ++n) {
      const ByteSpan got = ByteSpan(source).subspan(rng.below(kAlignments), n);
      const std::vector<std::uint8_t> old = random_payload(rng, n + 2 + rng.below(kAlignments));
      const std::size_t at = 1 + rng.below(old.size() - n - 1);
      const auto seed = static_cast<std::uint32_t>(rng.next());
      const std::uint32_t crc = crc32(seed, got);
      std::vector<std::uint8_t> to = old;
      const CheckedStore damaged =
          kernel.store(seed, crc ^ (1U << rng.below(32)), got, got.data(), to.data() + at);
      if (damaged.crc_matches || to != old) FAIL(kernel.name << ": " << n << " bytes with a wrong CRC");
      const CheckedStore right = kernel.store(seed, crc, got, nullptr, to.data() + at);
      std::vector<std::uint8_t> expected = old;
      std::copy(got.begin(), got.end(), expected.begin() + static_cast<std::ptrdiff_t>(at));
      if (!right.crc_matches || !right.same || to != expected)
        FAIL(kernel.name << ": " << n << " bytes with the right CRC");
    }
  });
}

TEST_CASE("payload with unexpected bytes is stored if its CRC is right", "[crc][icrc]") {
  Rng rng(6);
  for_each_kernel([&](const CrcKernel& kernel) {
    for (std::size_t n = 1; n <= kMaxPayload; n += 1 + rng.below(17)) {
      const std::vector<std::uint8_t> got = random_payload(rng, n);
      std::vector<std::uint8_t> want = got, to(n);
      want[rng.below(n)] ^= static_cast<std::uint8_t>(1U << rng.below(8));
      const CheckedStore found = kernel.store(1, crc32(1, ByteSpan(got)), got, want.data(), to.data());
      REQUIRE(found.crc_matches);
      REQUIRE_FALSE(found.same);
      REQUIRE(to == got);
    }
  });
}

TEST_CASE("a payload longer than a packet's is stored, too", "[crc][icrc]") {
  Rng rng(7);
  const std::vector<std::uint8_t> got = random_payload(rng, kLongest);
  std::vector<std::uint8_t> to(kLongest);
  CHECK_FALSE(check_and_store(0, 0, got, got.data(), to.data()).crc_matches);
  CHECK(to == std::vector<std::uint8_t>(kLongest));
  const CheckedStore found = check_and_store(0, crc32(0, ByteSpan(got)), got, got.data(), to.data());
  CHECK(found.crc_matches);
  CHECK(found.same);
  CHECK(to == got);
}

TEST_CASE("payload is copied completely, and nothing else is written", "[crc][check]") {
  Rng rng(8);
  const std::vector<std::uint8_t> from = random_payload(rng, kLongest + kAlignments);
  for (std::size_t n = 0; n <= kLongest; n += n < 700 ? 1 : 1 + rng.below(61)) {
    const std::size_t offset = rng.below(kAlignments);
    std::vector<std::uint8_t> to(n + 2, 0xa5);
    copy_payload(to.data() + 1, ByteSpan(from).subspan(offset, n));
    REQUIRE(std::equal(to.begin() + 1, to.end() - 1, from.begin() + static_cast<std::ptrdiff_t>(offset)));
    REQUIRE(to.front() == 0xa5);
    REQUIRE(to.back() == 0xa5);
  }
}
