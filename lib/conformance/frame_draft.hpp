// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/script_packet.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace softfeb::conformance {

/// A packet to which options can be applied. After construction, the packet is correct. apply() first makes
/// the changes that the iCRC covers, then computes the iCRC, and finally makes the changes with `~`, which
/// represent changes on the way to the target.
class FrameDraft {
 public:
  /// `packet` determines kind, PSN, place, payload and lengths.
  FrameDraft(const ScriptSetup& setup, const ScriptPacket& packet, std::uint16_t identification);

  /// Applies all options. Call once. Throws NotationError if an option changes something that the packet does
  /// not contain.
  void apply(const PacketSpec& spec, const Symbols& symbols);

  std::uint8_t opcode() const { return transport_[0]; }
  std::vector<std::vector<std::uint8_t>> frames() const;

 private:
  using Bytes = std::vector<std::uint8_t>;

  void write_transport(const ScriptPacket& packet);
  void write_ip(std::uint16_t identification);
  void write_udp();

  void change_before_icrc(const PacketSpec& spec);
  void change(const Override& o);
  void change_transport(const Override& o);
  void change_extended(const Override& o);
  void change_ip(const Override& o);
  void change_udp(const Override& o);
  void change_ethernet(const Override& o);
  void change_shape(const Override& o);
  /// Applies `o` to a field of `bits` bits in the big-endian number of `width` bytes at offset `at`. The
  /// lowest bit of the field is bit `shift` of this number.
  void change_bits(Bytes& bytes, std::size_t at, std::size_t width, unsigned shift, unsigned bits,
                   const Override& o);
  void change_address(Bytes& bytes, std::size_t at, const Override& o);
  void change_mac(std::size_t at, const Override& o);
  void change_icrc(const Override& o);
  [[noreturn]] void refuse(const std::string& what) const;

  void set_lengths();
  void set_ip_checksum();
  std::uint16_t udp_checksum() const;
  void make_icrc();
  /// Returns the bytes over which the iCRC is computed, with the variant fields masked.
  Bytes masked() const;

  const ScriptSetup& setup_;
  Symbols symbols_;
  std::string text_;
  PacketKind kind_;
  bool v6_ = false;
  Bytes ethernet_;              ///< Ethernet header, including the VLAN tag if there is one
  Bytes ip_;                    ///< IPv4 header with its options, or IPv6 header; with RoCE v1, the GRH
  Bytes udp_;                   ///< UDP header; empty with RoCE v1
  Bytes transport_;             ///< bytes from the BTH to the pad
  Bytes icrc_;                  ///< empty if the packet has no iCRC
  std::size_t payload_at_ = 0;  ///< offset of the payload in transport_
  std::size_t payload_size_ = 0;
  /// If false, the iCRC is computed without the eight bytes of ones before the packet.
  bool whole_icrc_ = true;
  bool byte4_masked_ = true;
  bool icrc_absent_ = false;
  bool keep_ip_checksum_ = false;  ///< an option has set the checksum
  bool late_ = false;
  std::size_t cut_ = SIZE_MAX;
  std::size_t trail_ = 0;
  std::size_t split_ = 0;  ///< payload of the first IP fragment in bytes; 0 if the packet is not fragmented
};

}  // namespace softfeb::conformance
