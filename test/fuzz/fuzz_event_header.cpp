// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: decodes arbitrary bytes as a message with an event header, as a payload of each kind, and as
// trigger and busy messages. The first byte selects which fields of the header are made valid.
#include "detector/event_header.hpp"
#include "detector/payload_pools.hpp"
#include "detector/trigger_message.hpp"
#include "input.hpp"
#include "roce/icrc.hpp"

#include <algorithm>
#include <array>
#include <vector>

using namespace softfeb;
using namespace softfeb::detector;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr std::uint8_t kFixStart = 1, kFixCrc = 2, kFixSizes = 4, kFixPayload = 8;

void repair(std::vector<std::uint8_t>& message, std::uint8_t how) {
  if (message.size() < kEventHeaderSize) return;
  std::uint8_t* const p = message.data();
  if ((how & kFixStart) != 0) {
    store_le32(p, kEventMagic);
    p[4] = kEventVersion;
    p[5] = kEventHeaderSize / 4;
  }
  if ((how & kFixSizes) != 0) {
    store_le32(p + 28, load_le32(p + 28) % EventTime::kQuarters);
    store_le32(p + 32, static_cast<std::uint32_t>(message.size() - kEventHeaderSize));
    store_le32(p + 40, load_le32(p + 36) % 1000 + load_le32(p + 32));
    store_le32(p + 36, load_le32(p + 36) % 1000);
  }
  if ((how & kFixPayload) != 0)
    store_le32(p + 56, roce::crc32(0, ByteSpan(message).subspan(kEventHeaderSize)));
  if ((how & kFixCrc) != 0) store_le32(p + 60, roce::crc32(0, ByteSpan(message).first(60)));
}

const PayloadPool& pool() {
  static const auto kPool =
      make_camera_pool({.camera = {.boards = 2, .channels = 3, .samples = 9, .images = 2},
                        .kind = PayloadKind::kRoi,
                        .suppression = {420, 1},
                        .boards = {0, 2}});
  return *kPool;
}

void check_message(ByteSpan message) {
  EventHeader header;
  const HeaderVerdict verdict = read_event_header(message, header);
  require(to_string(verdict) != nullptr);
  if (verdict != HeaderVerdict::kOk) return;
  std::array<std::uint8_t, kEventHeaderSize> again{};
  write_event_header(header, again.data());
  require(std::equal(again.begin(), again.end(), message.begin()));
  const ByteSpan payload = message.subspan(kEventHeaderSize);
  require(compare_payload(pool(), header, payload).bytes <= payload.size());
}

void check_payload(ByteSpan payload, std::uint16_t channels, std::uint16_t samples) {
  std::vector<std::uint16_t> out(std::size_t{channels} * samples);
  for (std::uint8_t kind = 0; kind < 7; ++kind)
    decode_waveforms(static_cast<PayloadKind>(kind), payload, channels, samples, out.data());
}

void check_trigger_messages(ByteSpan datagram) {
  std::array<std::uint8_t, kTriggerMessageSize> again{};
  if (const auto trigger = read_trigger_message(datagram)) {
    write_trigger_message(*trigger, again.data());
    require(read_trigger_message(again) == trigger);
  }
  if (const auto busy = read_busy_message(datagram)) {
    write_busy_message(*busy, again.data());
    require(read_busy_message(again) == busy);
  }
}

/// Checks `datagram` again, with a valid magic number, version and type in place of its own.
void check_repaired_trigger_message(ByteSpan datagram, bool busy) {
  std::array<std::uint8_t, kTriggerMessageSize> message{};
  if (datagram.size() < message.size()) return;
  std::copy_n(datagram.begin(), message.size(), message.begin());
  std::copy_n(busy ? "SFBY\1\1" : "SFTR\1\1", 6, message.begin());
  check_trigger_messages(message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const std::uint8_t how = in.byte();
  const auto channels = static_cast<std::uint16_t>(in.size(8)),
             samples = static_cast<std::uint16_t>(in.size(8));
  const ByteSpan rest = in.bytes(size);
  check_payload(rest, channels, samples);
  check_trigger_messages(rest);
  check_repaired_trigger_message(rest, how % 2 == 0);
  std::vector<std::uint8_t> message(rest.begin(), rest.end());
  repair(message, how);
  check_message(message);
  return 0;
}
