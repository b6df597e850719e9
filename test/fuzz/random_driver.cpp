// SPDX-License-Identifier: BSD-3-Clause
// Runs a libFuzzer target without libFuzzer, with random inputs that depend only on the seed, not on the
// compiler.
//   PROGRAM RUNS SEED
#include "base/rng.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s RUNS SEED\n", argv[0]);
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[1], nullptr, 10);
  softfeb::Rng rng(std::strtoull(argv[2], nullptr, 10));
  std::vector<std::uint8_t> input;
  for (std::uint64_t run = 0; run < runs; ++run) {
    input.resize(rng.below(1U << (4 + rng.below(8))));
    // The bytes are uniformly distributed, even after the shift: a shift of at most five bits does not change
    // the distribution of the low byte of a 64-bit random number.
    for (auto& byte : input) byte = static_cast<std::uint8_t>(rng.next() >> rng.below(2) * (rng.below(6)));
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%llu inputs\n", static_cast<unsigned long long>(runs));
  return 0;
}
