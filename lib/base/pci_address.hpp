// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

namespace softfeb {

/// True for [DOMAIN:]BUS:DEVICE.FUNCTION as the kernel and DPDK write it: 0000:3b:00.0 or 3b:00.0.
inline bool is_pci_address(std::string_view text) {
  const auto is_hex = [](std::string_view digits, std::size_t least, std::size_t most) {
    return digits.size() >= least && digits.size() <= most &&
           digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  };
  if (text.size() < 7) return false;
  const char function = text.back();
  const std::string_view device = text.substr(text.size() - 4, 2), bus = text.substr(text.size() - 7, 2);
  if (function < '0' || function > '7' || text[text.size() - 2] != '.' || text[text.size() - 5] != ':')
    return false;
  if (!is_hex(device, 2, 2) || !is_hex(bus, 2, 2)) return false;
  const std::string_view domain = text.substr(0, text.size() - 7);
  return domain.empty() || (domain.back() == ':' && is_hex(domain.substr(0, domain.size() - 1), 4, 8));
}

}  // namespace softfeb
