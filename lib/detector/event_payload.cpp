// SPDX-License-Identifier: BSD-3-Clause
#include "detector/event_payload.hpp"

#include "roce/icrc.hpp"

#include <algorithm>
#include <cstring>

namespace softfeb::detector {

std::uint32_t EventPayload::crc(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                                std::uint32_t length) const {
  const std::uint8_t* const at = bytes(event, board, offset, length);
  return at == nullptr ? 0 : roce::crc32(0, ByteSpan(at, length));
}

PayloadDifference compare_payload(const EventPayload& expected, const EventHeader& header, ByteSpan payload) {
  const EventPayload::Shape& shape = expected.shape();
  PayloadDifference out;
  out.kind =
      header.kind != shape.kind || header.channels != shape.channels || header.samples != shape.samples;
  const std::uint32_t total = std::min(expected.size(header.event, header.board), shape.largest);
  out.total = header.total != total;
  const auto length = static_cast<std::uint32_t>(payload.size());
  const std::uint32_t known = header.offset >= total ? 0 : std::min(length, total - header.offset);
  out.bytes = length - known;
  if (known == 0) return out;
  const std::uint8_t* const want = expected.bytes(header.event, header.board, header.offset, known);
  if (want == nullptr) {
    out.bytes = length;
  } else if (std::memcmp(want, payload.data(), known) != 0) {
    for (std::uint32_t i = 0; i < known; ++i) out.bytes += payload[i] != want[i] ? 1 : 0;
  }
  return out;
}

}  // namespace softfeb::detector
