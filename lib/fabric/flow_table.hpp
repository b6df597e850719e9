// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// Counts by (source, destination, queue pair), up to a number that is fixed: flows beyond it are counted in
/// the ports alone. None is ever forgotten.
class FlowTable {
 public:
  explicit FlowTable(std::size_t flows);

  /// The number of a flow, which begins with it; kNoFlow: no room for another.
  std::uint32_t find(std::uint32_t source, std::uint32_t destination, std::uint32_t qpn);

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
