// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/tx_frame.hpp"
#include "roce/congestion_header.hpp"
#include "roce/frame.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::engine {

/// Priority level of GRANTs, RESENDs and BUSYs, and of the acknowledgements of queue pairs that need grants:
/// the highest.
inline constexpr std::uint8_t kControlPriority = 7;

/// Destination of a control frame of congestion control.
struct ControlFrameTarget {
  const roce::HeaderTemplate& path;
  std::uint16_t port;  ///< UDP port of frames with a congestion control header
  roce::Qpn dest_qp;
  std::uint16_t pkey;
};

/// Writes a control frame whose congestion control header has profile kCredit.
void write_control_frame(const ControlFrameTarget& to, const roce::CreditBody& body,
                         std::uint16_t identification, TxFrame& out);

/// Returns the destination QPN of a control frame from which the congestion control header was removed.
/// Returns nullopt if `frame` is not a control frame. The caller must still verify the iCRC.
std::optional<roce::Qpn> control_frame_qpn(const roce::ParsedFrame& frame);

}  // namespace softfeb::engine
