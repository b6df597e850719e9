// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/mempools.hpp"
#include "dataplane/tsc_clock.hpp"

#include <cstdint>
#include <vector>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::bench {

/// When a CNP is to come, from the start of the run on, and for which queue pair.
struct CnpOrder {
  Time after = 0;
  std::uint32_t qp = 0;
};

/// CNPs at the times they were ordered for. One thread; to ask costs a comparison.
class CnpSource {
 public:
  /// The pool is one of `pools`, which outlives it.
  CnpSource(unsigned lcores, dataplane::Mempools& pools);

  /// From now on these, in order of their times, which count from `began`.
  void begin(std::vector<CnpOrder> orders, Time began, const dataplane::TscClock& clock);

  /// Whether one is due when the counter says `tsc`.
  bool due(std::uint64_t tsc) const { return tsc >= next_tsc_; }
  /// The one that is due, the caller's from then on; null when there is no mbuf. `qp`: whose it is.
  rte_mbuf* take(std::uint32_t& qp);

 private:
  void await();

  rte_mempool* pool_;
  const dataplane::TscClock* clock_ = nullptr;
  std::vector<CnpOrder> orders_;
  std::size_t next_ = 0;
  std::uint64_t next_tsc_ = UINT64_MAX;
  Time began_ = 0;
};

}  // namespace softfeb::bench
