// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/responder.hpp"

#include <cstddef>
#include <variant>
#include <vector>

/// Commands to a running receiver: the host side of the QPs that a board's metadata bus creates. Slots are
/// numbered like the receiver's QPs and follow the configured QPs (Receiver::first_slot()).
namespace softfeb::engine {

/// Creates a QP in slot `slot`, replacing the previous one. Its peer is the peer of the slot. Ignored if the
/// QPN is in use by a configured QP, or by another slot with the same peer.
struct SetReceiveQp {
  std::size_t slot = 0;
  roce::ResponderConfig responder{};
  /// True if the peer's byte counter continues without a gap; false if some of the data that the peer sent
  /// was lost.
  bool counter_goes_on = true;
};

/// Sets the memory regions that the QP of `slot` may write to. These regions replace all previous ones;
/// regions beyond kMaxSlotRegions are ignored. The caller owns the memory and must keep it until other
/// regions are set or the QP is destroyed. The regions also apply to later QPs of the slot.
struct SetReceiveRegions {
  std::size_t slot = 0;
  std::vector<roce::MemoryRegion> regions;
};
inline constexpr std::size_t kMaxSlotRegions = 8;

/// Destroys the QP of `slot` and removes its regions.
struct RemoveReceiveQp {
  std::size_t slot = 0;
};

using ReceiverAction = std::variant<SetReceiveQp, SetReceiveRegions, RemoveReceiveQp>;

}  // namespace softfeb::engine
