// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/eal.hpp"
#include "dataplane/tsc_clock.hpp"
#include "statistics.hpp"

#include <memory>
#include <vector>

namespace softfeb::bench {

/// DPDK: the main lcore for the board, others for further boards or the far end of a ring. Huge pages where
/// there are some free, ordinary memory otherwise. Once a process.
class Environment {
 public:
  /// Lcores besides the main one; with fewer CPUs some share.
  explicit Environment(unsigned others = 1);
  const dataplane::TscClock& clock() const { return *clock_; }
  /// One CPU for two of them: their figures disturb each other.
  bool shares_cpus() const { return shares_; }
  /// That this process may use.
  const std::vector<unsigned>& cpus() const { return cpus_; }
  unsigned lcores() const { return static_cast<unsigned>(lcores_.size()); }
  bool huge_pages() const { return eal_->huge_pages(); }

 private:
  std::vector<unsigned> cpus_;  ///< as it was before DPDK bound this thread to one
  std::vector<dataplane::LcoreSpec> lcores_;
  bool shares_;
  std::unique_ptr<dataplane::Eal> eal_;
  std::unique_ptr<dataplane::TscClock> clock_;
};

/// Time by the counter, where Environment::clock() need not be.
Time read_clock(const dataplane::TscClock& clock);

/// What the figures depend on: CPU and its vector instructions, CPUs there are, compiler, DPDK. `environment`
/// may be null: without DPDK.
Json machine_facts(const Environment* environment);

}  // namespace softfeb::bench
