// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/flow_table.hpp"

#include "fabric/facts.hpp"

#include <bit>

namespace softfeb::fabric {

FlowTable::FlowTable(std::size_t flows)
    : limit_(flows),
      index_(std::bit_ceil(2 * flows + 2), kNoFlow),
      shift_(64 - static_cast<unsigned>(std::countr_zero(index_.size()))) {
  flows_.reserve(flows);
}

std::uint32_t FlowTable::find(std::uint32_t source, std::uint32_t destination, std::uint32_t qpn) {
  const std::uint64_t key = (std::uint64_t{source} << 24 ^ qpn) * 0x9e37'79b9'7f4a'7c15U + destination;
  std::size_t i = key * 0xbf58'476d'1ce4'e5b9U >> shift_;
  for (; index_[i] != kNoFlow; i = (i + 1) & (index_.size() - 1)) {
    const FlowSnapshot& flow = flows_[index_[i]];
    if (flow.source == source && flow.destination == destination && flow.qpn == qpn) return index_[i];
  }
  if (flows_.size() == limit_) return kNoFlow;
  index_[i] = static_cast<std::uint32_t>(flows_.size());
  FlowSnapshot flow;
  flow.source = source;
  flow.destination = destination;
  flow.qpn = qpn;
  flows_.push_back(flow);
  return index_[i];
}

}  // namespace softfeb::fabric
