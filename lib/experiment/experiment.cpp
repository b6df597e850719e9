// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/experiment.hpp"

#include "report/control_result.hpp"
#include "runtime/start_up.hpp"
#include "runtime/stop_signal.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// Packets on their way to our receivers when the last sender is done: longer than any ring holds them.
constexpr Time kSettle = 50 * kMillisecond;
constexpr Time kPoll = 1 * kMillisecond;
constexpr Time kPollWhenIdle = 5 * kMillisecond;
constexpr Time kShortestNap = 20 * kMicrosecond;
/// How long before a start at a wall clock the workers are told of it: longer than a busy machine preempts
/// this thread. NTP slews by 500 ppm at most, 50 µs in that time.
constexpr Time kStartLead = 100 * kMillisecond;
/// Time ends after 213 days: a later start is not reached.
constexpr Time kLatestStart = kNever / 2;

}  // namespace

Experiment::Experiment(const config::RunConfig& config, runtime::DpdkRuntime& dpdk, runtime::WorkerPool& pool,
                       slowcontrol::ControlService& service, report::LiveTable& table,
                       std::vector<stats::Observer*> observers)
    : config_(config),
      dpdk_(dpdk),
      pool_(pool),
      service_(service),
      table_(table),
      observers_(std::move(observers)) {}

void Experiment::tick() {
  const Time now = dpdk_.now();
  out_.control_unserved += pool_.drain_control();
  if (now < next_sample()) return;
  runtime::PoolSnapshot figures = pool_.snapshot();
  observers_.add(sample_of(figures.endpoints, now), figures.network ? &*figures.network : nullptr);
}

stats::Sample Experiment::sample_of(const std::vector<engine::EndpointSnapshot>& endpoints, Time now) const {
  return {.at = now - out_.started, .origin = out_.started, .endpoints = &endpoints};
}

void Experiment::nap(Time until) {
  dpdk_.follow_clocks();
  const Time now = dpdk_.now();
  const Time longest = config_.workers.idle == config::Idle::kSleep ? kPollWhenIdle : kPoll;
  const Time due = std::min(until, next_sample());
  service_.run_until(now + std::clamp(due > now ? due - now : 0, kShortestNap, longest));
}

Experiment::Wait Experiment::wait(Time until, bool for_boards, int signals) {
  for (;;) {
    if (runtime::stop_signals() > signals) return Wait::kSignal;
    if (for_boards && pool_.totals().unfinished == 0) return Wait::kDone;
    if (dpdk_.now() >= until) return Wait::kTime;
    nap(until);
    if (dpdk_.now() >= out_.started) tick();
  }
}

Time Experiment::start_time() {
  const Time earliest = dpdk_.now() + kMillisecond;
  const auto at = config_.run.start_at_unix_ns;
  if (!at) return earliest;
  const std::int64_t ns = *at - static_cast<std::int64_t>(dpdk_.read_wall_clock());
  if (ns <= 0) return earliest;
  return std::max(earliest, std::min(static_cast<Time>(ns), kLatestStart / kNanosecond) * kNanosecond);
}

void Experiment::begin() {
  out_.started = start_time();
  out_.start_up_s = runtime::seconds_since_exec() + to_seconds(kMillisecond);
  observers_.begin();
  // The wall clock is slewed and stepped while we wait, so it is read again shortly before the start.
  while (out_.started > dpdk_.now() + kStartLead && runtime::stop_signals() == 0) {
    wait(std::min(out_.started - kStartLead, dpdk_.now() + kSecond), false, 0);
    out_.started = start_time();
  }
  pool_.start(out_.started);
  wait(out_.started + kMillisecond, false, 0);
}

stats::Outcome Experiment::run() {
  begin();
  const Time end = config_.run.duration ? out_.started + *config_.run.duration : kNever;
  out_.measured_from = out_.started;
  // Boards without QPs answer ARP and ping, and are never done with it.
  const bool has_traffic = std::any_of(config_.boards.begin(), config_.boards.end(),
                                       [](const config::BoardConfig& b) { return !b.qps.empty(); });
  Wait why = Wait::kTime;
  if (config_.run.warmup != 0) {
    why = wait(std::min(end, out_.started + config_.run.warmup), has_traffic, 0);
    out_.ended_in_warmup = why != Wait::kTime;
    if (!out_.ended_in_warmup) {
      out_.baseline = pool_.snapshot().endpoints;
      out_.measured_from = dpdk_.now();
      for (const auto& e : out_.baseline) out_.measured_from = std::min(out_.measured_from, e.taken_at);
    }
  }
  if (why == Wait::kTime) why = wait(end, has_traffic, 0);
  out_.interrupted = why == Wait::kSignal;
  // A signal may come before the start.
  out_.stopped = std::max(dpdk_.now(), out_.started);
  drain();
  settle();
  runtime::PoolSnapshot last = pool_.snapshot();
  out_.final = std::move(last.endpoints);
  out_.network = std::move(last.network);
  observers_.end(sample_of(out_.final, dpdk_.now()), out_.network ? &*out_.network : nullptr);
  service_.stop();  // the connections that it closes are in the result, too
  out_.totals = pool_.totals();
  out_.changes_made = pool_.changes_made();
  out_.control.resize(config_.boards.size());
  for (const auto& board : service_.boards()) out_.control[board->board()] = report::control_result(*board);
  for (const auto& w : pool_.workers()) out_.workers.push_back(w->totals());
  return out_;
}

void Experiment::drain() {
  pool_.stop_traffic();
  const int signals = runtime::stop_signals();
  const Time limit = saturating_add(dpdk_.now(), config_.run.drain_timeout);
  // The totals that a worker publishes must be newer than the command.
  wait(dpdk_.now() + 5 * kMillisecond, false, signals);
  if (pool_.totals().unfinished == 0) return;
  table_.note(fmt::format("draining: up to {:g} s for outstanding requests (Ctrl-C{} gives them up)",
                          to_seconds(config_.run.drain_timeout), signals == 0 ? "" : " again"));
  if (wait(limit, true, signals) == Wait::kDone) return;
  out_.flushed = true;
  pool_.flush();
  wait(dpdk_.now() + kSecond, true, runtime::stop_signals());
}

void Experiment::settle() {
  if (config_.receivers.empty()) {
    // What a NIC still holds is to leave before it is stopped.
    wait(dpdk_.now() + kSettle, false, INT32_MAX);
    return;
  }
  std::uint64_t before = UINT64_MAX;
  for (std::uint64_t now = pool_.totals().port_queues.rx_packets; now != before;
       now = pool_.totals().port_queues.rx_packets) {
    before = now;
    wait(dpdk_.now() + kSettle, false, INT32_MAX);
  }
}

}  // namespace softfeb::experiment
