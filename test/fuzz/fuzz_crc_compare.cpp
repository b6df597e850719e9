// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: computes the CRC of arbitrary bytes, compares these bytes with the expected bytes and stores
// them, with every kernel (implementation) that the CPU supports. The first bytes of the input are the seed,
// the offset at which the payload begins, and the position and the value by which one expected byte differs.
// The buffers end where the payload ends.
#include "base/bytes.hpp"
#include "input.hpp"
#include "roce/crc_compare.hpp"
#include "roce/shift_table.hpp"

#include <algorithm>
#include <vector>

using namespace softfeb;
using namespace softfeb::fuzz;

namespace {

std::uint32_t by_definition(std::uint32_t seed, ByteSpan bytes) {
  std::uint32_t state = ~seed;
  for (const std::uint8_t byte : bytes) {
    state ^= byte;
    for (int i = 0; i < 8; ++i) state = (state >> 1) ^ ((state & 1) != 0 ? 0xedb88320U : 0);
  }
  return ~state;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 9000;
  Input in(data, size);
  std::uint32_t seed = 0;
  for (int i = 0; i < 4; ++i) seed = seed << 8 | in.byte();
  const std::size_t offset = in.size(64), position = in.size(kMost);
  const std::uint8_t change = in.byte();
  const ByteSpan rest = in.bytes(kMost);
  std::vector<std::uint8_t> got(offset), want(offset / 2);
  got.insert(got.end(), rest.begin(), rest.end());
  want.insert(want.end(), rest.begin(), rest.end());
  const bool same = change == 0 || position >= rest.size();
  if (!same) want[offset / 2 + position] ^= change;
  const ByteSpan payload = ByteSpan(got).subspan(offset);
  const std::vector<std::uint8_t> before(offset / 3 + rest.size(), 0xa5);
  const std::uint32_t crc = by_definition(seed, payload);
  for (const roce::CrcKernel& kernel : roce::crc_kernels()) {
    if (!kernel.supported) continue;
    const roce::CrcAndComparison found = kernel.compare(seed, payload, want.data() + offset / 2);
    require(found.crc == crc && found.same == same);
    const roce::CrcAndComparison alone = kernel.compare(seed, payload, nullptr);
    require(alone.crc == crc && alone.same);
    if (rest.size() > roce::kMaxPayload) continue;
    std::vector<std::uint8_t> to = before;
    std::uint8_t* const place = to.data() + offset / 3;
    require(!kernel.store(seed, ~crc, payload, want.data() + offset / 2, place).crc_matches && to == before);
    const roce::CheckedStore stored = kernel.store(seed, crc, payload, want.data() + offset / 2, place);
    require(stored.crc_matches && stored.same == same);
    require(std::equal(payload.begin(), payload.end(), place));
  }
  return 0;
}
