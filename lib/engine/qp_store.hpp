// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/block.hpp"
#include "base/prefetch.hpp"
#include "engine/send_qp.hpp"

#include <cstddef>
#include <map>
#include <memory_resource>
#include <new>
#include <span>
#include <utility>

namespace softfeb::engine {

/// Stores each value shared by many queue pairs once, at a stable address. `Key` must be ordered; `Value` is
/// constructed from the key and `args`.
template <typename Key, typename Value>
class Interned {
 public:
  template <typename... Args>
  Value* intern(const Key& key, const Args&... args) {
    // Consecutive queue pairs usually have equal keys, so compare with the previous key first.
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

/// Stores a board's queue pairs with their congestion controls, send queues and pacers, contiguously in one
/// memory block. Shared configuration is stored only once.
///
/// A congestion control that is not shared is stored directly after its queue pair, and is followed by the
/// FlightTracker, so that a packet touches fewer pages. If there are more queue pairs than TLB entries, each
/// additional page costs as much as one or two cache misses.
class QpStore {
 public:
  /// Allocates memory from `from` for one queue pair per element of `qps`, and for `more` queue pairs with
  /// the configuration `like`. `from` must outlive the store. Queue pairs with the same congestion_group
  /// share one congestion control.
  QpStore(std::span<const SendQpConfig> qps, std::size_t more, const SendQpConfig& like,
          std::pmr::memory_resource* from);
  QpStore(const QpStore&) = delete;
  QpStore& operator=(const QpStore&) = delete;
  ~QpStore();

  /// Adds the next queue pair. `control` may be null. `shared` contains what the queue pair shares with
  /// others; only its members cc_port, flight and posted are used.
  SendQp& add(const SendQpConfig& config, congestion::CongestionControl* control,
              const SendQpDeps& shared = {});
  /// Constructs the congestion control of the next queue pair to be added. If this queue pair is the first of
  /// a group, the whole group shares the result, so do not call this function for the other queue pairs of
  /// the group. Returns null if `config` selects no congestion control.
  congestion::CongestionControl* add_control(const SendQpConfig& config);

  /// True if any queue pair of the store may have a FlightTracker.
  bool tracked() const { return tracker_offset_ != stride_; }
  /// Prefetches the congestion control and FlightTracker stored after queue pair `i`. Does nothing if a
  /// packet uses only the first two cache lines, because SendQp prefetches these.
  void prefetch_behind(std::size_t i) const {
    if (lines_behind_ != 0) prefetch(place(i) + sizeof(SendQp), lines_behind_);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  SendQp& operator[](std::size_t i) { return *std::launder(reinterpret_cast<SendQp*>(place(i))); }
  const SendQp& operator[](std::size_t i) const { return *std::launder(reinterpret_cast<SendQp*>(place(i))); }
  SendQp& back() { return (*this)[size_ - 1]; }

  /// Total memory in bytes.
  std::size_t memory() const {
    return block_.size() + requesters_.memory() + traffics_.memory() + timed_bytes_;
  }

 private:
  /// Sizes in bytes, and the number of queue pairs (`count`).
  struct Sizes {
    std::size_t count = 0;
    std::size_t own_control = 0;  ///< largest congestion control that is not shared
    std::size_t tracker = 0;      ///< size of a FlightTracker; 0 if no queue pair needs one
    bool long_control = false;    ///< packets use more than the first two lines of a congestion control
    std::size_t shared_controls = 0;
    std::size_t queues = 0;
    std::size_t pacers = 0;

    std::size_t stride() const { return sizeof(SendQp) + own_control + tracker; }
    std::size_t sum() const;
  };
  static Sizes sizes_of(std::span<const SendQpConfig> qps, std::size_t more, const SendQpConfig& like);

  QpStore(const Sizes& sizes, std::pmr::memory_resource* from);

  std::byte* place(std::size_t i) const { return qps_ + i * stride_; }

  Block block_;
  Interned<roce::RequesterConfig, roce::RequesterSettings> requesters_;
  Interned<TrafficConfig, TrafficSettings> traffics_;
  /// Total size of the MessageTimes and TrafficSettings of queue pairs with random message lengths or
  /// arrivals.
  std::size_t timed_bytes_ = 0;
  std::size_t size_ = 0;
  std::size_t stride_;          ///< distance between queue pairs in bytes
  std::size_t tracker_offset_;  ///< offset from a queue pair to its FlightTracker
  unsigned lines_behind_;       ///< cache lines that prefetch_behind() fetches
  std::byte* qps_;
  std::byte* shared_controls_;
  std::byte* next_shared_;
  std::byte* next_queue_;
  Pacer* next_pacer_;
};

}  // namespace softfeb::engine
