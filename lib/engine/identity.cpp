// SPDX-License-Identifier: BSD-3-Clause
#include "engine/identity.hpp"

namespace softfeb::engine {

roce::IpAddress Identity::next_hop(const roce::IpAddress& destination) const {
  if (!gateway) return destination;
  const unsigned bits = prefix_length + (ip.is_v4() ? 96U : 0U);
  for (unsigned i = 0; i < bits; ++i) {
    const std::uint8_t mask = static_cast<std::uint8_t>(0x80 >> (i % 8));
    if (((ip.bytes[i / 8] ^ destination.bytes[i / 8]) & mask) != 0) return *gateway;
  }
  return destination;
}

}  // namespace softfeb::engine
