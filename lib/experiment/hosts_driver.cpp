// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/hosts_driver.hpp"

#include "config/error.hpp"
#include "experiment/host_checks.hpp"
#include "report/result.hpp"
#include "runtime/stop_signal.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace softfeb::experiment {

namespace {

using hosts::Told;

constexpr Time kWait = kMillisecond;
/// Interval between snapshots while neighbours are resolved.
constexpr Time kResolve = 10 * kMillisecond;
/// Time for which a process that was told to end waits for its workers to carry out a command. mpirun kills
/// the process about a second after the first signal.
constexpr Time kLastWait = 20 * kMillisecond;
/// If the boards of all hosts finish within this time after traffic was stopped, this does not count as a
/// drain.
constexpr Time kQuickDrain = 100 * kMillisecond;
/// Shortest interval at which a process sends its counters. With more than kManyQueuePairs queue pairs, the
/// interval is at least one second.
constexpr Time kLeastSampleInterval = 100 * kMillisecond;
constexpr std::size_t kManyQueuePairs = 10'000;
/// Time for which a process waits for the last counters of the other hosts.
constexpr Time kLastSample = 50 * kMillisecond;
/// A wait for other hosts is reported to the user if it takes longer than this.
constexpr Time kTellAfter = kSecond;
/// When process 0 announces the start to the others, the start must be at least this far in the future.
constexpr std::int64_t kLeastLeadNs = 100'000'000;

}  // namespace

HostsDriver::HostsDriver(const Setup& setup, EventFiles& files, HostLink& link,
                         const hosts::ClockReading& clock)
    : RealDriver(setup, files), link_(link) {
  figures_.clock_before = clock;
}

std::unique_ptr<HostsDriver> HostsDriver::make(const Setup& setup, EventFiles& files, HostLink& link,
                                               const hosts::ClockReading& clock) {
  std::unique_ptr<HostsDriver> driver(new HostsDriver(setup, files, link, clock));
  driver->connect();
  return driver;
}

void HostsDriver::poll() {
  link_.tell(Told::kStops, static_cast<std::uint64_t>(runtime::stop_signals()));
  link_.poll();
  if (now() >= sample_due_ && !link_.ended()) send_counters();
}

std::vector<stats::Observer*> HostsDriver::open(const Say& say) {
  say_ = say;
  return RealDriver::open(say);
}

void HostsDriver::send_counters() {
  std::size_t qps = 0;
  for (const config::BoardConfig& board : config().boards)
    for (const config::QpConfig& qp : board.qps) qps += qp.count;
  sample_due_ =
      now() + std::max(config().run.series_interval, qps > kManyQueuePairs ? kSecond : kLeastSampleInterval);
  std::vector<engine::EndpointSnapshot> endpoints = endpoint_counters();
  std::vector<std::uint8_t> bytes;
  ArchiveWriter out(bytes);
  write_counters(config(), here(), started(), endpoints, out);
  link_.send_sample(std::move(bytes));
}

void HostsDriver::add_other_hosts(std::vector<engine::EndpointSnapshot>& endpoints) {
  link_.latest_samples([&](std::uint32_t, ByteSpan bytes) {
    ArchiveReader in(bytes);
    read_counters(config(), started(), endpoints, in);
  });
}

int HostsDriver::stop_requests() const {
  return link_.ended() ? INT32_MAX : static_cast<int>(link_.agreed().most(Told::kStops));
}

bool HostsDriver::finished() const {
  const bool mine = RealDriver::finished();
  if (link_.ended()) return mine;
  if (mine) link_.tell(Told::kFinished, stage_);
  return link_.agreed().all(Told::kFinished, stage_);
}

void HostsDriver::resolve_neighbours() {
  const Time limit = now() + config().run.connect_timeout;
  while (now() < limit && stop_requests() == 0 && unresolved() != 0) wait(kResolve);
}

std::int64_t HostsDriver::choose_start() const {
  const std::int64_t ready = wall_clock_ns();
  if (const auto at = config().run.start_at_unix_ns) {
    if (*at >= ready + kLeastLeadNs) return *at;
    throw config::ConfigError({{config().place(config().run.where, "start_at"),
                                "has passed, or nearly so, before all hosts were ready",
                                "write a later time, or remove it: all hosts then start together as soon as "
                                "they are ready (run.start_lead)"}});
  }
  return ready + static_cast<std::int64_t>(config().run.start_lead / kNanosecond);
}

