// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/settings.hpp"

#include <algorithm>

namespace softfeb::switchtest {

std::vector<std::uint16_t> Roles::senders() const {
  std::vector<std::uint16_t> out{a};
  const auto add = [&](std::uint16_t port) {
    if (port != d && std::find(out.begin(), out.end(), port) == out.end()) out.push_back(port);
  };
  for (const auto& port : {b, c, e})
    if (port) add(*port);
  for (const std::uint16_t port : more) add(port);
  return out;
}

}  // namespace softfeb::switchtest
