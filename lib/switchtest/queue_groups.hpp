// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

using ItemList = std::vector<std::size_t>;

/// Whether frames of one item and of several others left a switch in another order than they came.
struct OrderQuestion {
  std::size_t item = 0;
  ItemList others;
  bool others_first = false;  ///< the others came before the item; otherwise after it
};
/// For each of OrderQuestion::others: true if one of its frames overtook, or was overtaken by, a frame of the
/// item. nullopt: there is no answer.
using OrderProbe = std::function<std::optional<std::vector<bool>>(const OrderQuestion&)>;

/// Divides items into groups that share a queue. A queue never changes the order of its frames, so items
/// whose order changed are in different queues. An item shares the queue of another if their order never
/// changed, whichever came first: a strict priority would have changed one of the orders, and a weighted
/// queue both. Groups and their members are in the order of `items`. nullopt: a probe had no answer.
std::optional<std::vector<ItemList>> groups_by_order(ItemList items, const OrderProbe& probe);

}  // namespace softfeb::switchtest
