// SPDX-License-Identifier: BSD-3-Clause
#include "frame_fields.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <span>

#include <ns3/buffer.h>
#include <ns3/header.h>
#include <ns3/type-id.h>

namespace softfeb::ns3model {

namespace {

constexpr std::size_t kEthernet = 14, kTag = 4, kIpv4 = 20;
constexpr unsigned kEtherTypeIpv4 = 0x0800, kEtherTypeIpv6 = 0x86dd, kEtherTypeVlan = 0x8100;
constexpr unsigned kEtherTypeMacControl = 0x8808;
constexpr unsigned kCe = 3;

using FirstBytes = std::array<std::uint8_t, kEthernet + kTag + kIpv4>;

unsigned word(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<unsigned>(bytes[at] << 8 | bytes[at + 1]);
}

struct Location {
  unsigned type = 0;   ///< EtherType, after the 802.1Q tag if there is one
  std::size_t at = 0;  ///< offset of the first byte after the EtherType
};

Location content_of(const FirstBytes& b) {
  if (word(b, 12) == kEtherTypeVlan) return {word(b, 16), kEthernet + kTag};
  return {word(b, 12), kEthernet};
}

/// A header that replaces the first bytes of a frame.
class Front : public ns3::Header {
 public:
  explicit Front(std::span<const std::uint8_t> bytes = {}) : bytes_(bytes) {}

  static ns3::TypeId GetTypeId() {
    static const ns3::TypeId id = ns3::TypeId("softfeb::Front").SetParent<ns3::Header>();
    return id;
  }
  ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }
  std::uint32_t GetSerializedSize() const override { return static_cast<std::uint32_t>(bytes_.size()); }
  void Serialize(ns3::Buffer::Iterator to) const override {
    to.Write(bytes_.data(), static_cast<std::uint32_t>(bytes_.size()));
  }
  std::uint32_t Deserialize(ns3::Buffer::Iterator) override { return 0; }
  void Print(std::ostream& out) const override { out << bytes_.size() << " bytes"; }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// Replaces a word of the IPv4 header and corrects its checksum (RFC 1624, equation 3).
void replace_word(std::span<std::uint8_t> ip, std::size_t at, unsigned value) {
  unsigned sum = (~word(ip, 10) & 0xffff) + (~word(ip, at) & 0xffff) + value;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
  ip[at] = static_cast<std::uint8_t>(value >> 8);
  ip[at + 1] = static_cast<std::uint8_t>(value);
  ip[10] = static_cast<std::uint8_t>(sum >> 8);
  ip[11] = static_cast<std::uint8_t>(sum);
}

}  // namespace

FrameFields FrameFields::of(const ns3::Packet& frame) {
  FirstBytes b{};
  const std::uint32_t size = frame.CopyData(b.data(), b.size());
  FrameFields fields;
  fields.dest.CopyFrom(&b[0]);
  fields.source.CopyFrom(&b[6]);
  const Location content = content_of(b);
  fields.mac_control = content.type == kEtherTypeMacControl;
  const bool v4 = content.type == kEtherTypeIpv4 && b[content.at] >> 4 == 4;
  const bool v6 = content.type == kEtherTypeIpv6 && b[content.at] >> 4 == 6;
  if ((!v4 && !v6) || size < content.at + kIpv4) return fields;
  // In IPv4, this is the second byte of the header. In IPv6, it is the eight bits after the version.
  const unsigned traffic_class = v4 ? b[content.at + 1] : word(b, content.at) >> 4 & 0xff;
  fields.dscp = static_cast<std::uint8_t>(traffic_class >> 2);
  const unsigned ecn = traffic_class & kCe;
  fields.ecn_capable = ecn != 0 && ecn != kCe;
  return fields;
}

void set_congestion_experienced(const ns3::Ptr<ns3::Packet>& frame) {
  FirstBytes b{};
  const std::uint32_t size = frame->CopyData(b.data(), b.size());
  const Location content = content_of(b);
  const std::span<std::uint8_t> ip = std::span(b).subspan(content.at);
  if (content.type == kEtherTypeIpv4) {
    replace_word(ip, 0, word(ip, 0) | kCe);
  } else {
    ip[1] |= kCe << 4;
  }
  frame->RemoveAtStart(size);
  frame->AddHeader(Front(std::span(b).first(size)));
}

}  // namespace softfeb::ns3model
