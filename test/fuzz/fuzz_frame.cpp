// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: passes arbitrary bytes as a frame, in one or two segments, through the parser and the
// classifier. The parser's results must lie within the frame.
#include "engine/demux.hpp"
#include "roce/frame.hpp"
#include "roce/packet.hpp"
#include "roce/response.hpp"

#include <cstdlib>

using namespace softfeb;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

engine::Demux make_demux() {
  engine::Demux demux;
  engine::Identity id;
  id.ip = *roce::IpAddress::parse("10.0.0.1");
  demux.insert(id, 0);
  id.vlan = roce::VlanTag{100, 0};
  id.ip = *roce::IpAddress::parse("fd00::1");
  demux.insert(id, 1);
  return demux;
}

void look_at(const Segments& bytes, const engine::Demux& demux) {
  const roce::ParsedFrame f = roce::parse_frame(bytes);
  require(f.content.size() <= bytes.size() && f.datagram.size() <= bytes.size());
  const std::uint32_t to = demux.find(f);
  require(to <= 1 || to == engine::Demux::kNobody);
  if (f.kind == roce::FrameKind::kMacControl) require(roce::parse_mac_control(f.content).has_value());
  demux.for_each_paused(f.dest_mac, [](std::uint32_t e) { require(e <= 1); });
  if (f.kind != roce::FrameKind::kUdp) return;
  const roce::TransportPacket p = roce::parse_transport(roce::transport_bytes(f));
  if (p.kind == roce::TransportKind::kRequest)
    require(p.request.payload.size() + roce::Bth::kSize <= f.content.size());
  require(roce::parse_response(f.content) == roce::response_of(roce::parse_transport_with_icrc(f.content)));
  static_cast<void>(roce::icrc_matches(f));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const engine::Demux demux = make_demux();
  const ByteSpan all(data, size);
  look_at(all, demux);
  if (size < 2) return 0;
  // The first byte selects the offset at which the rest is split.
  const std::size_t cut = data[0] % (size - 1);
  Segments two(all.subspan(1, cut));
  two.push(all.subspan(1 + cut));
  look_at(two, demux);
  return 0;
}
