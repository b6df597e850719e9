// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>

#include <rte_cycles.h>

namespace softfeb::bench {

namespace {

constexpr unsigned kSlices = 10;

/// Runs all contestants once.
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
  for (Contestant& c : all) c.go(duration);  // warm up caches and branch predictors
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

Time Costs::time_of(const Piece& piece) {
  const Time begin = thread_time();
  piece.work(piece.times);
  return thread_time() - begin;
}

void Costs::measure(unsigned runs, Time duration) {
  for (Piece& piece : pieces_) {
    while (time_of(piece) < duration / 4) piece.times *= 2;
  }
  for (unsigned run = 0; run < runs; ++run) {
    for (Piece& piece : pieces_) {
      piece.ns.push_back(to_seconds(time_of(piece)) * 1e9 / static_cast<double>(piece.times));
    }
  }
}

Json Costs::json(const std::function<double(double)>& figure) const {
  Json out = Json::object();
  for (const Piece& piece : pieces_) {
    std::vector<Json> runs;
    for (const double ns : piece.ns) runs.push_back(figure(ns));
    out[piece.name] = summary(runs);
  }
  return out;
}

Json LoopTime::json() const {
  static constexpr std::array<const char*, kLimits.size()> kNames = {"64_ns", "256_ns", "1_us",
                                                                     "10_us", "100_us", "1_ms"};
  Json above;
  for (std::size_t k = 0; k < kLimits.size(); ++k) {
    above[std::string("above_") + kNames[k]] = {{"turns", count_[k]},
                                                {"share_of_time", to_seconds(time_[k]) / to_seconds(total_)}};
  }
  return {{"turns", turns_},
          {"mean_ns", to_seconds(total_) / static_cast<double>(turns_) * 1e9},
          {"longest_ns", to_seconds(longest_) * 1e9},
          {"stolen_share", preempted()},
          {"longer_turns", above}};
}

Json Idling::json() const {
  Json out = loop.json();
  out["late_ns"] = distribution(late);
  return out;
}

Idling idle_for(Time duration, const dataplane::TscClock& clock) {
  Idling t;
  // The vector's constructor has already written to all pages, so the stores below cause no page faults.
  std::vector<Time> late(duration / kMicrosecond + 1);
  std::size_t n = 0;
  const Time begin = clock.time(rte_rdtsc());
  Time due = begin + kMicrosecond;
  for (Time last = begin; last - begin < duration;) {
    const Time now = clock.time(rte_rdtsc());
    t.loop.turn(now - last);
    last = now;
    for (; due <= now && n < late.size(); due += kMicrosecond) late[n++] = now - due;
  }
  t.late.reserve(n);
  for (std::size_t k = 0; k < n; ++k) t.late.push_back(static_cast<double>(late[k]) * 1e-3);
  return t;
}

}  // namespace softfeb::bench
