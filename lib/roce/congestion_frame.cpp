// SPDX-License-Identifier: BSD-3-Clause
#include "roce/congestion_frame.hpp"

#include <algorithm>
#include <cstring>

namespace softfeb::roce {

namespace {

/// Adds `size` to the lengths in the IP and UDP headers, and sets the destination port to `port` and the UDP
/// checksum to 0. `ip` is the size of the IP header at `headers`.
void resize(std::uint8_t* headers, std::size_t ip, int size, std::uint16_t port) {
  const auto add = [&](std::size_t at) {
    store_be16(headers + at, static_cast<std::uint16_t>(load_be16(headers + at) + size));
  };
  if (ip == kIpv4Size) {
    add(2);
    store_be16(headers + 10, 0);
    store_be16(headers + 10, internet_checksum({headers, kIpv4Size}));
  } else {
    add(4);
  }
  store_be16(headers + ip + 2, port);
  add(ip + 4);
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
  resize(headers.data(), lower - kUdpHeaderSize, -static_cast<int>(size), kRoceUdpPort);
  frame.dest_port = kRoceUdpPort;
  frame.datagram = ByteSpan(headers).first(lower + Bth::kSize);
  frame.content = ByteSpan(headers).subspan(lower, Bth::kSize);
  rest.for_each([&frame](ByteSpan part) {
    frame.datagram.push(part);
    frame.content.push(part);
  });
  return true;
}

std::uint16_t insert_congestion_header(const HeaderTemplate& path, ByteSpan cch, std::uint16_t port,
                                       std::uint8_t* header, std::uint16_t header_length) {
  std::uint8_t* const transport = header + path.size();
  std::memmove(transport + cch.size(), transport, header_length - path.size());
  std::memcpy(transport, cch.data(), cch.size());
  resize(header + path.ip_offset(), path.is_v4() ? kIpv4Size : kIpv6Size, static_cast<int>(cch.size()), port);
  return static_cast<std::uint16_t>(header_length + cch.size());
}

}  // namespace softfeb::roce
