// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/packet_spec.hpp"
#include "roce/opcode.hpp"
#include "roce/path.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::conformance {

/// A memory region of the target.
struct RegionPlace {
  std::uint64_t address = 0;  ///< first remote address
  std::uint32_t rkey = 0;
  std::uint64_t size = 0;  ///< bytes
};

/// What a script knows about the queue pair to which it sends.
struct ScriptSetup {
  roce::Path path;  ///< from the board to the target, with both MAC addresses
  roce::Transport transport = roce::Transport::kRc;
  roce::Qpn dest_qp = 0;
  roce::Qpn unused_qp = 0;  ///< a QPN that the target does not use
  roce::Psn first_psn = 0;  ///< e
  std::uint32_t pmtu = 1024;
  std::vector<RegionPlace> regions;  ///< not empty
  roce::IpAddress second_ip;         ///< the board's second address
};

/// A packet of a script, ready to be sent.
struct ScriptPacket {
  /// Whole Ethernet frames; two if the packet is sent as IP fragments.
  std::vector<std::vector<std::uint8_t>> frames;
  PacketSpec spec;
  roce::Psn psn = 0;
  std::uint8_t opcode = 0;
  std::uint32_t region = 0;  ///< index into ScriptSetup::regions
  std::uint64_t offset = 0;  ///< where the payload belongs, from the start of the region (modulo 2^64)
  std::uint32_t message_length = 0;  ///< RETH: length, if the packet has a RETH
  std::uint32_t immediate = 0;
  std::uint32_t psns = 1;  ///< number; a READ request has one for each packet of its response (IBA 9.7.3.1)
  std::vector<std::uint8_t> payload;  ///< as sent, without pad
};

/// Makes the packets of a script for one queue pair. Every option of the notation can be applied, so the
/// packets may be wrong in any respect. The iCRC is computed over a masked copy of the packet and not by the
/// code that boards use, because malformed packets also need an iCRC.
class Script {
 public:
  /// Messages that begin with different PSNs are placed kSlot bytes apart, kSlots of them in a region. The
  /// distance leaves bytes between them that must not change.
  static constexpr std::uint64_t kSlot = 16'384;
  static constexpr std::uint64_t kSlots = 64;
  static constexpr std::uint64_t kMargin = 64;  ///< bytes of a region before the first message
  static constexpr std::uint64_t kRegionSize = kSlot * kSlots;

  /// The IP identifications of scripts differ, because fragments of an earlier case may wait for reassembly.
  explicit Script(const ScriptSetup& setup)
      : setup_(setup), id_(static_cast<std::uint16_t>(setup.first_psn ^ setup.dest_qp << 6)) {}

  /// Makes the next packet. `repetition` is the value of the symbol i. Throws NotationError if the packet
  /// does not contain what an option changes.
  ScriptPacket make(const PacketSpec& spec, std::uint64_t repetition = 0);

  const ScriptSetup& setup() const { return setup_; }
  Symbols symbols(std::uint64_t repetition, std::uint32_t region = 0) const;

 private:
  struct Message {
    roce::Psn first_psn = 0;
    std::uint32_t region = 0;
    std::uint64_t offset = 0;
  };

  void place(const PacketSpec& spec, const Symbols& symbols, ScriptPacket& out);

  ScriptSetup setup_;
  Message message_;         ///< the message that the latest FIRST began
  std::uint32_t made_ = 0;  ///< packets made so far
  std::uint16_t id_;        ///< IP identification of the next packet
};

}  // namespace softfeb::conformance
