// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/record_queue.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace softfeb::eventfile {

namespace {

constexpr std::size_t kWord = 8;

std::size_t padded(std::size_t size) { return (size + kWord - 1) / kWord * kWord; }

}  // namespace

RecordQueue::RecordQueue(std::size_t capacity)
    : mask_(std::bit_ceil(std::max<std::size_t>(capacity, 4096)) - 1),
      words_(std::make_unique<std::uint64_t[]>((mask_ + 1) / kWord)),
      bytes_(reinterpret_cast<std::uint8_t*>(words_.get())) {}

std::uint8_t* RecordQueue::reserve(std::size_t size, std::size_t spare) {
  if (size > capacity()) return nullptr;
  const std::size_t need = kWord + padded(size);
  std::uint64_t at = written_.load(std::memory_order_relaxed);
  const std::size_t to_end = capacity() - (at & mask_);
  const std::size_t skip = need > to_end ? to_end : 0;
  const std::uint64_t end = at + skip + need;
  if (end + spare - seen_read_ > capacity()) {
    seen_read_ = read_.load(std::memory_order_acquire);
    if (end + spare - seen_read_ > capacity()) return nullptr;
  }
  if (skip != 0) {
    std::memcpy(bytes_ + (at & mask_), &kWrap, kWord);
    at += skip;
  }
  const Size length = size;
  std::memcpy(bytes_ + (at & mask_), &length, kWord);
  reserved_to_ = end;
  if (end - seen_read_ > peak_.load(std::memory_order_relaxed))
    peak_.store(end - seen_read_, std::memory_order_relaxed);
  return bytes_ + (at & mask_) + kWord;
}

void RecordQueue::commit() { written_.store(reserved_to_, std::memory_order_release); }

std::span<const std::uint8_t> RecordQueue::front() {
  std::uint64_t at = read_.load(std::memory_order_relaxed);
  if (at == written_.load(std::memory_order_acquire)) return {};
  Size size = 0;
  std::memcpy(&size, bytes_ + (at & mask_), kWord);
  if (size == kWrap) {
    at += capacity() - (at & mask_);
    std::memcpy(&size, bytes_ + (at & mask_), kWord);
  }
  front_end_ = at + kWord + padded(size);
  return {bytes_ + (at & mask_) + kWord, size};
}

void RecordQueue::pop() { read_.store(front_end_, std::memory_order_release); }

}  // namespace softfeb::eventfile
