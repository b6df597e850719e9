// SPDX-License-Identifier: BSD-3-Clause
#include "detector/event_header.hpp"

#include "roce/icrc.hpp"

namespace softfeb::detector {

namespace {

constexpr std::uint8_t kHeaderWords = kEventHeaderSize / 4;
constexpr std::size_t kCrcAt = 60;

EventHeader fields_of(const std::uint8_t* p) {
  EventHeader h;
  h.flags = load_le16(p + 6);
  h.run = load_le32(p + 8);
  h.board = load_le16(p + 12);
  h.type = static_cast<EventType>(p[14]);
  h.kind = static_cast<PayloadKind>(p[15]);
  h.event = load_le64(p + 16);
  h.time = {load_le32(p + 24), load_le32(p + 28)};
  h.length = load_le32(p + 32);
  h.offset = load_le32(p + 36);
  h.total = load_le32(p + 40);
  h.channels = load_le16(p + 44);
  h.samples = load_le16(p + 46);
  h.lost = load_le32(p + 48);
  h.reserved = load_le32(p + 52);
  h.payload_crc = load_le32(p + 56);
  return h;
}

}  // namespace

const char* to_string(HeaderVerdict verdict) {
  constexpr const char* kNames[kHeaderVerdicts] = {"short", "magic",  "version", "header_size", "header_crc",
                                                   "time",  "bounds", "size",    "payload_crc", "ok"};
  return kNames[static_cast<std::size_t>(verdict)];
}

void write_event_header(const EventHeader& h, std::uint8_t* to) {
  store_le32(to, kEventMagic);
  to[4] = kEventVersion;
  to[5] = kHeaderWords;
  store_le16(to + 6, h.flags);
  store_le32(to + 8, h.run);
  store_le16(to + 12, h.board);
  to[14] = static_cast<std::uint8_t>(h.type);
  to[15] = static_cast<std::uint8_t>(h.kind);
  store_le64(to + 16, h.event);
  store_le32(to + 24, h.time.seconds);
  store_le32(to + 28, h.time.quarter_ns);
  store_le32(to + 32, h.length);
  store_le32(to + 36, h.offset);
  store_le32(to + 40, h.total);
  store_le16(to + 44, h.channels);
  store_le16(to + 46, h.samples);
  store_le32(to + 48, h.lost);
  store_le32(to + 52, h.reserved);
  store_le32(to + 56, h.payload_crc);
  store_le32(to + kCrcAt, roce::crc32(0, ByteSpan(to, kCrcAt)));
}

HeaderVerdict read_event_header_only(ByteSpan message, EventHeader& header) {
  if (message.size() < kEventHeaderSize) return HeaderVerdict::kShort;
  const std::uint8_t* const p = message.data();
  if (load_le32(p) != kEventMagic) return HeaderVerdict::kMagic;
  if (p[4] != kEventVersion) return HeaderVerdict::kVersion;
  if (p[5] != kHeaderWords) return HeaderVerdict::kHeaderSize;
  if (load_le32(p + kCrcAt) != roce::crc32(0, message.first(kCrcAt))) return HeaderVerdict::kHeaderCrc;
  header = fields_of(p);
  if (header.time.quarter_ns >= EventTime::kQuarters) return HeaderVerdict::kTime;
  if (std::uint64_t{header.offset} + header.length > header.total) return HeaderVerdict::kBounds;
  if (message.size() != kEventHeaderSize + header.length) return HeaderVerdict::kSize;
  return HeaderVerdict::kOk;
}

HeaderVerdict read_event_header(ByteSpan message, EventHeader& header) {
  const HeaderVerdict verdict = read_event_header_only(message, header);
  if (verdict != HeaderVerdict::kOk) return verdict;
  const bool right = roce::crc32(0, message.subspan(kEventHeaderSize)) == header.payload_crc;
  return right ? HeaderVerdict::kOk : HeaderVerdict::kPayloadCrc;
}

std::uint64_t HeaderCounts::rejected() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(HeaderVerdict::kOk); ++i) sum += by_verdict[i];
  return sum;
}

}  // namespace softfeb::detector
