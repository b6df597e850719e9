// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "roce/payload.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace softfeb::roce {

/// A byte that was not what it should have been.
struct Mismatch {
  std::uint64_t message = 0;
  std::uint32_t offset = 0;  ///< within the message
  std::uint8_t got = 0;
  std::uint8_t want = 0;
};

/// Compares arriving payload with the stream it should come from, byte for byte. No allocation; the first
/// mismatches are remembered, all are counted. Not thread-safe.
class PayloadCheck {
 public:
  static constexpr std::size_t kRemembered = 8;

  /// `stream` outlives the check.
  explicit PayloadCheck(const PayloadStream& stream) : stream_(&stream) {}

  /// `bytes` arrived where `length` bytes of the stream from `stream_offset` should have, `message_offset`
  /// into message `message`. Bytes beyond `length` are wrong; bytes that did not come are not counted here.
  void check(std::uint64_t message, std::uint32_t message_offset, std::uint64_t stream_offset,
             std::uint32_t length, const Segments& bytes);

  /// The quick way of check(), which copies `bytes` to `to` (null: nowhere) on the way. False: not all of
  /// them are what should have come, or nothing is known of it, and check() is to count it; they may not have
  /// been copied.
  bool place(std::uint64_t stream_offset, ByteSpan bytes, std::uint8_t* to);

  std::uint64_t checked() const { return checked_; }  ///< bytes compared
  std::uint64_t wrong() const { return wrong_; }      ///< of them not equal, or beyond their place
  std::uint64_t unchecked() const {
    return unchecked_;
  }  ///< bytes for which the stream had nothing to compare
  std::span<const Mismatch> mismatches() const { return {mismatches_.data(), remembered_}; }

 private:
  void compare(ByteSpan got, const std::uint8_t* want, std::uint64_t message, std::uint32_t message_offset);

  const PayloadStream* stream_;
  std::uint64_t checked_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t unchecked_ = 0;
  std::size_t remembered_ = 0;
  std::array<Mismatch, kRemembered> mismatches_{};
};

}  // namespace softfeb::roce
