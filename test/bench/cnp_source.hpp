// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/mempools.hpp"
#include "dataplane/tsc_clock.hpp"

#include <cstdint>
#include <vector>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::bench {

/// Time of a CNP since the start of the run, and its queue pair.
struct CnpOrder {
  Time after = 0;
  std::uint32_t qp = 0;
};

/// Provides CNPs at scheduled times. Single-threaded; checking costs one comparison.
class CnpSource {
 public:
  /// The pool belongs to `pools`, which must outlive this object.
  CnpSource(unsigned lcores, dataplane::Mempools& pools);

  /// Sets the schedule, in order of time relative to `began`.
  void begin(std::vector<CnpOrder> orders, Time began, const dataplane::TscClock& clock);

  /// Whether a CNP is due at counter value `tsc`.
  bool due(std::uint64_t tsc) const { return tsc >= next_tsc_; }
  /// The due CNP, owned by the caller; null without a free mbuf. Sets `qp` to its queue pair.
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
