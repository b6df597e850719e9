// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stamps.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::latency {

/// Selected messages whose receiver is notified only when their window or event closes. A group is a window
/// or event, identified by the lower 32 bits of its number. If there is no room for a new message, it
/// replaces the oldest one. If a message is added after its group has closed, it stays until a new message
/// replaces it.
///
/// Sans-I/O, not thread-safe; only the constructor allocates.
class WaitingMessages {
 public:
  static constexpr std::size_t kMost = 4096;

  WaitingMessages() : entries_(kMost), first_(kLists, kNone) {}

  /// Message `key` now waits until `group` closes.
  void add(MessageKey key, std::uint32_t group) {
    Entry& e = entries_[next_];
    if (e.key != 0) remove(next_);
    std::uint16_t& list = first_[group % kLists];
    e = {key, group, kNone, list};
    if (list != kNone) entries_[list].before = next_;
    list = next_;
    next_ = static_cast<std::uint16_t>((next_ + 1U) % kMost);
  }

  /// Call this when `group` closes. Calls `notify` with the key of each message in this group.
  template <typename Notify>
  void release(std::uint32_t group, Notify&& notify) {
    for (std::uint16_t i = first_[group % kLists]; i != kNone;) {
      const Entry e = entries_[i];
      if (e.group == group) {
        remove(i);
        notify(e.key);
      }
      i = e.behind;
    }
  }

 private:
  static constexpr std::size_t kLists = 1024;
  static constexpr std::uint16_t kNone = 0xffff;

  struct Entry {
    MessageKey key = 0;  ///< 0 if the entry is free
    std::uint32_t group = 0;
    std::uint16_t before = kNone, behind = kNone;  ///< neighbours in the entry's list (first_)
  };

  void remove(std::uint16_t i) {
    Entry& e = entries_[i];
    (e.before == kNone ? first_[e.group % kLists] : entries_[e.before].behind) = e.behind;
    if (e.behind != kNone) entries_[e.behind].before = e.before;
    e.key = 0;
  }

  std::vector<Entry> entries_;  ///< ring, in the order in which the messages were added
  /// First entry of each list; the index of a list is the group modulo kLists.
  std::vector<std::uint16_t> first_;
  std::uint16_t next_ = 0;  ///< entry for the next message
};

}  // namespace softfeb::latency
