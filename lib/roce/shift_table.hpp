// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/polynomial.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::roce {

/// Longest payload of a packet: the largest path MTU.
inline constexpr std::uint32_t kMaxPayload = 4096;

/// Four-byte words that may stand between the beginning of an IPv6 header and the payload.
inline constexpr std::size_t kMaxHeaderWords = (40 + 8 + 12 + 16 + 4) / 4;

/// x^(32k) mod P: what brings a word, or a CRC register, to its place when k words follow it. All headers
/// and, with its pad, every payload is a whole number of words, so one table serves every packet there is.
constexpr auto make_shift_table() {
  std::array<std::uint32_t, kMaxPayload / 4 + kMaxHeaderWords + 1> t{};
  t[0] = polynomial::kOne;
  for (std::size_t k = 1; k < t.size(); ++k) {
    std::uint32_t a = t[k - 1];
    for (int i = 0; i < 32; ++i) a = polynomial::times_x(a);
    t[k] = a;
  }
  return t;
}
inline constexpr auto kShiftTable = make_shift_table();

/// What makes a raw register the complemented CRC that roce/icrc.hpp speaks of, put in early: at UDP's
/// length, when that, a BTH and [k] words follow. x^(2^32 − 1) is 1, so there are negative powers.
constexpr auto make_complements() {
  std::array<std::uint32_t, 6> t{};
  for (std::size_t k = 0; k < t.size(); ++k)
    t[k] = polynomial::multiply(0xffff'ffffU, polynomial::power_of_x(0xffff'ffffU - 32 * (4 + k)));
  return t;
}
inline constexpr auto kComplement = make_complements();

}  // namespace softfeb::roce
