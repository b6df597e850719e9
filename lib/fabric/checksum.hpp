// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>

namespace softfeb::fabric {

/// Updates the checksum of an IPv4 header in which a 16-bit word has changed from `before` to `after` (RFC
/// 1624, equation 3: HC' = ~(~HC + ~m + m')). A wrong checksum remains wrong.
inline void update_ipv4_checksum(std::uint8_t* ip, std::uint32_t before, std::uint32_t after) {
  constexpr std::size_t kChecksum = 10;
  std::uint32_t sum = (~std::uint32_t{load_be16(ip + kChecksum)} & 0xffff) + (~before & 0xffff) + after;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  store_be16(ip + kChecksum, static_cast<std::uint16_t>(~sum));
}

}  // namespace softfeb::fabric
