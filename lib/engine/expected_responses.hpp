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

/// While the responses of a burst are processed, prefetches the data of the later responses, whose queue
/// pairs may be anywhere in memory. Each stage needs data that the previous stage has prefetched: first the
/// entries of the QPN table; then all queue pairs at once, so that their page walks proceed in parallel;
/// then, for each response, the send queue of the response two positions later.
class ExpectedResponses {
 public:
  /// Announces a response for `qpn`. Does nothing if kMost responses are already announced.
  void add(roce::Qpn qpn, const QpTable& table) {
    if (count_ == kMost) return;
    table.prefetch(qpn);
    entries_[count_++] = {qpn, QpTable::kNotFound};
  }

  /// Call before processing a response. The response need not have been announced.
  void step(const QpTable& table, const QpStore& qps, const TimingWheel& timers) {
    if (count_ == 0) return;
    if (at_ == 0) find_all(table, qps, timers);
    prefetch_queue(at_ + 2, qps);
    if (++at_ == count_) clear();
  }

  /// Discards the remaining announcements.
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
      qps.prefetch_behind(e.index);
      timers.prefetch(e.index);
    }
  }
  void prefetch_queue(std::size_t k, const QpStore& qps) const {
    if (k < count_ && entries_[k].index != QpTable::kNotFound)
      qps[entries_[k].index].requester().prefetch_completing();
  }

  std::array<Entry, kMost> entries_{};
  std::size_t count_ = 0;
  std::size_t at_ = 0;  ///< number of announced responses already processed
};

}  // namespace softfeb::engine
