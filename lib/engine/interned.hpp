// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>

namespace softfeb::engine {

/// Values that many queue pairs have in common, each kept once, at a place that stays. `Key` has an order,
/// and `Value` is made of it where it is new.
template <typename Key, typename Value>
class Interned {
 public:
  template <typename... Args>
  Value* keep(const Key& key, const Args&... args) {
    // Most are like the one before.
    if (last_ != nullptr && last_->first == key) return &last_->second;
    auto it = values_.find(key);
    if (it == values_.end()) it = values_.try_emplace(key, key, args...).first;
    last_ = &*it;
    return &last_->second;
  }

  /// Bytes that they take, about.
  std::size_t memory() const { return values_.size() * (sizeof(std::pair<const Key, Value>) + kNode); }

 private:
  static constexpr std::size_t kNode = 48;  ///< of the map, and of the allocator

  std::map<Key, Value> values_;
  std::pair<const Key, Value>* last_ = nullptr;
};

}  // namespace softfeb::engine
