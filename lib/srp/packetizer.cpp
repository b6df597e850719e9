// SPDX-License-Identifier: BSD-3-Clause
#include "srp/packetizer.hpp"

#include "roce/icrc.hpp"

#include <cstring>

namespace softfeb::srp {

namespace {

constexpr std::uint8_t kPacketizerVersion = 2;
constexpr std::uint8_t kSof = 0x80;
constexpr std::uint8_t kLast = 0x01;
constexpr std::size_t kCrcSize = 4;

constexpr std::size_t padded(std::size_t n) { return (n + 7) / 8 * 8; }

/// Continues the CRC of the previous packet over `packet`. CRC values are complemented, as everywhere in
/// this project, so the CRC stored in a packet is the initial value for the next packet.
std::uint32_t crc_after(std::uint32_t crc, CrcMode mode, ByteSpan packet) {
  switch (mode) {
    case CrcMode::kNone:
      return 0;
    case CrcMode::kPayload:
      return roce::crc32(
          crc, packet.subspan(Packetizer::kHeader, packet.size() - Packetizer::kHeader - Packetizer::kTail));
    case CrcMode::kFull:
      break;
  }
  return roce::crc32(crc, packet.first(packet.size() - kCrcSize));
}

void put_header(std::uint8_t* p, CrcMode mode, const FrameTags& tags, std::uint16_t count, bool first) {
  p[0] = static_cast<std::uint8_t>(static_cast<unsigned>(mode) << 4 | kPacketizerVersion);
  p[1] = tags.first_user;
  p[2] = tags.tdest;
  p[3] = tags.tid;
  p[4] = static_cast<std::uint8_t>(count);
  p[5] = static_cast<std::uint8_t>(count >> 8);
  p[6] = 0;
  p[7] = first ? kSof : 0;
}

}  // namespace

std::size_t Packetizer::seal(MutableByteSpan out, std::size_t payload, bool last, const FrameTags& tags) {
  if (payload == 0 || payload > payload_room(out.size()) || (!last && payload % 8 != 0)) return 0;
  const std::size_t words = padded(payload);
  put_header(out.data(), mode_, tags, count_, !in_frame_);
  std::memset(&out[kHeader + payload], 0, words - payload);
  std::uint8_t* const tail = &out[kHeader + words];
  tail[0] = last ? tags.last_user : 0;
  tail[1] = last ? kLast : 0;
  tail[2] = static_cast<std::uint8_t>(payload % 8 == 0 ? 8 : payload % 8);
  tail[3] = 0;
  const std::size_t size = kHeader + words + kTail;
  crc_ = crc_after(crc_, mode_, out.first(size));
  store_be32(tail + kCrcSize, crc_);
  in_frame_ = true;
  ++count_;
  if (last) reset();
  return size;
}

std::size_t Packetizer::write(MutableByteSpan out, ByteSpan payload, bool last, const FrameTags& tags) {
  if (payload.empty() || payload.size() > payload_room(out.size())) return 0;
  std::memcpy(&out[kHeader], payload.data(), payload.size());
  return seal(out, payload.size(), last, tags);
}

void Packetizer::reset() {
  count_ = 0;
  in_frame_ = false;
  crc_ = 0;
}

/// Parsed fields of a packet; each field is in range.
struct Depacketizer::Parts {
  CrcMode mode;
  FrameTags tags;
  std::uint16_t count;
  bool first, last;
  std::uint32_t crc;
  ByteSpan payload;
};

bool Depacketizer::parse(ByteSpan packet, Parts& parts) {
  if (packet.size() < Packetizer::kMinPacket || packet.size() % 8 != 0) return false;
  const std::uint8_t* const head = packet.data();
  const std::uint8_t* const tail = head + packet.size() - Packetizer::kTail;
  if ((head[0] & 0x0f) != kPacketizerVersion || head[0] >> 4 > static_cast<unsigned>(CrcMode::kFull))
    return false;
  parts.mode = static_cast<CrcMode>(head[0] >> 4);
  parts.tags = {head[1], tail[0], head[2], head[3]};
  parts.count = static_cast<std::uint16_t>(head[4] | head[5] << 8);
  parts.first = (head[7] & kSof) != 0;
  parts.last = (tail[1] & kLast) != 0;
  parts.crc = load_be32(tail + kCrcSize);
  const std::size_t in_last_word = tail[2];
  if (in_last_word < 1 || in_last_word > 8 || (!parts.last && in_last_word != 8)) return false;
  const std::size_t words = packet.size() - Packetizer::kHeader - Packetizer::kTail;
  parts.payload = packet.subspan(Packetizer::kHeader, words - 8 + in_last_word);
  return true;
}

bool Depacketizer::continues(const Parts& parts) const {
  return in_frame_ && parts.count == count_ && parts.mode == mode_ && parts.tags.tdest == tags_.tdest &&
         parts.tags.tid == tags_.tid;
}

void Depacketizer::begin(const Parts& parts) {
  frame_.clear();
  tags_ = parts.tags;
  mode_ = parts.mode;
  count_ = 0;
  crc_ = 0;
}

bool Depacketizer::take(ByteSpan packet, const Parts& parts) {
  crc_ = crc_after(crc_, mode_, packet);
  if (mode_ != CrcMode::kNone && parts.crc != crc_) return false;
  if (parts.payload.size() > max_frame_ - frame_.size()) return false;
  frame_.insert(frame_.end(), parts.payload.begin(), parts.payload.end());
  tags_.last_user = parts.tags.last_user;
  ++count_;
  return true;
}

Depacketizer::Result Depacketizer::push(ByteSpan packet) {
  Parts parts;
  bool good = parse(packet, parts);
  if (good && parts.first && parts.count == 0) {
    begin(parts);  // drops a frame in progress, whose last packet never arrived
  } else {
    good = good && !parts.first && continues(parts);
  }
  in_frame_ = good && take(packet, parts);
  if (!in_frame_) {
    frame_.clear();
    ++dropped_;
    return Result::kDropped;
  }
  in_frame_ = !parts.last;
  return parts.last ? Result::kFrame : Result::kPart;
}

void Depacketizer::reset() {
  in_frame_ = false;
  frame_ = {};
}

}  // namespace softfeb::srp
