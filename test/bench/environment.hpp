// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/eal.hpp"
#include "dataplane/tsc_clock.hpp"
#include "statistics.hpp"

#include <memory>
#include <vector>

namespace softfeb::bench {

/// Initializes DPDK with a main lcore for the board, and other lcores for more boards or for the far end of
/// a ring. Uses huge pages if available, otherwise ordinary memory. Create only one per process.
class Environment {
 public:
  /// `others` is the number of lcores in addition to the main one. If there are too few CPUs, lcores share
  /// CPUs.
  explicit Environment(unsigned others = 1);
  const dataplane::TscClock& clock() const { return *clock_; }
  /// True if lcores share a CPU and therefore disturb each other.
  bool shares_cpus() const { return shares_; }
  /// CPUs available to this process.
  const std::vector<unsigned>& cpus() const { return cpus_; }
  unsigned lcores() const { return static_cast<unsigned>(lcores_.size()); }
  bool huge_pages() const { return eal_->huge_pages(); }

 private:
  /// CPUs that this process could use before DPDK bound this thread to one of them
  std::vector<unsigned> cpus_;
  std::vector<dataplane::LcoreSpec> lcores_;
  bool shares_;
  std::unique_ptr<dataplane::Eal> eal_;
  std::unique_ptr<dataplane::TscClock> clock_;
};

/// Reads the time from `clock`, for code that has no Environment.
Time read_clock(const dataplane::TscClock& clock);

/// Properties of the machine that affect results: CPU and its vector instructions, number of CPUs, compiler,
/// DPDK. `environment` is null without DPDK.
Json machine_facts(const Environment* environment);

}  // namespace softfeb::bench
