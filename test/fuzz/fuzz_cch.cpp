// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: decodes arbitrary bytes as a congestion control header, lets a switch and a receiver change the
// header, and parses a frame that contains it. The first byte selects which fields are made valid and where
// the frame is split.
#include "input.hpp"
#include "roce/congestion_frame.hpp"

#include <vector>

using namespace softfeb;
using namespace softfeb::roce;
using fuzz::Input;
using fuzz::require;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kFixVersion = 1, kFixSize = 2, kFixChecksum = 4, kFewHops = 8;

/// Makes some fields of the header at the beginning of `b` valid. `how` selects these fields.
void repair(std::uint8_t* b, std::size_t room, std::uint8_t how) {
  if (room < CongestionHeader::kCommonSize) return;
  if ((how & kFixVersion) != 0) b[0] = static_cast<std::uint8_t>(0x10 | (b[0] & 0x0f));
  if ((how & kFixSize) != 0) {
    constexpr std::uint8_t kWords[] = {2, 4, 12, 5};
    if (b[1] < 4) b[2] = kWords[b[1]];
  }
  if ((how & kFewHops) != 0) b[3] %= 8;
  const std::size_t size = std::size_t{4} * b[2];
  if ((how & kFixChecksum) == 0 || size < CongestionHeader::kCommonSize || size > room) return;
  store_be16(b + 4, 0);
  store_be16(b + 4, internet_checksum({b, size}));
}

void check_decoded(const CongestionHeader& h, ByteSpan in) {
  require(h.size() <= in.size() && h.size() <= CongestionHeader::kMaxSize);
  require(h.body.empty() || (h.body.data() >= in.data() && &h.body.back() <= &in.back()));
  Bytes again(h.size());
  require(h.encode(again.data()) == h.size());
  const auto second = CongestionHeader::decode(again);
  require(second && second->flags == h.flags && second->path == h.path);
  const auto ints = IntBody::decode(h);
  require(!ints || ints->count <= IntBody::kMaxRecords);
  require(DelayBody::decode(h).has_value() == (h.profile == CongestionHeader::kDelay));
  require(CreditBody::decode(h).has_value() == (h.profile == CongestionHeader::kCredit));
}

/// Checks that a header is still valid after a switch or a receiver has changed it.
void check_changes(const Bytes& original, const std::optional<CongestionHeader>& header) {
  const bool forward = header && !header->echo() && !header->control();
  Bytes b = original;
  constexpr int kHops = 7;  // more hops than a header has room for
  for (int i = 0; i < kHops; ++i) require(add_hop(b, congestion::IntRecord{3, 1, 2, 4}, 0x8001) == forward);
  if (!forward) require(b == original);
  const auto hop = CongestionHeader::decode(b);
  require(hop.has_value() == header.has_value());
  if (forward) require(hop->hops == std::min(header->hops + kHops, 255) && hop->size() == header->size());
  require(make_echo(b, 12'345) == forward);
  const auto echo = CongestionHeader::decode(b);
  require(echo.has_value() == header.has_value());
  if (forward) require(echo->echo() && echo->hops == hop->hops);
}

/// Returns an IPv4 frame whose UDP payload is `content`.
Bytes frame_with(ByteSpan content) {
  Path path;
  path.source_ip = *IpAddress::parse("10.0.0.1");
  path.dest_ip = *IpAddress::parse("10.0.0.2");
  path.udp_dest_port = kCongestionUdpPort;
  const HeaderTemplate headers(path);
  Bytes frame(headers.size());
  headers.write(frame.data(), static_cast<std::uint32_t>(content.size()), 1);
  frame.insert(frame.end(), content.begin(), content.end());
  return frame;
}

void check_frame(const Segments& bytes) {
  ParsedFrame frame = parse_frame(bytes);
  require(frame.kind == FrameKind::kUdp);
  CchScratch scratch;
  const auto header = decode_congestion_header(frame, scratch);
  if (!header) return;
  const std::size_t before = frame.content.size(), size = header->size();
  PlainHeaders plain;
  if (!remove_congestion_header(frame, size, plain)) {
    require(before < size + Bth::kSize + kIcrcSize && frame.content.size() == before);
    return;
  }
  require(frame.content.size() == before - size);
  Bytes datagram(frame.datagram.size());
  frame.datagram.copy(0, datagram.size(), datagram.data());
  require(load_be16(&datagram[2]) == datagram.size());
  require(internet_checksum(ByteSpan(datagram).first(kIpv4Size)) == 0);
  static_cast<void>(icrc_matches(frame));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 4096) return 0;
  const std::uint8_t how = data[0];
  Bytes bytes(data + 1, data + size);
  repair(bytes.data(), bytes.size(), how);
  const auto header = CongestionHeader::decode(bytes);
  if (header) check_decoded(*header, bytes);
  check_changes(bytes, header);
  const Bytes frame = frame_with(bytes);
  check_frame(ByteSpan(frame));
  const std::size_t cut = 1 + how % (frame.size() - 1);
  Segments two(ByteSpan(frame).first(cut));
  two.push(ByteSpan(frame).subspan(cut));
  check_frame(two);
  return 0;
}
