// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/queue_groups.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// Asks `question`. Moves to `apart` those items of `question.others` whose order changed, and asks again
/// until no order changes. Asking again is necessary, because the order of an item that weighted queues serve
/// last may change only after the other items have been removed. Returns false if a probe had no answer.
bool part_items(OrderQuestion& question, ItemList& apart, const OrderProbe& probe) {
  while (!question.others.empty()) {
    const auto changed = probe(question);
    if (!changed) return false;
    ItemList together;
    for (std::size_t i = 0; i < question.others.size(); ++i)
      ((*changed)[i] ? apart : together).push_back(question.others[i]);
    const bool same = together.size() == question.others.size();
    question.others = std::move(together);
    if (same) break;
  }
  return true;
}

}  // namespace

std::optional<std::vector<ItemList>> groups_by_order(ItemList items, const OrderProbe& probe) {
  std::vector<ItemList> out;
  while (!items.empty()) {
    OrderQuestion question{.item = items.front(), .others = ItemList(items.begin() + 1, items.end())};
    ItemList apart;
    for (const bool others_first : {false, true}) {
      question.others_first = others_first;
      if (!part_items(question, apart, probe)) return std::nullopt;
    }
    out.push_back({question.item});
    out.back().insert(out.back().end(), question.others.begin(), question.others.end());
    ItemList left;
    for (const std::size_t item : items)
      if (std::find(apart.begin(), apart.end(), item) != apart.end()) left.push_back(item);
    items = std::move(left);
  }
  return out;
}

}  // namespace softfeb::switchtest
