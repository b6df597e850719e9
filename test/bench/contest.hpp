// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "statistics.hpp"
#include "turns.hpp"

#include <functional>
#include <string>
#include <vector>

namespace softfeb::bench {

/// A loop whose speed is compared with that of others.
struct Contestant {
  std::string name;
  std::function<std::vector<Tally>(Time)> go;  ///< runs for this time; returns a tally per thread
  std::vector<double> mpps{};                  ///< one value per run
  std::vector<double> cpu_mpps{};
  std::vector<double> preempted{};  ///< share of the time in which its threads did not run
};

/// Runs all of them alternately, ten times per run, so that disturbances by the machine affect all equally.
void compete(std::vector<Contestant>& all, unsigned runs, Time duration);

/// median_mpps, min_mpps, max_mpps, runs; median_cpu_mpps, relative to the threads' CPU time.
Json figures_of(const Contestant& c);

/// Adds `name`, the median of a/b over all runs, and `name`_runs. Both use the threads' CPU time, so they are
/// valid on a busy machine.
void add_ratio(Json& out, const std::string& name, const Contestant& a, const Contestant& b);

}  // namespace softfeb::bench
