// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

using ItemList = std::vector<std::size_t>;

/// Asks whether the frames of one item and the frames of several other items left a switch in an order other
/// than the one in which they entered the switch.
struct OrderQuestion {
  std::size_t item = 0;
  ItemList others;
  /// If this is true, the frames of the other items enter before the frames of the item. If it is false, the
  /// frames of the item enter first.
  bool others_first = false;
};
/// Returns, for each element of OrderQuestion::others, whether a frame of this element overtook a frame of
/// OrderQuestion::item, or was overtaken by one. Returns std::nullopt if there is no answer.
using OrderProbe = std::function<std::optional<std::vector<bool>>(const OrderQuestion&)>;

/// Divides items into groups that share a queue. A queue never changes the order of its frames, so two items
/// whose order changes are in different queues. Two items share a queue if their order never changes,
/// whichever item enters first. Queues with strict priority would change one of the two orders, and weighted
/// queues would change both orders. Groups and their members are in the order of `items`. Returns
/// std::nullopt if a probe had no answer.
std::optional<std::vector<ItemList>> groups_by_order(ItemList items, const OrderProbe& probe);

}  // namespace softfeb::switchtest
