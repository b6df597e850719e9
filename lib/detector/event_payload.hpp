// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/event_header.hpp"

#include <cstdint>

namespace softfeb::detector {

/// Event data of all boards of a detector. The bytes depend only on the event and the board. A receiver that
/// uses this object, or an object with the same configuration, can therefore predict every byte. One object
/// serves all boards and receivers. After its construction, any number of threads may use it; no call
/// allocates memory.
class EventPayload {
 public:
  struct Shape {
    PayloadKind kind = PayloadKind::kCounter;
    std::uint16_t channels = 0;
    std::uint16_t samples = 0;
    std::uint16_t flags = 0;             ///< bits of EventFlag: kSuppressed or 0
    std::uint32_t piece = 8 * 1024;      ///< EventLayout::piece; CRCs are prepared for pieces of this size
    std::uint32_t largest = UINT32_MAX;  ///< EventLayout::largest(); longer data are truncated
  };

  explicit EventPayload(const Shape& shape) : shape_(shape) {}
  virtual ~EventPayload() = default;

  const Shape& shape() const { return shape_; }

  /// Size of the board's data in bytes, before they are truncated.
  virtual std::uint32_t size(std::uint64_t event, std::uint32_t board) const = 0;
  /// Returns the bytes [offset, offset + length) of the board's data, or null if this object does not contain
  /// them. The range must be within size(); beyond it, the result is not always null. The bytes remain valid
  /// and unchanged as long as this object exists.
  virtual const std::uint8_t* bytes(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                                    std::uint32_t length) const = 0;
  /// CRC-32 of the bytes that bytes() returns for these arguments; 0 if bytes() returns null. Derived classes
  /// prepare the CRCs of whole pieces; any other CRC is computed in each call.
  virtual std::uint32_t crc(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                            std::uint32_t length) const;

 private:
  Shape shape_;
};

/// Describes how a received payload differs from the prediction.
struct PayloadDifference {
  bool kind = false;        ///< the kind, the number of channels or the number of samples differs
  bool total = false;       ///< the total length differs
  std::uint32_t bytes = 0;  ///< number of bytes that are wrong or should not be there

  bool any() const { return kind || total || bytes != 0; }
};

/// Compares a payload that passed read_event_header_only() with `expected`, byte by byte.
PayloadDifference compare_payload(const EventPayload& expected, const EventHeader& header, ByteSpan payload);

}  // namespace softfeb::detector
