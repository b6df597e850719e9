// SPDX-License-Identifier: BSD-3-Clause
#include "roce/crc_table.hpp"

#include "roce/polynomial.hpp"

#include <array>
#include <cstddef>

namespace softfeb::roce {

namespace {

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Element [k][b] is the contribution of a byte with value b to the CRC register when k bytes follow it.
constexpr CrcTables make_crc_tables() {
  CrcTables t{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t r = b;
    for (int i = 0; i < 8; ++i) r = polynomial::times_x(r);
    t[0][b] = r;
  }
  for (std::size_t k = 1; k < t.size(); ++k) {
    for (std::size_t b = 0; b < 256; ++b) t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 0xff];
  }
  return t;
}
constexpr CrcTables kCrcTables = make_crc_tables();

std::uint32_t eight_bytes(std::uint32_t reg, const std::uint8_t* p) {
  const std::uint32_t low = load_le32(p) ^ reg;
  const std::uint32_t high = load_le32(p + 4);
  const CrcTables& t = kCrcTables;
  return t[7][low & 0xff] ^ t[6][(low >> 8) & 0xff] ^ t[5][(low >> 16) & 0xff] ^ t[4][low >> 24] ^
         t[3][high & 0xff] ^ t[2][(high >> 8) & 0xff] ^ t[1][(high >> 16) & 0xff] ^ t[0][high >> 24];
}

}  // namespace

std::uint32_t crc32_by_table(std::uint32_t seed, ByteSpan data) {
  std::uint32_t reg = ~seed;
  const std::uint8_t* p = data.data();
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, p += 8) reg = eight_bytes(reg, p);
  for (; left != 0; --left, ++p) reg = (reg >> 8) ^ kCrcTables[0][(reg ^ *p) & 0xff];
  return ~reg;
}

}  // namespace softfeb::roce