std::int64_t HostsDriver::agree_on_start() {
  link_.tell(Told::kReady, 1);
  const Time begun = now();
  for (bool told = false; stop_requests() == 0;) {
    if (!told && now() > begun + kTellAfter) {
      say_("waiting until the other hosts are ready");
      told = true;
    }
    if (link_.rank() == 0 && link_.agreed().all(Told::kReady, 1))
      link_.tell(Told::kStart, static_cast<std::uint64_t>(choose_start()));
    if (const std::uint64_t at = link_.agreed().of(0, Told::kStart); at != 0)
      return static_cast<std::int64_t>(at);
    wait(kWait);
  }
  return 0;
}

Time HostsDriver::begin(stats::Observers& observers) {
  resolve_neighbours();
  planned_ns_ = agree_on_start();
  began_ = planned_ns_ != 0;
  if (began_) start_at(planned_ns_);
  const Time started = RealDriver::begin(observers);
  if (began_) figures_.start_error_ns = wall_clock_of(started) - planned_ns_;
  if (link_.rank() != 0) sample_due_ = now();
  return started;
}

Driver::Passed HostsDriver::pass(Time end, Until until, int stop_requests) {
  if (!link_.ended()) return RealDriver::pass(end, until, stop_requests);
  RealDriver::pass(std::min(end, now() + kLastWait), until, INT32_MAX);
  return Passed::kStopped;
}

void HostsDriver::stop_traffic() {
  RealDriver::stop_traffic();
  sample_due_ = kNever;
  stage_ = 2;
  pass(now() + kQuickDrain, Until::kFinished, stop_requests());
}

void HostsDriver::settle() {
  if (!link_.ended()) RealDriver::settle();
}

/// Called at the end of the run for the last sample of the observers. The result of the run does not depend
/// on this sample.
Counters HostsDriver::counters() {
  if (!link_.ended()) {
    if (link_.rank() != 0) send_counters();
    wait(kLastSample);
    poll();
  }
  sample_due_ = kNever;
  Counters counters = RealDriver::counters();
  add_other_hosts(counters.endpoints);
  return counters;
}

void HostsDriver::close(stats::Outcome& o) {
  RealDriver::close(o);
  figures_.clock_after = link_.measure_clock(clock_limit_ns(config()));
  if (const auto first = first_packet(config(), here(), o))
    figures_.first_packet_ns = figures_.start_error_ns + static_cast<std::int64_t>(*first / kNanosecond);
  o.hosts.assign(config().hosts.size(), {});
  o.hosts[here()] = figures_;
  o.worker_hosts.assign(o.workers.size(), here());
  o.ports.clear();
  if (link_.ended()) return;
  if (link_.rank() == 0) return collect(o);
  HostPart part{.host = here(), .outcome = std::move(o), .figures = figures_};
  const nlohmann::ordered_json ports = report::ports_result(config(), *dpdk(), part.outcome);
  part.outcome.ports.assign(ports.begin(), ports.end());
  std::vector<std::uint8_t> bytes;
  ArchiveWriter out(bytes);
  write_part(config(), part, endpoints(), out);
  o = std::move(part.outcome);
  link_.send_result(std::move(bytes));
}

/// Adds the parts of the other hosts in the order of `hosts`.
void HostsDriver::collect(stats::Outcome& o) {
  std::vector<HostPart> parts(config().hosts.size());
  complete_ = link_.take_results([&](std::uint32_t, ByteSpan bytes) {
    ArchiveReader in(bytes);
    HostPart part;
    read_part(config(), in, part, endpoints());
    parts.at(part.host) = std::move(part);
  });
  if (!complete_) return;
  o.ports.resize(config().ports.size());
  const auto workers = std::exchange(o.workers, {});
  const auto cpu = std::exchange(o.cpu, {});
  o.worker_hosts.clear();
  for (std::size_t h = 0; h < parts.size(); ++h) {
    if (h != here()) {
      add_part(config(), o, parts[h]);
      continue;
    }
    o.workers.insert(o.workers.end(), workers.begin(), workers.end());
    o.cpu.insert(o.cpu.end(), cpu.begin(), cpu.end());
    o.worker_hosts.resize(o.workers.size(), h);
  }
}

std::vector<std::string> HostsDriver::remarks(const stats::Outcome& o) const {
  std::vector<std::string> lines = RealDriver::remarks(o);
  for (std::size_t h = 0; complete_ && h < o.hosts.size(); ++h) {
    std::string line = clock_remark(config(), h, here(), o.hosts[h].clock_before, o.hosts[h].clock_after);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace softfeb::experiment
