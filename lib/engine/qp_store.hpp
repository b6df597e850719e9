// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/block.hpp"
#include "engine/interned.hpp"
#include "engine/send_qp.hpp"

#include <cstddef>
#include <memory_resource>
#include <span>

namespace softfeb::engine {

/// A board's queue pairs, with all that belongs to each of them: send queues, congestion controls, pacers.
/// They lie in one piece of memory without anything between them, and what they have in common is kept once.
class QpStore {
 public:
  /// For one queue pair of each of `qps`, and `more` like `like`; `from` outlives it. Configurations name a
  /// congestion_group for a control that several share: for each group one is made.
  QpStore(std::span<const SendQpConfig> qps, std::size_t more, const SendQpConfig& like,
          std::pmr::memory_resource* from);
  QpStore(const QpStore&) = delete;
  QpStore& operator=(const QpStore&) = delete;
  ~QpStore();

  /// The next queue pair; `control` may be null.
  SendQp& add(const SendQpConfig& config, dcqcn::CongestionControl* control);
  /// A congestion control; null for none.
  dcqcn::CongestionControl* add_control(const CongestionProfile& profile);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  SendQp& operator[](std::size_t i) { return qps_[i]; }
  const SendQp& operator[](std::size_t i) const { return qps_[i]; }
  SendQp& back() { return qps_[size_ - 1]; }
  SendQp* begin() { return qps_; }
  SendQp* end() { return qps_ + size_; }

  /// Bytes that all of it takes.
  std::size_t memory() const { return block_.size() + requesters_.memory() + traffics_.memory(); }

 private:
  /// Bytes of each kind.
  struct Sizes {
    std::size_t qps = 0;
    std::size_t controls = 0;
    std::size_t queues = 0;
    std::size_t pacers = 0;

    std::size_t sum() const;
  };
  static Sizes sizes_of(std::span<const SendQpConfig> qps, std::size_t more, const SendQpConfig& like);

  QpStore(const Sizes& sizes, std::pmr::memory_resource* from);

  Block block_;
  Interned<roce::RequesterConfig, roce::RequesterProfile> requesters_;
  Interned<TrafficConfig, TrafficProfile> traffics_;
  std::size_t size_ = 0;
  SendQp* qps_;
  std::byte* controls_;
  std::byte* next_control_;
  std::byte* next_queue_;
  Pacer* next_pacer_;
};

}  // namespace softfeb::engine
