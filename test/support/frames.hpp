// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/rng.hpp"
#include "engine/tx_frame.hpp"
#include "roce/craft.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace softfeb::test {

using Bytes = std::vector<std::uint8_t>;

/// Returns the whole frame: headers, payload and trailer.
inline Bytes bytes_of(const engine::TxFrame& f) {
  Bytes bytes(f.header, f.header + f.header_length);
  bytes.insert(bytes.end(), f.payload, f.payload + f.payload_length);
  bytes.insert(bytes.end(), f.trailer.begin(), f.trailer.begin() + f.trailer_length);
  return bytes;
}

inline Bytes random_bytes(Rng& rng, std::size_t n) {
  Bytes out(n);
  for (auto& b : out) b = static_cast<std::uint8_t>(rng.next());
  return out;
}

/// Returns a CNP for queue pair `qpn` that travels on `path`.
inline Bytes cnp(const roce::Path& path, roce::Qpn qpn) {
  Bytes frame(engine::TxFrame::kHeaderRoom);
  std::array<std::uint8_t, 8> trailer{};
  const roce::Crafted c =
      roce::craft_cnp(roce::HeaderTemplate(path), qpn, roce::kDefaultPkey, 0, frame.data(), trailer.data());
  frame.resize(c.header_length);
  frame.insert(frame.end(), trailer.begin(), trailer.begin() + c.trailer_length);
  return frame;
}

}  // namespace softfeb::test
