// SPDX-License-Identifier: BSD-3-Clause
#include "engine/credit_frame.hpp"

#include "roce/congestion_frame.hpp"
#include "roce/craft.hpp"

#include <array>

namespace softfeb::engine {

void write_control_frame(const ControlFrameTarget& to, const roce::CreditBody& body,
                         std::uint16_t identification, TxFrame& out) {
  out = TxFrame{.header = out.header};
  const roce::Crafted c = roce::craft_congestion_control(to.path, to.dest_qp, to.pkey, identification,
                                                         out.header, out.trailer.data());
  std::array<std::uint8_t, roce::CongestionHeader::kMaxSize> cch;
  const std::size_t size = roce::write_credit_header(cch.data(), body);
  out.header_length =
      roce::insert_congestion_header(to.path, {cch.data(), size}, to.port, out.header, c.header_length);
  out.trailer_length = c.trailer_length;
}

std::optional<roce::Qpn> control_frame_qpn(const roce::ParsedFrame& frame) {
  if (frame.content.size() != roce::Bth::kSize + roce::kIcrcSize) return std::nullopt;
  std::array<std::uint8_t, roce::Bth::kSize> bytes;
  frame.content.copy(0, bytes.size(), bytes.data());
  const auto bth = roce::Bth::decode(bytes);
  if (!bth || bth->opcode != roce::kOpcodeCongestionControl || bth->tver != 0) return std::nullopt;
  return bth->dest_qp;
}

}  // namespace softfeb::engine
