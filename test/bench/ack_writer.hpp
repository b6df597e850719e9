// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/path.hpp"
#include "roce/psn.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::bench {

/// Acknowledgements of a peer that accepts everything, as whole IPv4 frames, at a cost that is negligible in
/// the measurement. The frame is prepared except for QPN, PSN and iCRC. Because a CRC is linear, the iCRC is
/// that of the frame with zeros there, combined with a table value for each nonzero byte.
class AckWriter {
 public:
  static constexpr std::size_t kSize = 14 + 20 + 8 + 12 + 4 + 4;

  /// `path`: from the peer to the board.
  explicit AckWriter(const roce::Path& path);

  /// Frame to copy to where patch() is called.
  const std::array<std::uint8_t, kSize>& frame() const { return frame_; }

  /// Turns a copy of frame(), patched before or not, into the acknowledgement of packet `psn` for `qpn`.
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
