// SPDX-License-Identifier: BSD-3-Clause
#include "contest.hpp"

namespace softfeb::bench {

namespace {

constexpr unsigned kSlices = 10;

/// One run of all contestants.
void compete_once(std::vector<Contestant>& all, Time duration) {
  std::vector<std::vector<Tally>> sums(all.size());
  for (unsigned slice = 0; slice < kSlices; ++slice) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::vector<Tally> tallies = all[k].go(duration / kSlices);
      sums[k].resize(tallies.size());
      for (std::size_t i = 0; i < tallies.size(); ++i) sums[k][i] += tallies[i];
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    double mpps = 0, cpu_mpps = 0;
    Tally sum;
    for (const Tally& t : sums[k]) {
      mpps += t.mpps();
      cpu_mpps += t.cpu_mpps();
      sum += t;
    }
    all[k].mpps.push_back(mpps);
    all[k].cpu_mpps.push_back(cpu_mpps);
    all[k].preempted.push_back(std::max(0.0, 1 - to_seconds(sum.cpu) / to_seconds(sum.elapsed)));
  }
}

}  // namespace

void compete(std::vector<Contestant>& all, unsigned runs, Time duration) {
  for (Contestant& c : all) c.go(duration);  // warms up caches and branch predictors
  for (unsigned run = 0; run < runs; ++run) compete_once(all, duration);
}

Json figures_of(const Contestant& c) {
  Json out = figures("mpps", c.mpps);
  out["median_cpu_mpps"] = median(c.cpu_mpps);
  out["cpu_runs"] = c.cpu_mpps;
  return out;
}

void add_ratio(Json& out, const std::string& name, const Contestant& a, const Contestant& b) {
  const std::vector<double> runs = ratios(a.cpu_mpps, b.cpu_mpps);
  out[name] = median(runs);
  out[name + "_runs"] = runs;
}

}  // namespace softfeb::bench
