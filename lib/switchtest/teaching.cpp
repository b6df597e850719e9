// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/teaching.hpp"

#include "base/bytes.hpp"
#include "roce/ip.hpp"

#include <algorithm>

namespace softfeb::switchtest {

std::vector<std::uint8_t> teaching_frame(const PortAddress& address) {
  std::vector<std::uint8_t> out(kSmallestUdpFrame);
  std::fill_n(out.begin(), 6, 0xff);
  std::copy(address.mac.begin(), address.mac.end(), out.begin() + 6);
  store_be16(&out[12], roce::kEtherTypeArp);
  store_be16(&out[14], 1);  // hardware type: Ethernet
  store_be16(&out[16], roce::kEtherTypeIpv4);
  out[18] = 6;
  out[19] = 4;
  store_be16(&out[20], 1);  // request
  std::copy(address.mac.begin(), address.mac.end(), out.begin() + 22);
  store_be32(&out[28], address.v4.v4());
  store_be32(&out[38], address.v4.v4());
  return out;
}

}  // namespace softfeb::switchtest
