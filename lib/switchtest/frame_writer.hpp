// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/segments.hpp"
#include "engine/tx_frame.hpp"
#include "roce/frame.hpp"
#include "roce/path.hpp"
#include "roce/payload.hpp"
#include "switchtest/rig.hpp"
#include "switchtest/trial.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// Identifies a frame. The mark is stored in fields that switches do not read: PSN, R_Key and virtual address
/// of RoCE frames, and the first bytes of the payload of plain UDP frames.
struct FrameMark {
  std::uint16_t trial = 0;     ///< id of the trial
  std::uint16_t kind = 0;      ///< index into Trial::kinds
  std::uint32_t sequence = 0;  ///< RoCE: modulo 2^24; plain UDP: modulo 2^32
  Time departed = 0;           ///< time of the first bit, on the rig's clock
  bool plain_udp = false;
};

/// Writes the frames that one port sends in a trial.
class FrameWriter {
 public:
  FrameWriter(const Trial& trial, const std::vector<RigPort>& ports, std::uint16_t port, std::uint16_t id);

  /// Writes frame `sequence` of kind `kind`, which departs at `departed`. The payload of the frame is the
  /// beginning of zeros().
  void write(std::uint16_t kind, std::uint64_t sequence, Time departed, engine::TxFrame& out);

  /// Returns bytes with the value 0. They are sufficient for the longest payload.
  static ByteSpan zeros();

  /// Length of a frame without FCS, but with its 802.1Q tag if it has one.
  static std::uint32_t frame_length(const FrameKind& kind) {
    return kind.length + (kind.vlan ? static_cast<std::uint32_t>(roce::kVlanTagSize) : 0);
  }

 private:
  struct Form {
    roce::HeaderTemplate path;
    std::uint32_t payload = 0;  ///< bytes
    roce::PreparedCrc crc;      ///< CRC of the payload, for RoCE frames only
    std::uint32_t dest_qp = 0;
    bool plain_udp = false;
    bool rc = false;
    std::uint32_t frames_per_ack = 0;  ///< 0 if no frame requests an acknowledgement
  };

  std::uint16_t id_;
  std::vector<Form> forms_;  ///< one for each kind
};

/// Reads the mark of a frame. Returns nullopt if no test port has sent the frame. The bytes of the frame are
/// untrusted.
std::optional<FrameMark> read_mark(const roce::ParsedFrame& frame);

}  // namespace softfeb::switchtest
