// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>

namespace softfeb::engine {

/// Stores values shared by many queue pairs once each, at a stable address. `Key` must be ordered; `Value` is
/// constructed from it and `args`.
template <typename Key, typename Value>
class Interned {
 public:
  template <typename... Args>
  Value* keep(const Key& key, const Args&... args) {
    // Most keys equal the previous one.
    if (last_ != nullptr && last_->first == key) return &last_->second;
    auto it = values_.find(key);
    if (it == values_.end()) it = values_.try_emplace(key, key, args...).first;
    last_ = &*it;
    return &last_->second;
  }

  /// Approximate memory in bytes.
  std::size_t memory() const { return values_.size() * (sizeof(std::pair<const Key, Value>) + kNode); }

 private:
  static constexpr std::size_t kNode = 48;  ///< overhead of a map node and its allocation

  std::map<Key, Value> values_;
  std::pair<const Key, Value>* last_ = nullptr;
};

}  // namespace softfeb::engine
