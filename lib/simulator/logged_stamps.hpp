// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stamps.hpp"
#include "simulator/event_loop.hpp"
#include "simulator/order.hpp"

#include <cstddef>
#include <vector>

namespace softfeb::simulator {

/// Records the times of messages in the parts of the network that one process simulates. Also records the
/// order of the events, so that the records of all parts can be merged.
class LoggedStamps final : public latency::Stamps {
 public:
  struct Entry {
    Order order;
    latency::MessageKey key = 0;
    Time at = 0;
    latency::Stage stage{};
  };

  explicit LoggedStamps(std::uint32_t sample) : Stamps(latency::Sampling(sample)) {}

  void put(latency::MessageKey key, latency::Stage stage, Time at) override {
    if (loop_ != nullptr) logs_[part_].push_back({loop_->order(), key, at, stage});
  }
  Time clock(Time now) override { return now; }

  /// Selects the part to which the following records belong. `loop` must be the event loop of part `part` of
  /// this process. Call this function before `loop` runs.
  void select(std::size_t part, const EventLoop& loop) {
    if (part >= logs_.size()) logs_.resize(part + 1);
    part_ = part;
    loop_ = &loop;
  }
  /// Returns the records of each part of this process. The caller clears them.
  std::vector<std::vector<Entry>>& logs() { return logs_; }

 private:
  const EventLoop* loop_ = nullptr;
  std::size_t part_ = 0;
  std::vector<std::vector<Entry>> logs_;
};

}  // namespace softfeb::simulator
