// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/path.hpp"
#include "roce/psn.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::bench {

/// Acknowledgements of a peer that takes everything, as whole frames of IPv4, made so quickly that they
/// hardly show beside what is measured: all of a frame is there beforehand but for queue pair, PSN and iCRC.
/// A CRC is linear, so the iCRC is that of the frame with zeros there, with a table's value for each byte
/// that is not zero.
class AckWriter {
 public:
  static constexpr std::size_t kSize = 14 + 20 + 8 + 12 + 4 + 4;

  /// `path` is the peer's, to the board.
  explicit AckWriter(const roce::Path& path);

  /// To be copied to wherever patch() is to be called.
  const std::array<std::uint8_t, kSize>& frame() const { return frame_; }

  /// Makes of a copy of frame(), patched before or not, the acknowledgement of packet `psn` for `qpn`.
  void patch(std::uint8_t* frame, roce::Qpn qpn, roce::Psn psn) const {
    store_be32(frame + kQpn, qpn);
    store_be32(frame + kPsn, psn);
    std::uint32_t crc = base_;
    for (unsigned k = 0; k < 3; ++k) crc ^= qpn_[k][(qpn >> 8 * k) & 0xff] ^ psn_[k][(psn >> 8 * k) & 0xff];
    store_le32(frame + kSize - 4, crc);
  }

 private:
  using Table = std::array<std::uint32_t, 256>;
  static constexpr std::size_t kQpn = 14 + 20 + 8 + 4;
  static constexpr std::size_t kPsn = kQpn + 4;

  std::array<std::uint8_t, kSize> frame_{};
  std::uint32_t base_ = 0;
  std::array<Table, 3> qpn_{};  ///< by byte, least significant first
  std::array<Table, 3> psn_{};
};

}  // namespace softfeb::bench
