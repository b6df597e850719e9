// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/frame_writer.hpp"

#include "base/bytes.hpp"
#include "roce/craft.hpp"
#include "roce/headers.hpp"
#include "roce/icrc.hpp"
#include "roce/opcode.hpp"
#include "roce/packet.hpp"

#include <array>

namespace softfeb::switchtest {

namespace {

constexpr std::uint8_t kWriteOnly = roce::opcode(roce::Transport::kUc, roce::Operation::kWriteOnly);
constexpr std::uint8_t kRcWriteOnly = roce::opcode(roce::Transport::kRc, roce::Operation::kWriteOnly);
constexpr std::uint16_t kEchoPort = 7;    // RFC 2544, appendix C
constexpr std::uint16_t kMagic = 0x5354;  // first bytes of the payload of plain UDP frames
constexpr std::uint32_t kMarkSize = 18;   // size of the mark in plain UDP frames
constexpr std::size_t kLargestPayload = 1U << 16;
/// Number of bytes by which an IPv6 header is longer than an IPv4 header.
constexpr std::uint32_t kV6Extra = roce::kIpv6Size - roce::kIpv4Size;

roce::Path path_of(const FrameKind& kind, const PortAddress& from, const PortAddress& to) {
  roce::Path path;
  path.source_mac = from.mac;
  path.dest_mac = to.mac;
  path.vlan = kind.vlan;
  path.source_ip = (kind.ipv6 ? from.v6 : from.v4).plus(kind.source_host);
  path.dest_ip = kind.ipv6 ? to.v6 : to.v4;
  path.dscp = kind.dscp;
  path.ecn = kind.ecn;
  path.ttl = kind.ttl;
  path.udp_source_port = kind.udp_source_port;
  if (kind.plain_udp) path.udp_dest_port = kEchoPort;
  return path;
}

void write_mark(const FrameMark& mark, std::uint8_t* out) {
  store_be16(out, kMagic);
  store_be16(out + 2, mark.trial);
  store_be16(out + 4, mark.kind);
  store_be32(out + 6, mark.sequence);
  store_be64(out + 10, mark.departed);
}

}  // namespace

ByteSpan FrameWriter::zeros() {
  static constexpr std::array<std::uint8_t, kLargestPayload> kZeros{};
  return kZeros;
}

FrameWriter::FrameWriter(const Trial& trial, const std::vector<RigPort>& ports, std::uint16_t port,
                         std::uint16_t id)
    : id_(id) {
  for (const FrameKind& kind : trial.kinds) {
    Form form;
    form.path = roce::HeaderTemplate(
        path_of(kind, ports[port].address, kind.destination.value_or(ports[kind.to].address)));
    const std::uint32_t v6 = kind.ipv6 ? kV6Extra : 0;
    form.plain_udp = kind.plain_udp;
    form.payload = kind.length - v6 - (kind.plain_udp ? kSmallestUdpFrame : kSmallestRoceFrame);
    form.dest_qp = kind.dest_qp;
    form.rc = kind.rc_source_qp.has_value();
    if (form.rc && trial.answers) form.frames_per_ack = trial.answers->frames_per_ack;
    if (!kind.plain_udp) form.crc = roce::crc32(0, zeros().first(form.payload));
    forms_.push_back(form);
  }
}

void FrameWriter::write(std::uint16_t kind, std::uint64_t sequence, Time departed, engine::TxFrame& out) {
  const Form& form = forms_[kind];
  const auto identification = static_cast<std::uint16_t>(sequence);
  out.payload = zeros().data();
  out.payload_length = form.payload;
  out.transient_payload = false;
  out.message = 0;
  if (form.plain_udp) {
    form.path.write(out.header, kMarkSize + form.payload, identification);
    write_mark({id_, kind, static_cast<std::uint32_t>(sequence), departed, true},
               out.header + form.path.size());
    out.header_length = static_cast<std::uint16_t>(form.path.size() + kMarkSize);
    out.trailer_length = 0;
    return;
  }
  roce::RequestPacket p;
  p.opcode = form.rc ? kRcWriteOnly : kWriteOnly;
  p.ack_req = form.frames_per_ack != 0 && sequence % form.frames_per_ack == 0;
  p.psn = static_cast<roce::Psn>(sequence & 0xff'ffff);
  p.reth = {departed, std::uint32_t{id_} << 16 | kind, form.payload};
  p.payload_length = form.payload;
  const roce::Crafted crafted =
      roce::craft_request(form.path, p, form.dest_qp, roce::kDefaultPkey, identification, zeros().data(),
                          form.crc, out.header, out.trailer.data());
  out.header_length = crafted.header_length;
  out.trailer_length = crafted.trailer_length;
}

std::optional<FrameMark> read_mark(const roce::ParsedFrame& frame) {
  if (frame.kind != roce::FrameKind::kUdp) return std::nullopt;
  std::array<std::uint8_t, roce::Bth::kSize + roce::Reth::kSize> scratch{};
  if (frame.dest_port == kEchoPort) {
    const std::uint8_t* const p = frame.content.piece(0, kMarkSize, scratch.data());
    if (p == nullptr || load_be16(p) != kMagic) return std::nullopt;
    return FrameMark{load_be16(p + 2), load_be16(p + 4), load_be32(p + 6), load_be64(p + 10), true};
  }
  if (frame.dest_port != roce::kRoceUdpPort) return std::nullopt;
  const std::uint8_t* const p = frame.content.piece(0, scratch.size(), scratch.data());
  if (p == nullptr) return std::nullopt;
  const auto bth = roce::Bth::decode({p, roce::Bth::kSize});
  const auto reth = roce::Reth::decode({p + roce::Bth::kSize, roce::Reth::kSize});
  if (!bth || !reth || (bth->opcode != kWriteOnly && bth->opcode != kRcWriteOnly)) return std::nullopt;
  return FrameMark{static_cast<std::uint16_t>(reth->rkey >> 16), static_cast<std::uint16_t>(reth->rkey),
                   bth->psn, reth->virtual_address, false};
}

}  // namespace softfeb::switchtest
