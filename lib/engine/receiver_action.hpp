// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/responder.hpp"

#include <cstddef>
#include <variant>
#include <vector>

/// What a receiver is told while it runs: the part of a host that plays the other side for QPs which a
/// board's metadata bus makes. A slot's number is that of its QP on the receiver: slots come after the QPs of
/// the configuration (Receiver::first_slot()).
namespace softfeb::engine {

/// A QP stands in slot `slot` from now on; one that stood there is gone. The peer's address is the slot's.
/// Nothing happens where a configured QP, or another slot with the same peer, has the QPN.
struct SetReceiveQp {
  std::size_t slot = 0;
  roce::ResponderConfig responder{};
  /// The peer's byte counter goes on where it was; false: what it sent was cut off before it arrived.
  bool counter_goes_on = true;
};

/// The memory that the QP of `slot` may be written to: these regions alone, at most kMaxSlotRegions (the rest
/// is left out). Their bytes belong to the asker, who leaves them alone until others are set or the QP is
/// gone. Holds for later QPs of the slot, too.
struct SetReceiveRegions {
  std::size_t slot = 0;
  std::vector<roce::MemoryRegion> regions;
};
inline constexpr std::size_t kMaxSlotRegions = 8;

/// The QP of `slot` is gone, and its regions.
struct RemoveReceiveQp {
  std::size_t slot = 0;
};

using ReceiverAction = std::variant<SetReceiveQp, SetReceiveRegions, RemoveReceiveQp>;

}  // namespace softfeb::engine
