// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "engine/identity.hpp"
#include "mutation.hpp"
#include "roce/headers.hpp"
#include "roce/ip.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::test {

/// A packet to UDP port 4791, as the model has read it.
struct ModelPacket {
  roce::MacAddress source_mac{};
  roce::IpAddress source_ip;
  std::uint8_t tos = 0;
  bool icrc_right = false;
  roce::Bth bth{};
  std::uint8_t byte4 = 0;            ///< byte 4 of the BTH
  std::uint8_t reserved7 = 0;        ///< value of the BTH's reserved field of 7 bits
  std::vector<std::uint8_t> behind;  ///< bytes from the end of the BTH to the end of the pad

  bool ce() const { return (tos & 3) == 3; }
};

/// Reads frames byte by byte. Only the CRC-32 is shared with the code that makes and parses frames.
class ModelReader {
 public:
  ModelReader(const engine::Identity& own, Mutation mutation) : own_(own), mutation_(mutation) {}

  /// Returns the packet in a frame. Returns std::nullopt if the frame is not a RoCEv2 packet for this
  /// address, or violates a rule of a layer below the transport.
  std::optional<ModelPacket> read(ByteSpan frame);

 private:
  /// The layers of a packet, without the Ethernet header.
  struct Layers {
    std::vector<std::uint8_t> ip, udp, transport;
    bool v6 = false;  ///< IPv6, or the GRH of RoCE v1
    std::vector<std::uint8_t> icrc;
  };

  bool is(Mutation m) const { return mutation_ == m; }
  std::optional<ModelPacket> read_v4(ByteSpan ip, ModelPacket out);
  std::optional<ModelPacket> read_v6(ByteSpan ip, ModelPacket out) const;
  std::optional<ModelPacket> read_v1(ByteSpan grh, ModelPacket out) const;
  std::optional<ModelPacket> read_udp(Layers layers, ByteSpan udp, ModelPacket out) const;
  std::optional<ModelPacket> read_transport(Layers layers, ByteSpan bytes, ModelPacket out) const;
  bool icrc_right(const Layers& layers) const;
  bool right_before_change(Layers layers) const;
  std::uint32_t icrc_of(const Layers& layers, bool ones, bool byte4_masked) const;

  engine::Identity own_;
  Mutation mutation_;
  /// For kReassembles: the first fragment, beginning with the IP header.
  std::vector<std::uint8_t> fragment_;
};

/// A response of the model.
struct ModelReply {
  std::uint8_t opcode = 0;
  roce::Psn psn = 0;
  std::vector<std::uint8_t> behind;  ///< extended headers and payload
  std::uint16_t pkey = 0xffff;
  std::uint8_t byte4 = 0;
  std::uint8_t ecn = 2;
  std::uint8_t tos = 0;  ///< DSCP in the upper six bits
};

/// Returns the frame of a response.
std::vector<std::uint8_t> model_frame(const ModelReply& reply, const engine::Identity& own,
                                      const roce::MacAddress& dest_mac, const roce::IpAddress& dest_ip,
                                      roce::Qpn dest_qp, Mutation mutation);

}  // namespace softfeb::test
