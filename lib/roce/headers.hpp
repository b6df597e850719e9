// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/psn.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

/// Transport headers of the InfiniBand Architecture (IBA, sections 9.2–9.6), as carried by RoCEv2. encode()
/// writes exactly kSize bytes. decode() accepts untrusted input, and returns nullopt if the input is too
/// short. The caller must validate the field values.
namespace softfeb::roce {

inline constexpr std::uint16_t kRoceUdpPort = 4791;
inline constexpr std::uint16_t kDefaultPkey = 0xffff;
inline constexpr std::size_t kIcrcSize = 4;

/// Base transport header.
struct Bth {
  static constexpr std::size_t kSize = 12;

  std::uint8_t opcode = 0;
  bool solicited = false;
  bool mig_req = false;
  std::uint8_t pad_count = 0;  ///< number of pad bytes after the payload, 0…3
  std::uint8_t tver = 0;       ///< transport version; must be 0
  std::uint16_t pkey = kDefaultPkey;
  bool fecn = false;
  bool becn = false;
  Qpn dest_qp = 0;
  bool ack_req = false;
  Psn psn = 0;

  void encode(std::uint8_t* out) const;
  static std::optional<Bth> decode(ByteSpan in);
};

/// RDMA extended transport header, carried by the first packet of a WRITE.
struct Reth {
  static constexpr std::size_t kSize = 16;

  std::uint64_t virtual_address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t dma_length = 0;  ///< length of the whole message in bytes

  void encode(std::uint8_t* out) const;
  static std::optional<Reth> decode(ByteSpan in);
};

/// Immediate data in host order. On the wire and in the verbs API, immediate data are in network order.
struct ImmDt {
  static constexpr std::size_t kSize = 4;

  std::uint32_t value = 0;

  void encode(std::uint8_t* out) const { store_be32(out, value); }
  static std::optional<ImmDt> decode(ByteSpan in);
};

inline std::optional<Bth> Bth::decode(ByteSpan in) {
  if (in.size() < kSize) return std::nullopt;
  const std::uint32_t first = load_be32(&in[0]);
  const std::uint32_t second = load_be32(&in[4]);
  const std::uint32_t third = load_be32(&in[8]);
  Bth h;
  h.opcode = static_cast<std::uint8_t>(first >> 24);
  h.solicited = (first & 0x80'0000U) != 0;
  h.mig_req = (first & 0x40'0000U) != 0;
  h.pad_count = static_cast<std::uint8_t>((first >> 20) & 3);
  h.tver = static_cast<std::uint8_t>((first >> 16) & 0x0f);
  h.pkey = static_cast<std::uint16_t>(first);
  h.fecn = (second & 0x8000'0000U) != 0;
  h.becn = (second & 0x4000'0000U) != 0;
  h.dest_qp = second & 0xff'ffffU;
  h.ack_req = (third & 0x8000'0000U) != 0;
  h.psn = third & kPsnMask;
  return h;
}

inline std::optional<Reth> Reth::decode(ByteSpan in) {
  if (in.size() < kSize) return std::nullopt;
  return Reth{load_be64(in.data()), load_be32(&in[8]), load_be32(&in[12])};
}

inline std::optional<ImmDt> ImmDt::decode(ByteSpan in) {
  if (in.size() < kSize) return std::nullopt;
  return ImmDt{load_be32(in.data())};
}

/// Types of AETH syndromes (IBA table 46).
enum class AethKind : std::uint8_t {
  kAck,
  kRnrNak,
  kNakSequence,           ///< 0x60
  kNakInvalidRequest,     ///< 0x61
  kNakRemoteAccess,       ///< 0x62
  kNakRemoteOperational,  ///< 0x63
  kNakInvalidRdRequest,   ///< 0x64
  kReserved,
};

/// ACK extended transport header.
struct Aeth {
  static constexpr std::size_t kSize = 4;
  static constexpr std::uint8_t kNoCredits = 0x1f;  ///< value for an ACK without a credit count

  std::uint8_t syndrome = kNoCredits;
  std::uint32_t msn = 0;  ///< 24 bits

  AethKind kind() const;
  /// Timer code of an RNR NAK, credit count of an ACK, or code of any other NAK.
  std::uint8_t value() const { return syndrome & 0x1f; }

  static constexpr std::uint8_t ack(std::uint8_t credits = kNoCredits) { return credits & 0x1f; }
  static constexpr std::uint8_t rnr(std::uint8_t timer_code) {
    return static_cast<std::uint8_t>(0x20 | (timer_code & 0x1f));
  }
  static constexpr std::uint8_t nak(AethKind kind) {
    return static_cast<std::uint8_t>(
        0x60 + (static_cast<unsigned>(kind) - static_cast<unsigned>(AethKind::kNakSequence)));
  }

  void encode(std::uint8_t* out) const;
  static std::optional<Aeth> decode(ByteSpan in);

  bool operator==(const Aeth&) const = default;
};

inline AethKind Aeth::kind() const {
  switch (syndrome >> 5) {
    case 0:
      return AethKind::kAck;
    case 1:
      return AethKind::kRnrNak;
    case 3:
      if (value() <= 4) {
        return static_cast<AethKind>(static_cast<unsigned>(AethKind::kNakSequence) + value());
      }
      return AethKind::kReserved;
    default:
      return AethKind::kReserved;
  }
}

/// Size in bytes of a congestion notification packet (IBA, annex A17.9.3), from the BTH to the reserved
/// bytes, without iCRC.
inline constexpr std::size_t kCnpSize = Bth::kSize + 16;

/// Writes a CNP (kCnpSize bytes) to `out`. Its destination is `dest_qp`, the sending QP that must reduce its
/// rate.
void encode_cnp(std::uint8_t* out, Qpn dest_qp, std::uint16_t pkey = kDefaultPkey);

}  // namespace softfeb::roce
