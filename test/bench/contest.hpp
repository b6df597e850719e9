// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "statistics.hpp"
#include "turns.hpp"

#include <functional>
#include <string>
#include <vector>

namespace softfeb::bench {

/// A loop whose speed is compared with others'.
struct Contestant {
  std::string name;
  std::function<std::vector<Tally>(Time)> go;  ///< for so long; a tally for each of its threads
  std::vector<double> mpps{};                  ///< run by run
  std::vector<double> cpu_mpps{};
  std::vector<double> preempted{};  ///< share of the time in which its threads did not run
};

/// All of them by turns, ten times a run, so that the machine's moods are the same for all.
void compete(std::vector<Contestant>& all, unsigned runs, Time duration);

/// median_mpps, min_mpps, max_mpps, runs; median_cpu_mpps, of the threads' own time.
Json figures_of(const Contestant& c);

/// Adds a/b as `name`, the median of all runs, and `name`_runs: of the threads' own time, so that it holds on
/// a busy machine.
void add_ratio(Json& out, const std::string& name, const Contestant& a, const Contestant& b);

}  // namespace softfeb::bench
