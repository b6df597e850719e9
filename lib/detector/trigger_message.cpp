// SPDX-License-Identifier: BSD-3-Clause
#include "detector/trigger_message.hpp"

namespace softfeb::detector {

namespace {

constexpr std::uint32_t kTriggerMagic = 0x5254'4653;  // "SFTR" in memory
constexpr std::uint32_t kBusyMagic = 0x5942'4653;     // "SFBY" in memory
constexpr std::uint8_t kMessageVersion = 1;
constexpr std::uint16_t kEndOfRun = 1;

void write_message(std::uint32_t magic, std::uint8_t type, std::uint16_t flags, std::uint32_t run,
                   EventTime time, std::uint64_t event, std::uint8_t* to) {
  store_le32(to, magic);
  to[4] = kMessageVersion;
  to[5] = type;
  store_le16(to + 6, flags);
  store_le32(to + 8, run);
  store_le32(to + 12, time.seconds);
  store_le32(to + 16, time.quarter_ns);
  store_le32(to + 20, 0);
  store_le64(to + 24, event);
}

bool valid(ByteSpan datagram, std::uint32_t magic) {
  return datagram.size() == kTriggerMessageSize && load_le32(datagram.data()) == magic &&
         datagram[4] == kMessageVersion && load_le32(datagram.data() + 16) < EventTime::kQuarters;
}

EventTime time_in(const std::uint8_t* p) { return {load_le32(p + 12), load_le32(p + 16)}; }

}  // namespace

void write_trigger_message(const TriggerMessage& m, std::uint8_t* to) {
  write_message(kTriggerMagic, static_cast<std::uint8_t>(m.type), m.end_of_run ? kEndOfRun : 0, m.run, m.time,
                m.event, to);
}

void write_busy_message(const BusyMessage& m, std::uint8_t* to) {
  write_message(kBusyMagic, m.busy ? 1 : 0, m.board, m.run, m.time, m.event, to);
}

std::optional<TriggerMessage> read_trigger_message(ByteSpan datagram) {
  if (!valid(datagram, kTriggerMagic)) return std::nullopt;
  const std::uint8_t* const p = datagram.data();
  return TriggerMessage{.type = static_cast<EventType>(p[5]),
                        .end_of_run = (load_le16(p + 6) & kEndOfRun) != 0,
                        .run = load_le32(p + 8),
                        .time = time_in(p),
                        .event = load_le64(p + 24)};
}

std::optional<BusyMessage> read_busy_message(ByteSpan datagram) {
  if (!valid(datagram, kBusyMagic) || datagram[5] > 1) return std::nullopt;
  const std::uint8_t* const p = datagram.data();
  return BusyMessage{.board = load_le16(p + 6),
                     .busy = p[5] == 1,
                     .run = load_le32(p + 8),
                     .time = time_in(p),
                     .event = load_le64(p + 24)};
}

bool TriggerOrder::accept(std::uint64_t event) {
  if (last_ && event <= *last_) {
    ++ignored_;
    return false;
  }
  lost_ += event - next();
  last_ = event;
  return true;
}

void TriggerOrder::end(std::uint64_t events) {
  if (events <= next()) return;
  lost_ += events - next();
  last_ = events - 1;
}

}  // namespace softfeb::detector
