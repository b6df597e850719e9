// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wire.hpp"

namespace softfeb::fabric {

/// Applies faults. The faults are independent of each other, and the same number of random numbers is drawn
/// for every frame. Therefore, a change to the probability of one fault does not change which frames the
/// other faults affect. A duplicate arrives at the regular time, does not occupy the link, and is neither
/// corrupted nor reordered.
bool Wire::transmit_faulty(Frame* frame, FrameStore& store, NetworkTotals& totals) {
  const bool drop = rng_.chance(faults_.drop);
  const bool duplicate = rng_.chance(faults_.duplicate);
  const bool corrupt = rng_.chance(faults_.corrupt);
  const bool reorder = rng_.chance(faults_.reorder);
  const std::uint64_t bit = rng_.next();
  const Time later = rng_.below(faults_.reorder_by) + 1;
  if (drop) return false;
  Frame* copy = nullptr;
  if (duplicate) {
    ++totals.duplicated;
    copy = store.copy(*frame);
    if (copy == nullptr) ++totals.dropped_store;
  }
  if (corrupt && frame->length > roce::kEthernetSize && store.corrupt(*frame, bit)) ++totals.corrupted;
  if (reorder) {
    ++totals.reordered;
    frame->at += later;
    late_.insert_by_time(frame);
  } else {
    under_way_.push(frame);
  }
  if (copy != nullptr) {
    copy_facts(*frame, *copy);
    copy->at = free_at_ + delay_;
    under_way_.push(copy);
  }
  return true;
}

}  // namespace softfeb::fabric
