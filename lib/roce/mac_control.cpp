// SPDX-License-Identifier: BSD-3-Clause
#include "roce/mac_control.hpp"

#include "base/bytes.hpp"

#include <algorithm>

namespace softfeb::roce {

namespace {
constexpr std::size_t kPauseLength = 4;                  // opcode, quanta
constexpr std::size_t kPfcLength = 4 + 2 * kPriorities;  // opcode, enable vector, quanta
}  // namespace

std::optional<MacControl> parse_mac_control(const Segments& content) {
  std::array<std::uint8_t, kPfcLength> b{};
  const std::size_t have = content.copy(0, b.size(), b.data());
  if (have < kPauseLength) return std::nullopt;
  MacControl c;
  switch (load_be16(&b[0])) {
    case kOpcodePause:
      c.quanta[0] = load_be16(&b[2]);
      return c;
    case kOpcodePfc:
      if (have < kPfcLength) return std::nullopt;
      c.kind = MacControl::Kind::kPfc;
      c.enabled = b[3];
      for (std::size_t i = 0; i < kPriorities; ++i) c.quanta[i] = load_be16(&b[4 + 2 * i]);
      return c;
    default:
      return std::nullopt;
  }
}

std::array<std::uint8_t, kMacControlSize> write_mac_control(const MacAddress& source, const MacAddress& dest,
                                                            const MacControl& control) {
  std::array<std::uint8_t, kMacControlSize> f{};
  std::copy(dest.begin(), dest.end(), f.begin());
  std::copy(source.begin(), source.end(), f.begin() + 6);
  store_be16(&f[12], kEtherTypeMacControl);
  if (control.kind == MacControl::Kind::kPause) {
    store_be16(&f[14], kOpcodePause);
    store_be16(&f[16], control.quanta[0]);
    return f;
  }
  store_be16(&f[14], kOpcodePfc);
  f[17] = control.enabled;
  for (std::size_t i = 0; i < kPriorities; ++i) store_be16(&f[18 + 2 * i], control.quanta[i]);
  return f;
}

}  // namespace softfeb::roce
