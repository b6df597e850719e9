// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// Flow counters, keyed by (source, destination, QPN). The number of flows is limited; packets of further
/// flows are counted only in the port counters. Flows never expire.
class FlowTable {
 public:
  explicit FlowTable(std::size_t flows);

  /// Returns the index of a flow, and adds the flow if it is new. Returns kNoFlow if the flow is new and the
  /// table is full.
  std::uint32_t find(std::uint32_t source, std::uint32_t destination, std::uint32_t qpn);

  /// Maximum number of flows.
  std::size_t limit() const { return limit_; }
  FlowSnapshot& operator[](std::uint32_t flow) { return flows_[flow]; }
  const FlowSnapshot& at(std::uint32_t flow) const { return flows_[flow]; }
  const std::vector<FlowSnapshot>& all() const { return flows_; }

 private:
  std::size_t limit_;
  std::vector<FlowSnapshot> flows_;
  std::vector<std::uint32_t> index_;  ///< open addressing, at most half full
  unsigned shift_;
};

}  // namespace softfeb::fabric
