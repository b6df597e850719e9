// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/qp_store.hpp"
#include "engine/qp_table.hpp"
#include "engine/timing_wheel.hpp"
#include "roce/psn.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::engine {

/// Responses of a burst whose queue pairs may lie anywhere: what dealing with one needs is fetched into the
/// cache while others are dealt with. Each step waits for what the one before it has fetched: places in the
/// table, then queue pairs, of all at once, since the pages they lie in are walked to side by side; then the
/// send queue of the next but one.
class ExpectedResponses {
 public:
  /// A response for `qpn` will come. More than kMost are not remembered.
  void add(roce::Qpn qpn, const QpTable& table) {
    if (count_ == kMost) return;
    table.prefetch(qpn);
    entries_[count_++] = {qpn, QpTable::kNotFound};
  }

  /// One has come; about which one nothing is assumed.
  void step(const QpTable& table, const QpStore& qps, const TimingWheel& timers) {
    if (count_ == 0) return;
    if (at_ == 0) find_all(table, qps, timers);
    prefetch_queue(at_ + 2, qps);
    if (++at_ == count_) clear();
  }

  /// No more will come of those.
  void clear() { count_ = at_ = 0; }

 private:
  static constexpr std::size_t kMost = 16;

  struct Entry {
    roce::Qpn qpn = 0;
    std::uint32_t index = QpTable::kNotFound;
  };

  void find_all(const QpTable& table, const QpStore& qps, const TimingWheel& timers) {
    for (std::size_t k = 0; k < count_; ++k) {
      Entry& e = entries_[k];
      e.index = table.find(e.qpn);
      if (e.index == QpTable::kNotFound) continue;
      qps[e.index].prefetch_response();
      timers.prefetch(e.index);
    }
  }
  void prefetch_queue(std::size_t k, const QpStore& qps) const {
    if (k < count_ && entries_[k].index != QpTable::kNotFound)
      qps[entries_[k].index].requester().prefetch_completing();
  }

  std::array<Entry, kMost> entries_{};
  std::size_t count_ = 0;
  std::size_t at_ = 0;  ///< how many have come
};

}  // namespace softfeb::engine
