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

/// Properties of the queue pair to which a script sends.
struct ScriptSetup {
  roce::Path path;  ///< path from the board to the target, with both MAC addresses
  roce::Transport transport = roce::Transport::kRc;
  roce::Qpn dest_qp = 0;
  roce::Qpn unused_qp = 0;  ///< a QPN that the target does not use
  roce::Psn first_psn = 0;  ///< the initial PSN e
  std::uint32_t pmtu = 1024;
  std::vector<RegionPlace> regions;  ///< not empty
  roce::IpAddress second_ip;         ///< the board's second IP address
};

/// A packet of a script, ready to be sent.
struct ScriptPacket {
  /// Whole Ethernet frames; two if the packet is sent as IP fragments.
  std::vector<std::vector<std::uint8_t>> frames;
  PacketSpec spec;
  roce::Psn psn = 0;
  std::uint8_t opcode = 0;
  std::uint32_t region = 0;  ///< index into ScriptSetup::regions
  /// Offset of the payload from the start of the region, modulo 2^64.
  std::uint64_t offset = 0;
  std::uint32_t message_length = 0;  ///< length in the RETH, in bytes; used only if the packet has a RETH
  std::uint32_t immediate = 0;
  /// Number of PSNs that the packet uses. A READ request uses one for each packet of its response (IBA
  /// 9.7.3.1).
  std::uint32_t psns = 1;
  std::vector<std::uint8_t> payload;  ///< payload as sent, without pad
};

/// Creates the packets of a script for one queue pair. Options of the notation can make the packets wrong in
/// any respect. The iCRC is computed over a masked copy of the packet and not by the code that boards use,
/// because malformed packets also need an iCRC.
class Script {
 public:
  /// A region has kSlots slots of kSlot bytes each. The first PSN of a message determines its slot. The bytes
  /// between messages must not change.
  static constexpr std::uint64_t kSlot = 16'384;
  static constexpr std::uint64_t kSlots = 64;
  static constexpr std::uint64_t kMargin = 64;  ///< bytes of a region before the first message
  static constexpr std::uint64_t kRegionSize = kSlot * kSlots;

  /// IP identifications differ from script to script, because a target may still be reassembling fragments of
  /// an earlier case.
  explicit Script(const ScriptSetup& setup)
      : setup_(setup), id_(static_cast<std::uint16_t>(setup.first_psn ^ setup.dest_qp << 6)) {}

  /// Creates the next packet. `repetition` is the value of the symbol i. Throws NotationError if an option
  /// changes something that the packet does not contain.
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
  std::uint32_t made_ = 0;  ///< number of packets created so far
  std::uint16_t id_;        ///< IP identification of the next packet
};

}  // namespace softfeb::conformance
