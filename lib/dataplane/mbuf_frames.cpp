// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/mbuf_frames.hpp"

#include "base/bytes.hpp"
#include "dataplane/path_mtu.hpp"
#include "roce/congestion_header.hpp"
#include "roce/headers.hpp"
#include "roce/ip.hpp"

#include <algorithm>
#include <cstring>

#include <rte_mbuf.h>

namespace softfeb::dataplane {

namespace {

constexpr std::uint32_t kPaddedFrame = 60;  // minimum frame length, without FCS (IEEE 802.3)
constexpr std::uint32_t kMadeRoom = 128;
constexpr std::uint32_t kMostOut = 1024;  ///< maximum number of long copies in use, not counting those that
                                          ///< fault rules hold
/// Maximum number of short frames in use. Short frames are those that the network makes itself, and copies of
/// at most kMadeRoom bytes. Many may be needed, because a broadcast is copied to every port of a switch.
constexpr std::uint32_t kMostShort = 16'384;

/// Returns the length in bytes of the headers that the network reads and writes in this frame: Ethernet to
/// BTH, including a congestion control header (CCH) if the frame is for UDP port `cc_port`. Returns
/// UINT32_MAX if the first `length` bytes are too short for these headers.
std::uint32_t headers_of(const std::uint8_t* bytes, std::uint32_t length, std::uint16_t cc_port) {
  if (length < roce::kEthernetSize + roce::kVlanTagSize) return UINT32_MAX;
  const bool tagged = load_be16(bytes + 12) == roce::kEtherTypeVlan;
  const std::uint32_t ethernet = roce::kEthernetSize + (tagged ? roce::kVlanTagSize : 0);
  const bool v4 = load_be16(bytes + ethernet - 2) == roce::kEtherTypeIpv4;
  const std::uint32_t udp = ethernet + (v4 ? roce::kIpv4Size : roce::kIpv6Size);
  const std::uint32_t bth = udp + roce::kUdpHeaderSize;
  if (length < bth + roce::Bth::kSize) return UINT32_MAX;
  if (load_be16(bytes + udp + 2) != cc_port) return bth + roce::Bth::kSize;
  constexpr std::size_t kWordsAt = 2;  // offset of the CCH's length field, which counts 32-bit words
  const std::uint32_t cch = std::uint32_t{4} * bytes[bth + kWordsAt];
  return bth + std::min<std::uint32_t>(cch, roce::CongestionHeader::kMaxSize) + roce::Bth::kSize;
}

bool has_own_headers(const rte_mbuf* packet, std::uint16_t cc_port) {
  if (!RTE_MBUF_DIRECT(packet) || rte_mbuf_refcnt_read(packet) != 1) return false;
  const std::uint16_t length = packet->data_len;
  return length == packet->pkt_len ||
         length >= headers_of(rte_pktmbuf_mtod(packet, const std::uint8_t*), length, cc_port);
}

}  // namespace

MbufFrames::MbufFrames(std::size_t count, std::uint32_t frame_bytes, unsigned lcores, Mempools& pools,
                       int socket, std::uint16_t cc_port, std::uint32_t held)
    : cc_port_(cc_port),
      frames_(std::make_unique<MbufFrame[]>(count)),
      made_(pools.create("short frames of the network", pool_size(kMostShort, lcores), kMadeRoom, 0, socket)),
      copies_(
          pools.create("copies in the network", pool_size(kMostOut + held, lcores), frame_bytes, 0, socket)) {
  for (std::size_t i = count; i-- != 0;) {
    frames_[i].next = free_;
    free_ = &frames_[i];
  }
  free_count_ = count;
}

MbufFrames::MbufFrame* MbufFrames::get() {
  auto* const frame = static_cast<MbufFrame*>(free_);
  if (frame == nullptr) return nullptr;
  free_ = frame->next;
  --free_count_;
  return frame;
}

void MbufFrames::point(MbufFrame& frame, rte_mbuf* packet) {
  frame.packet = packet;
  frame.header = rte_pktmbuf_mtod(packet, std::uint8_t*);
  frame.header_length = packet->data_len;
  frame.length = packet->pkt_len;
}

fabric::Frame* MbufFrames::adopt(rte_mbuf* packet) {
  if (room() == 0 || packet->pkt_len < kEthernetHeader) return nullptr;
  rte_mbuf* own = packet;
  if (!has_own_headers(packet, cc_port_)) {
    own = rte_pktmbuf_copy(packet, copies_, 0, UINT32_MAX);
    if (own == nullptr) return nullptr;
    rte_pktmbuf_free(packet);
  }
  MbufFrame* const frame = get();
  *frame = MbufFrame{};
  point(*frame, own);
  return frame;
}

rte_mbuf* MbufFrames::take(fabric::Frame* frame) {
  rte_mbuf* const packet = static_cast<MbufFrame*>(frame)->packet;
  frame->next = free_;
  free_ = frame;
  ++free_count_;
  return packet;
}

fabric::Frame* MbufFrames::make(ByteSpan bytes) {
  if (free_ == nullptr || bytes.size() > kMadeRoom) return nullptr;
  rte_mbuf* const packet = rte_pktmbuf_alloc(made_);
  if (packet == nullptr) return nullptr;
  const auto length = static_cast<std::uint16_t>(std::max<std::size_t>(bytes.size(), kPaddedFrame));
  auto* const data = rte_pktmbuf_mtod(packet, std::uint8_t*);
  std::memcpy(data, bytes.data(), bytes.size());
  std::memset(data + bytes.size(), 0, length - bytes.size());
  packet->data_len = length;
  packet->pkt_len = length;
  MbufFrame* const frame = get();
  *frame = MbufFrame{};
  point(*frame, packet);
  return frame;
}

fabric::Frame* MbufFrames::copy(const fabric::Frame& frame) {
  if (free_ == nullptr) return nullptr;
  const rte_mbuf* const original = static_cast<const MbufFrame&>(frame).packet;
  rte_mempool* const pool = original->pkt_len <= kMadeRoom ? made_ : copies_;
  rte_mbuf* const packet = rte_pktmbuf_copy(original, pool, 0, UINT32_MAX);
  if (packet == nullptr) return nullptr;
  MbufFrame* const out = get();
  static_cast<fabric::Frame&>(*out) = frame;
  out->next = nullptr;
  point(*out, packet);
  return out;
}

bool MbufFrames::corrupt(fabric::Frame& frame, std::uint64_t random) {
  auto& mine = static_cast<MbufFrame&>(frame);
  if (mine.packet->pkt_len <= kEthernetHeader) return false;
  rte_mbuf* const own = rte_pktmbuf_copy(mine.packet, copies_, 0, UINT32_MAX);
  if (own == nullptr) return false;
  rte_pktmbuf_free(mine.packet);
  point(mine, own);
  std::uint32_t offset =
      kEthernetHeader + static_cast<std::uint32_t>((random >> 3) % (own->pkt_len - kEthernetHeader));
  rte_mbuf* m = own;
  for (; offset >= m->data_len; m = m->next) offset -= m->data_len;  // the copy may be a chain
  *rte_pktmbuf_mtod_offset(m, std::uint8_t*, offset) ^= static_cast<std::uint8_t>(1U << (random & 7));
  return true;
}

MutableByteSpan MbufFrames::writable(fabric::Frame& frame) {
  auto& mine = static_cast<MbufFrame&>(frame);
  if (mine.packet->pool != copies_ || mine.packet->nb_segs != 1) {
    rte_mbuf* const own = rte_pktmbuf_copy(mine.packet, copies_, 0, UINT32_MAX);
    if (own == nullptr) return {};
    if (own->nb_segs != 1) {  // the frame is longer than the buffers of the copies
      rte_pktmbuf_free(own);
      return {};
    }
    rte_pktmbuf_free(mine.packet);
    point(mine, own);
  }
  return {mine.header, mine.length};
}

void MbufFrames::shorten(fabric::Frame& frame, std::uint32_t length) {
  auto& mine = static_cast<MbufFrame&>(frame);
  rte_pktmbuf_trim(mine.packet, static_cast<std::uint16_t>(mine.length - length));
  point(mine, mine.packet);
}

void MbufFrames::release(fabric::Frame* frame) { rte_pktmbuf_free(take(frame)); }

}  // namespace softfeb::dataplane
