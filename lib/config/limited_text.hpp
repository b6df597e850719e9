// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <istream>
#include <string>

namespace softfeb::config {

/// Size of the largest file that the loader reads, in bytes.
inline constexpr std::size_t kMaxFile = 16U << 20;

/// Reads a stream to its end, but not much more than kMaxFile bytes: a configuration may name a device that
/// never ends. The caller must refuse a longer text.
inline std::string read_limited(std::istream& in) {
  std::string text;
  std::array<char, 65536> part;
  while (text.size() <= kMaxFile) {
    in.read(part.data(), part.size());
    if (in.gcount() <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

}  // namespace softfeb::config
