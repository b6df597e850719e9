// SPDX-License-Identifier: BSD-3-Clause
// Weights and rates of the queues of a measured switch.
#include "report/measured_switch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using switchtest::Figure;
using switchtest::Status;

/// Returns the number of the queue that a figure describes. Figures name a queue by one of its DSCPs.
std::size_t queue_of_figure(const Figure& f, const MeasuredSwitch& out) {
  const unsigned long dscp = std::strtoul(f.labels.at("queue").c_str(), nullptr, 10);
  return dscp < out.config.dscp_to_queue.size() ? out.config.dscp_to_queue[dscp] : 0;
}

std::string queue_key(const Figure& f, const char* name, const MeasuredSwitch& out) {
  return fmt::format("queues.{}.{}", queue_of_figure(f, out), name);
}

/// Returns the smallest factor that turns all weights into integers.
unsigned weight_factor(const std::vector<const Figure*>& weights) {
  constexpr unsigned kMost = 100;
  const auto fits = [&](unsigned factor) {
    return std::all_of(weights.begin(), weights.end(), [&](const Figure* f) {
      constexpr double kError = 1e-9;
      return std::ceil(factor * *f->low - kError) <= std::floor(factor * *f->high + kError);
    });
  };
  unsigned factor = 1;
  while (factor < kMost && !fits(factor)) ++factor;
  return factor;
}

void add_weights(const FigureIndex& figures, MeasuredSwitch& out) {
  constexpr double kMostWeight = 1000;
  std::vector<const Figure*> weights;
  for (const Figure* const f : figures.all("scheduler", "weights"))
    if (f->value && f->low && f->high) weights.push_back(f);
  const unsigned factor = weight_factor(weights);
  for (const Figure* const f : figures.all("scheduler", "weights")) {
    if (f->status != Status::kUnresolvable) continue;
    out.unknown_key(queue_key(*f, "weight", out), f->reason);
    if (factor == 1) continue;
    out.config.queues[queue_of_figure(*f, out)].weight = factor;
    out.notes[queue_key(*f, "weight", out)] = "an assumption: as the least of the others";
  }
  for (const Figure* const f : weights) {
    out.config.queues[queue_of_figure(*f, out)].weight =
        static_cast<std::uint32_t>(std::clamp(std::round(factor * *f->value), 1.0, kMostWeight));
    std::string& note = out.notes[queue_key(*f, "weight", out)] = interval_note("scheduler", *f);
    if (factor != 1) note += fmt::format(", times {}", factor);
  }
}

void add_overhead(const FigureIndex& figures, MeasuredSwitch& out) {
  const Figure* const overhead = figures.measured("scheduler", "overhead_bytes");
  if (overhead == nullptr) {
    const bool queues = out.notes.count("dscp_to_queue") != 0;
    if (queues && !figures.absent("scheduler", "overhead_bytes"))
      out.unknown_key("scheduler_overhead", figures.why_not("scheduler", "overhead_bytes"));
    return;
  }
  // Prefer the usual numbers of added bytes: 4 (the scheduler counts the FCS), 0 (it does not count the FCS)
  // or 24 (it counts the FCS, the preamble and the gap).
  const WholeRange range = range_of(*overhead);
  std::uint64_t chosen = roundest_decimal(range);
  for (const std::uint64_t usual : {4U, 0U, 24U})
    if (range.contains(usual)) chosen = usual;
  out.config.scheduler.overhead =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(chosen, fabric::SchedulerConfig::kMaxOverhead));
  out.notes["scheduler_overhead"] = interval_note("scheduler", *overhead);
}

void add_rates(const FigureIndex& figures, MeasuredSwitch& out) {
  // Convert rates on the wire to rates in bytes as the scheduler counts them. The test sends frames of 1026
  // bytes with FCS.
  constexpr double kGigabit = 1e9, kLength = 1022, kOnWire = 1046;
  const double bits = kGigabit * (kLength + out.config.scheduler.overhead) / kOnWire;
  for (const Figure* const f : figures.all("scheduler", "shaper_gbps")) {
    if (f->status != Status::kMeasured) continue;
    const std::uint64_t rate = std::max<std::uint64_t>(1, roundest_decimal(range_of(*f, bits)) / 8);
    if (f->labels.empty()) {
      out.config.scheduler.port_rate = rate;
      out.notes["port_rate"] = interval_note("scheduler", *f);
    } else {
      out.config.queues[queue_of_figure(*f, out)].rates.max = rate;
      out.notes[queue_key(*f, "max_rate", out)] = interval_note("scheduler", *f);
    }
  }
}

}  // namespace

void add_scheduler(const FigureIndex& figures, MeasuredSwitch& out) {
  add_weights(figures, out);
  if (figures.word("scheduler", "mode") == "WRR") {
    out.config.scheduler.by_packets = true;
    out.notes["scheduler"] = "scheduler: WRR";
  }
  add_overhead(figures, out);
  add_rates(figures, out);
}

}  // namespace softfeb::report
