// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/psn.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Method of choosing a QP's UDP source port. Switches include the port in their hash to distribute flows
/// over paths (IBA, annex A17.9.2).
struct SourcePortPolicy {
  enum class Kind : std::uint8_t { kHashed, kFixed, kRange };
  Kind kind = Kind::kHashed;
  std::uint16_t first = 0xc000;  ///< kFixed: the port; kRange: QPs use the ports [first, last] in turn
  std::uint16_t last = 0xffff;
};

/// Port that Linux and rdma-core compute for the flow between two QPNs, in 0xC000–0xFFFF.
constexpr std::uint16_t hashed_source_port(Qpn source, Qpn dest) {
  std::uint64_t h = std::uint64_t{source} * dest;
  h ^= h >> 20;
  h ^= h >> 40;
  const auto flow_label = static_cast<std::uint32_t>(h & 0xfffff);
  return static_cast<std::uint16_t>(((flow_label & 0x3fff) ^ ((flow_label & 0xfc000) >> 14)) | 0xc000);
}

/// Returns the port of the QP with index `index` on a board.
constexpr std::uint16_t source_port(const SourcePortPolicy& policy, std::uint32_t index, Qpn source,
                                    Qpn dest) {
  switch (policy.kind) {
    case SourcePortPolicy::Kind::kFixed:
      return policy.first;
    case SourcePortPolicy::Kind::kRange:
      return static_cast<std::uint16_t>(policy.first + index % (policy.last - policy.first + 1U));
    case SourcePortPolicy::Kind::kHashed:
      break;
  }
  return hashed_source_port(source, dest);
}

}  // namespace softfeb::roce
