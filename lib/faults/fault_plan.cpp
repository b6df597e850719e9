// SPDX-License-Identifier: BSD-3-Clause
#include "faults/fault_plan.hpp"

namespace softfeb::faults {

FaultPlan::FaultPlan(std::uint64_t seed, const FaultRates& rates)
    : rng_(seed),
      rates_(rates),
      active_((rates.drop | rates.corrupt | rates.duplicate | rates.reorder | rates.mark_ce) != 0) {}

FaultVerdict FaultPlan::judge() {
  FaultVerdict v;
  v.drop = rng_.chance(rates_.drop);
  v.corrupt = rng_.chance(rates_.corrupt);
  v.duplicate = rng_.chance(rates_.duplicate);
  v.reorder = rng_.chance(rates_.reorder);
  v.mark_ce = rng_.chance(rates_.mark_ce);
  v.where = rng_.next();
  return v;
}

}  // namespace softfeb::faults
