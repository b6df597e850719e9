// SPDX-License-Identifier: BSD-3-Clause
#include "board/app_tx.hpp"

#include <algorithm>
#include <cstring>

namespace softfeb::board {
namespace {

constexpr std::size_t kWord = 8;

void store_word(std::uint8_t* p, std::uint64_t value) { std::memcpy(p, &value, sizeof value); }

}  // namespace

void AppTx::begin() {
  last_word_ = frame_size_ != 0 ? frame_size_ - 1 : 0;
  // In continuous mode, a burst requested by send_frames() stays pending.
  last_frame_ = continuous_ ? 0 : send_frames_ - 1;
  if (!continuous_) send_frames_ = 0;
  moving_ = true;
}

AppTx::Filled AppTx::fill(MutableByteSpan out) {
  if (!ready() || out.size() < kWord) return {};
  if (!moving_) begin();
  const std::uint64_t left = std::uint64_t{last_word_} - word_count_ + 1;
  const std::size_t words = static_cast<std::size_t>(std::min<std::uint64_t>(out.size() / kWord, left));
  for (std::size_t i = 0; i < words; ++i) store_word(&out[i * kWord], word_count_ + i);
  if (word_count_ == 0) store_word(out.data(), frame_count_);
  const bool last = words == left;
  word_count_ = last ? 0 : word_count_ + static_cast<std::uint32_t>(words);
  if (last) {
    moving_ = frame_count_ != last_frame_;
    frame_count_ = moving_ ? frame_count_ + 1 : 0;
  }
  return {words * kWord, last};
}

}  // namespace softfeb::board
