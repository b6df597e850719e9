// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/polynomial.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::roce {

/// Maximum payload of a packet in bytes, which is the largest path MTU.
inline constexpr std::uint32_t kMaxPayload = 4096;

/// Maximum number of four-byte words from the beginning of an IPv6 header to the payload.
inline constexpr std::size_t kMaxHeaderWords = (40 + 8 + 12 + 16 + 4) / 4;

/// Element k is x^(32k) mod P, which shifts a word or a CRC register past k four-byte words. The headers,
/// and every payload with its pad, have a whole number of words, so this table covers all packets.
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

/// Terms that convert the raw CRC register to the complemented CRC of roce/icrc.hpp. Element k is XORed into
/// the register after the UDP ports, when 4 + k words of the headers still follow: UDP length and checksum
/// (one word), the BTH (three words) and k words of extended headers. The element is 0xffffffff divided by
/// x^(32 · (4 + k)), because a shift past these words multiplies the register by this power of x. The
/// division is possible, because x^(2^32 − 1) is 1.
constexpr auto make_complements() {
  std::array<std::uint32_t, 6> t{};
  for (std::size_t k = 0; k < t.size(); ++k)
    t[k] = polynomial::multiply(0xffff'ffffU, polynomial::power_of_x(0xffff'ffffU - 32 * (4 + k)));
  return t;
}
inline constexpr auto kComplement = make_complements();

}  // namespace softfeb::roce
