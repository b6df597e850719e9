// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb {

/// Seeded pseudo-random generator (splitmix64). It uses integer arithmetic only, so a seed gives the same
/// sequence with every compiler. Must not be used for cryptography.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed = 1) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// Returns element `n`, counted from 0, of the sequence that next() returns for `seed`. Allows values to be
  /// recomputed instead of stored.
  static constexpr std::uint64_t nth(std::uint64_t seed, std::uint64_t n) {
    return Rng(seed + n * 0x9e3779b97f4a7c15U).next();
  }

  /// Returns a seed that depends on three numbers. `seed` seeds a generator. `a` is added to its output, and
  /// the sum seeds the generator again; then `b` is added in the same way.
  static constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    return Rng(Rng(Rng(seed).next() + a).next() + b).next();
  }

  /// Uniform in [0, bound), with a bias of at most bound / 2^64. Returns 0 for bound 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Uint128>(next()) * bound) >> 64);
  }

  /// Returns true with probability `parts` / 2^32.
  constexpr bool chance(std::uint64_t parts) { return (next() >> 32) < parts; }

 private:
  std::uint64_t state_;
};

}  // namespace softfeb
