// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/cpu_account.hpp"

#include <rte_cycles.h>

namespace softfeb::dataplane {

/// The CpuAccount of a running worker. Reads the TSC and passes its values to the account.
class CpuMeter final : public engine::StageClock {
 public:
  /// Call at the start of each iteration. Returns this object if the iteration is measured; null otherwise.
  CpuMeter* begin() {
    if (!account_.measures_next()) return nullptr;
    account_.begin(rte_rdtsc());
    return this;
  }
  void enter(engine::Stage stage) override { account_.enter(stage, rte_rdtsc()); }
  /// Ends a measured iteration. `busy` tells whether the iteration did any work.
  void end(bool busy) { account_.end(rte_rdtsc(), busy); }

  CpuAccount& account() { return account_; }

 private:
  CpuAccount account_;
};

}  // namespace softfeb::dataplane
