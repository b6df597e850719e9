// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "roce/payload.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace softfeb::roce {

/// A received byte that differs from the expected one.
struct Mismatch {
  std::uint64_t message = 0;
  std::uint32_t offset = 0;  ///< byte offset in the message
  std::uint8_t got = 0;
  std::uint8_t want = 0;
};

/// Compares received payload with the expected stream, byte by byte. Counts all mismatches and stores the
/// first kRemembered. Does not allocate. Not thread-safe.
class PayloadCheck {
 public:
  static constexpr std::size_t kRemembered = 8;

  /// `stream` must outlive the check.
  explicit PayloadCheck(const PayloadStream& stream) : stream_(&stream) {}

  /// Compares `bytes`, received at offset `message_offset` of message `message`, with `length` bytes of the
  /// stream starting at `stream_offset`. Bytes beyond `length` count as wrong; missing bytes are not counted.
  void check(std::uint64_t message, std::uint32_t message_offset, std::uint64_t stream_offset,
             std::uint32_t length, const Segments& bytes);

  /// Fast path of check() that also copies `bytes` to `to`, unless `to` is null. Returns false if `bytes`
  /// differ from the stream, or if the stream cannot provide the expected bytes. In both cases, nothing is
  /// counted, and it is undefined whether `bytes` have been copied. The caller must then copy them and call
  /// check().
  bool place(std::uint64_t stream_offset, ByteSpan bytes, std::uint8_t* to);

  /// These two functions are for callers that compare received bytes themselves. expected() returns the
  /// `length` bytes of the stream at `stream_offset`, or null if the stream cannot provide them. If all bytes
  /// are equal, call count_equal(); otherwise, call check().
  const std::uint8_t* expected(std::uint64_t stream_offset, std::uint32_t length) const {
    return stream_->bytes(stream_offset, length);
  }
  void count_equal(std::size_t bytes) { checked_ += bytes; }

  /// Number of bytes compared, including those beyond the expected length.
  std::uint64_t checked() const { return checked_; }
  /// Number of bytes that differ or lie beyond the expected length.
  std::uint64_t wrong() const { return wrong_; }
  /// Number of bytes that the stream could not provide.
  std::uint64_t unchecked() const { return unchecked_; }
  std::span<const Mismatch> mismatches() const { return {mismatches_.data(), remembered_}; }

  /// Copies the results to or from another process (base/archive.hpp).
  template <class Archive>
  void archive(Archive& a) {
    a.item(checked_);
    a.item(wrong_);
    a.item(unchecked_);
    a.item(remembered_);
    a.item(mismatches_);
  }

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
