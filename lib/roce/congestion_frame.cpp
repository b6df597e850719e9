// SPDX-License-Identifier: BSD-3-Clause
#include "roce/congestion_frame.hpp"

#include <algorithm>

namespace softfeb::roce {

namespace {

/// Reduces the lengths in IP and UDP headers by `size`, and sets the destination port to 4791 and the UDP
/// checksum to 0. `ip` is the size of the IP header.
void make_plain(std::uint8_t* headers, std::size_t ip, std::size_t size) {
  const auto reduce = [&](std::size_t at) {
    store_be16(headers + at, static_cast<std::uint16_t>(load_be16(headers + at) - size));
  };
  if (ip == kIpv4Size) {
    reduce(2);
    store_be16(headers + 10, 0);
    store_be16(headers + 10, internet_checksum({headers, kIpv4Size}));
  } else {
    reduce(4);
  }
  store_be16(headers + ip + 2, kRoceUdpPort);
  reduce(ip + 4);
  store_be16(headers + ip + 6, 0);
}

}  // namespace

std::optional<CongestionHeader> decode_congestion_header(const ParsedFrame& frame, CchScratch& scratch) {
  const std::size_t size = std::min(frame.content.size(), scratch.size());
  const std::uint8_t* const bytes = frame.content.piece(0, size, scratch.data());
  return CongestionHeader::decode({bytes, size});
}

bool remove_congestion_header(ParsedFrame& frame, std::size_t size, PlainHeaders& headers) {
  if (frame.content.size() < size + Bth::kSize + kIcrcSize) return false;
  const Segments rest = frame.content.sub(size + Bth::kSize, frame.content.size());
  if (rest.count() == Segments::kMax) return false;
  const std::size_t lower = frame.datagram.size() - frame.content.size();
  frame.datagram.copy(0, lower, headers.data());
  frame.content.copy(size, Bth::kSize, headers.data() + lower);
  make_plain(headers.data(), lower - kUdpHeaderSize, size);
  frame.dest_port = kRoceUdpPort;
  frame.datagram = ByteSpan(headers).first(lower + Bth::kSize);
  frame.content = ByteSpan(headers).subspan(lower, Bth::kSize);
  rest.for_each([&frame](ByteSpan part) {
    frame.datagram.push(part);
    frame.content.push(part);
  });
  return true;
}

}  // namespace softfeb::roce
