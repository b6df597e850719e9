// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/block.hpp"
#include "engine/interned.hpp"
#include "engine/send_qp.hpp"

#include <cstddef>
#include <memory_resource>
#include <new>
#include <span>

namespace softfeb::engine {

/// A board's queue pairs, with all that belongs to each of them: congestion controls, send queues, pacers.
/// They lie in one piece of memory without anything between them, and what they have in common is kept once.
///
/// A queue pair has its congestion control behind it: where there are more of them than a TLB knows pages of,
/// each further page that a packet touches costs as much as a further cache line or two.
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
  /// The congestion control of the queue pair that is added next, or of the group that it is the first of;
  /// null for none.
  dcqcn::CongestionControl* add_control(const SendQpConfig& config);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  SendQp& operator[](std::size_t i) { return *std::launder(reinterpret_cast<SendQp*>(place(i))); }
  const SendQp& operator[](std::size_t i) const { return *std::launder(reinterpret_cast<SendQp*>(place(i))); }
  SendQp& back() { return (*this)[size_ - 1]; }

  /// Bytes that all of it takes.
  std::size_t memory() const { return block_.size() + requesters_.memory() + traffics_.memory(); }

 private:
  /// Bytes of each kind.
  struct Sizes {
    std::size_t count = 0;
    std::size_t own_control = 0;  ///< of the largest that is not shared
    std::size_t shared_controls = 0;
    std::size_t queues = 0;
    std::size_t pacers = 0;

    std::size_t stride() const { return sizeof(SendQp) + own_control; }
    std::size_t sum() const;
  };
  static Sizes sizes_of(std::span<const SendQpConfig> qps, std::size_t more, const SendQpConfig& like);

  QpStore(const Sizes& sizes, std::pmr::memory_resource* from);

  std::byte* place(std::size_t i) const { return qps_ + i * stride_; }

  Block block_;
  Interned<roce::RequesterConfig, roce::RequesterProfile> requesters_;
  Interned<TrafficConfig, TrafficProfile> traffics_;
  std::size_t size_ = 0;
  std::size_t stride_;  ///< from queue pair to queue pair
  std::byte* qps_;
  std::byte* shared_controls_;
  std::byte* next_shared_;
  std::byte* next_queue_;
  Pacer* next_pacer_;
};

}  // namespace softfeb::engine
