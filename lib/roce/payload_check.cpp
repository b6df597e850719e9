// SPDX-License-Identifier: BSD-3-Clause
#include "roce/payload_check.hpp"

#include "roce/copy_compare.hpp"

#include <algorithm>
#include <cstring>

namespace softfeb::roce {

void PayloadCheck::check(std::uint64_t message, std::uint32_t message_offset, std::uint64_t stream_offset,
                         std::uint32_t length, const Segments& bytes) {
  const std::size_t inside = std::min<std::size_t>(length, bytes.size());
  const std::size_t beyond = bytes.size() - inside;
  const std::uint8_t* want =
      inside == 0 ? nullptr : stream_->bytes(stream_offset, static_cast<std::uint32_t>(inside));
  checked_ += beyond;
  wrong_ += beyond;
  if (want == nullptr) {
    unchecked_ += inside;
    return;
  }
  checked_ += inside;
  std::size_t at = 0;
  bytes.for_each([&](ByteSpan part) {
    const ByteSpan got = part.first(std::min(part.size(), inside - at));
    compare(got, want + at, message, static_cast<std::uint32_t>(message_offset + at));
    at += got.size();
  });
}

bool PayloadCheck::place(std::uint64_t stream_offset, ByteSpan bytes, std::uint8_t* to) {
  const std::uint8_t* const want = stream_->bytes(stream_offset, static_cast<std::uint32_t>(bytes.size()));
  if (want == nullptr || !copy_and_compare(to, bytes.data(), want, bytes.size())) return false;
  checked_ += bytes.size();
  return true;
}

void PayloadCheck::compare(ByteSpan got, const std::uint8_t* want, std::uint64_t message,
                           std::uint32_t message_offset) {
  if (got.empty() || std::memcmp(got.data(), want, got.size()) == 0) return;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i]) continue;
    ++wrong_;
    if (remembered_ == kRemembered) continue;
    mismatches_[remembered_++] = {message, static_cast<std::uint32_t>(message_offset + i), got[i], want[i]};
  }
}

}  // namespace softfeb::roce
