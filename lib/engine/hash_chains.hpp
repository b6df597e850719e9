// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/ip.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::engine {

inline std::uint64_t hash_of(const roce::IpAddress& ip) {
  const std::uint64_t a = load_be64(&ip.bytes[0]);
  const std::uint64_t b = load_be64(&ip.bytes[8]);
  return (((a * 31) ^ b) * 0x9e3779b97f4a7c15ULL) >> 32;
}

/// Finds entries of an external array by a hash of their key. Each bucket is a chain of indices; there are at
/// least as many buckets as entries. Only reserve() allocates memory.
class HashChains {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit HashChains(std::size_t entries = 0) { reserve(entries); }

  /// Removes all entries and makes room for `entries` entries.
  void reserve(std::size_t entries) {
    next_.assign(entries, kNone);
    buckets_.assign(std::bit_ceil(std::max<std::size_t>(entries, 1)), kNone);
  }
  std::size_t room() const { return next_.size(); }

  void insert(std::uint64_t hash, std::uint32_t i) {
    std::uint32_t& first = bucket(hash);
    next_[i] = first;
    first = i;
  }

  /// Entry `i` must have been inserted with this hash.
  void erase(std::uint64_t hash, std::uint32_t i) {
    std::uint32_t* at = &bucket(hash);
    while (*at != i) at = &next_[*at];
    *at = next_[i];
  }

  /// Returns an entry for which `is` returns true; kNone if there is none. Calls `is` for the entries in the
  /// bucket of this hash. Entries with other hashes may be in the same bucket.
  template <typename Is>
  std::uint32_t find(std::uint64_t hash, Is&& is) const {
    std::uint32_t i = buckets_[hash & (buckets_.size() - 1)];
    while (i != kNone && !is(i)) i = next_[i];
    return i;
  }

 private:
  std::uint32_t& bucket(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }

  std::vector<std::uint32_t> next_;     ///< indexed by entry
  std::vector<std::uint32_t> buckets_;  ///< first entry of each chain; the size is a power of two
};

}  // namespace softfeb::engine
