// SPDX-License-Identifier: BSD-3-Clause
#include "roce/window_map.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace softfeb::roce {

namespace {

const WindowMapConfig& checked_windows(const WindowMapConfig& c) {
  if (c.streams == 0 || c.depth == 0 || c.depth > c.ring)
    throw std::invalid_argument("a window map needs streams, and a depth of 1 to the size of its ring");
  return c;
}

constexpr std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

const char* name_of(WindowStatus status) {
  static constexpr std::array<const char*, 4> kNames{"full", "gap", "forced", "end"};
  return kNames[static_cast<std::size_t>(status)];
}

WindowMap::WindowMap(const WindowMapConfig& config, WindowConsumer* consumer,
                     std::pmr::memory_resource* memory)
    : config_(checked_windows(config)),
      consumer_(consumer),
      words_((std::size_t{config.streams} + 63) / 64),
      next_(config.streams, memory),
      bits_(config.ring * words_, memory),
      present_(config.ring, memory),
      lost_(config.streams, Lost{}, memory),
      ranges_(config.streams * config.ranges_per_stream, MessageMap::Range{}, memory) {}

std::size_t WindowMap::memory_bytes(const WindowMapConfig& c) {
  const std::size_t words = (std::size_t{c.streams} + 63) / 64;
  const std::size_t stream =
      sizeof(std::uint64_t) + sizeof(Lost) + c.ranges_per_stream * sizeof(MessageMap::Range);
  return c.ring * (words * sizeof(std::uint64_t) + sizeof(std::uint32_t)) + c.streams * stream;
}

WindowVerdict WindowMap::message(Time now, std::uint32_t stream, std::uint32_t immediate, std::uint32_t bytes,
                                 std::optional<std::uint64_t> packet_index) {
  ++counters_.messages;
  std::uint64_t& next = next_[stream];
  const auto n = unwrap_counter(immediate - config_.first_immediate, next);
  if (!n || distance(*n, next) > config_.max_jump) {
    ++counters_.wrong_immediate;
    return WindowVerdict::kWrongImmediate;
  }
  if (packet_index && config_.packets_per_message != 0)
    counters_.inconsistent += *packet_index / config_.packets_per_message != *n;
  next = std::max(next, *n + 1);
  if (*n < base_) {
    ++counters_.late;
    return WindowVerdict::kLate;
  }
  if (*n - base_ >= config_.ring) close_until(now, *n - config_.ring + 1, WindowStatus::kForced);
  std::uint64_t& word = bitmap(*n)[stream / 64];
  const std::uint64_t bit = std::uint64_t{1} << (stream % 64);
  if ((word & bit) != 0) {
    ++counters_.duplicate_messages;
    return WindowVerdict::kDuplicate;
  }
  word |= bit;
  ++present_[place(*n)];
  end_ = std::max(end_, *n + 1);
  ++counters_.marked;
  counters_.goodput_bytes += bytes;
  while (base_ + config_.depth < end_ || whole(base_)) close_base(now, WindowStatus::kGap);
  return WindowVerdict::kMarked;
}

void WindowMap::finish(Time now, std::uint64_t sent) {
  const std::uint64_t end = std::max(sent, end_);
  if (end > base_) close_until(now, end, WindowStatus::kEnd);
}

/// Closes all windows before `end`. Windows from end_ on have received no messages, so they are closed
/// together.
void WindowMap::close_until(Time now, std::uint64_t end, WindowStatus status) {
  while (base_ < end && base_ < end_) {
    if (present_[place(base_)] != 0) {
      close_base(now, status);
      continue;
    }
    std::uint64_t empty = base_ + 1;
    while (empty < end && empty < end_ && present_[place(empty)] == 0) ++empty;
    close_empty(now, empty, status);
  }
  if (base_ < end) close_empty(now, end, status);
}

std::uint64_t& WindowMap::count_of(WindowStatus status) {
  switch (status) {
    case WindowStatus::kFull:
      return counters_.full;
    case WindowStatus::kGap:
      return counters_.gap;
    case WindowStatus::kForced:
      return counters_.forced;
    case WindowStatus::kEnd:
      break;
  }
  return counters_.end;
}

/// Closes the oldest open window with `status`, or with kFull if the messages of all streams have arrived.
void WindowMap::close_base(Time now, WindowStatus status) {
  if (whole(base_)) status = WindowStatus::kFull;
  ++count_of(status);
  std::uint64_t* const bits = bitmap(base_);
  std::uint32_t& present = present_[place(base_)];
  counters_.missing += config_.streams - present;
  for (std::size_t w = 0; w < words_ && present != config_.streams; ++w) {
    const std::uint32_t first = static_cast<std::uint32_t>(w) * 64;
    const std::uint32_t valid = std::min<std::uint32_t>(64, config_.streams - first);
    std::uint64_t absent = ~bits[w];
    if (valid < 64) absent &= (std::uint64_t{1} << valid) - 1;
    for (; absent != 0; absent &= absent - 1)
      lose(first + static_cast<std::uint32_t>(std::countr_zero(absent)), base_, base_);
  }
  if (consumer_ != nullptr) consumer_->closed({base_, base_, status, now, {bits, words_}});
  std::fill_n(bits, words_, 0);
  present = 0;
  ++base_;
}

/// Closes the windows before `end`, none of which has received a message.
void WindowMap::close_empty(Time now, std::uint64_t end, WindowStatus status) {
  const std::uint64_t windows = end - base_;
  count_of(status) += windows;
  counters_.missing += windows * config_.streams;
  for (std::uint32_t s = 0; s < config_.streams; ++s) lose(s, base_, end - 1);
  if (consumer_ != nullptr) consumer_->closed({base_, end - 1, status, now, {bitmap(base_), words_}});
  base_ = end;
}

void WindowMap::lose(std::uint32_t stream, std::uint64_t first, std::uint64_t last) {
  Lost& lost = lost_[stream];
  MessageMap::Range* const ranges = ranges_.data() + stream * config_.ranges_per_stream;
  if (lost.unlisted == 0 && lost.ranges != 0 && ranges[lost.ranges - 1].last + 1 == first) {
    ranges[lost.ranges - 1].last = last;
  } else if (lost.unlisted == 0 && lost.ranges < config_.ranges_per_stream) {
    ranges[lost.ranges++] = {first, last};
  } else {
    lost.unlisted += last - first + 1;
  }
}

std::span<const MessageMap::Range> WindowMap::missing(std::uint32_t stream) const {
  return {ranges_.data() + stream * config_.ranges_per_stream, lost_[stream].ranges};
}

}  // namespace softfeb::roce
