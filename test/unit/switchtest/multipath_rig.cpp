// SPDX-License-Identifier: BSD-3-Clause
#include "multipath_rig.hpp"

#include "fabric/wire_time.hpp"

#include <algorithm>

namespace softfeb::test {

using namespace switchtest;

MultipathRig::MultipathRig(Config config) : config_(std::move(config)), free_at_(config_.paths) {
  for (std::uint16_t i = 0; i < config_.ports; ++i)
    ports_.push_back({.name = "p" + std::to_string(i), .rate = config_.rate, .address = default_address(i)});
}

std::vector<MultipathRig::Departure> MultipathRig::departures(const Trial& trial) {
  std::vector<Departure> out;
  for (const Source& source : trial.sources) {
    Time at = source.start;
    for (std::uint64_t n = 0; n < source.count && at < source.end; ++n) {
      const std::size_t index = source.mixed ? random_.below(source.kinds.size()) : n % source.kinds.size();
      const std::uint16_t kind = source.kinds[index];
      out.push_back({at, kind});
      at += std::max(source.gap, time_on_wire(trial.kinds[kind].length, config_.rate));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return out;
}

void MultipathRig::pass(const Trial& trial, const Departure& frame, TrialResult& out) {
  const FrameKind& kind = trial.kinds[frame.kind];
  KindStats& stats = out.kinds[frame.kind];
  stats.first_departure = std::min(stats.first_departure, frame.at);
  stats.last_departure = frame.at;
  const std::uint64_t sequence = stats.sent++;
  const std::size_t path = config_.hash(kind, random_) % config_.paths;
  const Time here = frame.at + time_on_wire(kind.length, config_.rate) + kMicrosecond;
  const Time waits = std::max(free_at_[path], here) - here;
  if (waits > config_.memory * kSecond / config_.path_rate) return;
  free_at_[path] = here + waits + time_on_wire(kind.length, config_.path_rate);
  const Time at = free_at_[path] + kMicrosecond;
  ++stats.arrived;
  stats.first_arrival = std::min(stats.first_arrival, at);
  stats.last_arrival = std::max(stats.last_arrival, at);
  if (!kind.record) return;
  const std::uint16_t port = config_.next_hops.empty() ? kind.to : config_.next_hops[path];
  out.arrivals.push_back(
      {.kind = frame.kind, .port = port, .sequence = sequence, .departed = frame.at, .at = at});
}

TrialResult MultipathRig::run(const Trial& trial) {
  check(trial, ports_);
  TrialResult out;
  out.kinds.resize(trial.kinds.size());
  std::fill(free_at_.begin(), free_at_.end(), 0);
  for (const Departure& frame : departures(trial)) pass(trial, frame, out);
  std::stable_sort(out.arrivals.begin(), out.arrivals.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  now_ += trial.end;
  if (config_.void_trials != 0) {
    --config_.void_trials;
    out.void_reason = "the test said so";
  }
  return out;
}

std::function<std::uint64_t(const FrameKind&, Rng&)> hash_of(bool port, bool qp, bool source,
                                                             std::uint64_t seed) {
  return [=](const FrameKind& kind, Rng&) {
    const std::uint64_t ports = port ? kind.udp_source_port : 0;
    const std::uint64_t rest = (qp ? kind.dest_qp : 0) + (source ? std::uint64_t{kind.source_host} << 32 : 0);
    return Rng::mixed(seed + kind.to, ports, rest);
  };
}

}  // namespace softfeb::test
