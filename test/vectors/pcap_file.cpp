// SPDX-License-Identifier: BSD-3-Clause
#include "pcap_file.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace softfeb::test {
namespace {

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kLinkEthernet = 1;
constexpr std::size_t kFileHeader = 24;
constexpr std::size_t kRecordHeader = 16;

/// Reads the numbers of a pcap file, which have the byte order of the machine that wrote the file.
struct Numbers {
  bool swapped = false;
  Time unit = kMicrosecond;  ///< unit of the second word of a time stamp; the first word is in seconds

  std::uint32_t get(const std::uint8_t* p) const { return swapped ? load_be32(p) : load_le32(p); }
};

std::optional<Numbers> numbers_of(std::uint32_t magic_read_little) {
  for (const bool swapped : {false, true}) {
    const std::uint32_t magic = swapped ? __builtin_bswap32(magic_read_little) : magic_read_little;
    if (magic == kMicroseconds) return Numbers{swapped, kMicrosecond};
    if (magic == kNanoseconds) return Numbers{swapped, kNanosecond};
  }
  return std::nullopt;
}

std::optional<CapturedDatagram> udp_of(ByteSpan frame) {
  if (frame.size() < roce::kEthernetSize + roce::kIpv4Size + roce::kUdpHeaderSize) return std::nullopt;
  if (load_be16(&frame[12]) != roce::kEtherTypeIpv4) return std::nullopt;
  const ByteSpan ip = frame.subspan(roce::kEthernetSize);
  const std::size_t header = std::size_t{ip[0] & 0x0fU} * 4;
  const bool fragment = (load_be16(&ip[6]) & 0x3fff) != 0;
  if (ip[0] >> 4 != 4 || header < roce::kIpv4Size || fragment || ip[9] != roce::kIpProtocolUdp) {
    return std::nullopt;
  }
  if (ip.size() < header + roce::kUdpHeaderSize) return std::nullopt;
  const ByteSpan udp = ip.subspan(header);
  const std::size_t length = load_be16(&udp[4]);
  if (length < roce::kUdpHeaderSize || length > udp.size()) return std::nullopt;

  CapturedDatagram out;
  out.from = {roce::IpAddress::from_v4_wire(&ip[12]), load_be16(udp.data())};
  out.to = {roce::IpAddress::from_v4_wire(&ip[16]), load_be16(&udp[2])};
  const ByteSpan payload = udp.first(length).subspan(roce::kUdpHeaderSize);
  out.bytes.assign(payload.begin(), payload.end());
  return out;
}

std::vector<std::uint8_t> contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

std::vector<CapturedDatagram> read_pcap(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> file = contents_of(path);
  const auto numbers = file.size() < kFileHeader ? std::nullopt : numbers_of(load_le32(file.data()));
  if (!numbers) throw std::runtime_error(path.string() + ": no pcap file");
  if (numbers->get(&file[20]) != kLinkEthernet) {
    throw std::runtime_error(path.string() + ": frames are not Ethernet's");
  }

  std::vector<CapturedDatagram> out;
  std::optional<Time> first;
  ByteSpan rest = ByteSpan(file).subspan(kFileHeader);
  while (rest.size() >= kRecordHeader) {
    const Time at = numbers->get(rest.data()) * kSecond + numbers->get(&rest[4]) * numbers->unit;
    const std::size_t captured = numbers->get(&rest[8]);
    rest = rest.subspan(kRecordHeader);
    if (captured > rest.size()) break;  // the last record is incomplete
    if (!first) first = at;
    if (auto datagram = udp_of(rest.first(captured))) {
      datagram->at = at - *first;
      out.push_back(std::move(*datagram));
    }
    rest = rest.subspan(captured);
  }
  return out;
}

}  // namespace softfeb::test
