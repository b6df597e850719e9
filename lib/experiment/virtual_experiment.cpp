// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/virtual_experiment.hpp"

#include "report/live_table.hpp"
#include "runtime/stop_signal.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

stats::Outcome outcome_of(const config::RunConfig& config, simulator::VirtualOutcome&& o) {
  stats::Outcome out;
  out.started = o.origin;
  out.measured_from = o.measured_from;
  out.stopped = o.stopped;
  out.interrupted = o.interrupted;
  out.flushed = o.flushed;
  out.ended_in_warmup = config.run.warmup != 0 && o.baseline.empty();
  out.baseline = std::move(o.baseline);
  out.final = std::move(o.final);
  out.changes_made = std::move(o.changes_made);
  return out;
}

}  // namespace

VirtualExperiment run_virtually(const config::LabConfig& config, simulator::VirtualLab& lab,
                                report::LabRecorder& recorder, bool quiet,
                                const std::function<void()>& meanwhile) {
  VirtualExperiment e;
  const auto begun = Clock::now();
  report::LiveTable table(config.run, lab.plans().all(), &config.network, report::LiveTable::Clock::kVirtual,
                          quiet);
  recorder.prepare(lab.endpoints());
  std::vector<stats::Observer*> observers = recorder.observers();
  observers.push_back(&table);
  const int signals = runtime::stop_signals();
  simulator::VirtualOutcome outcome = lab.run(observers, [&](Time) {
    meanwhile();
    return runtime::stop_signals() == signals;
  });
  e.seconds = seconds_since(begun);
  e.events = outcome.events;
  lab::RunStats figures = simulator::figures_of(config, lab, outcome, recorder.metrics());
  recorder.complete(figures);
  e.run = report::judge_lab(config, std::move(figures));
  e.network = std::move(outcome.network);
  e.outcome = outcome_of(config.run, std::move(outcome));
  e.outcome.deliveries = stats::DeliveryMap(config.run, lab.plans().all());
  return e;
}

std::string speed_in_words(const VirtualExperiment& e) {
  const double packets = static_cast<double>(std::max<std::uint64_t>(1, e.run.figures.totals.packets));
  return fmt::format(
      "{:g} s of the fabric's time in {:.2f} s: {:.2f} million events a second, {:.2f} us for each packet of "
      "a board",
      to_seconds(e.outcome.stopped - e.outcome.started), e.seconds,
      static_cast<double>(e.events) * 1e-6 / e.seconds, e.seconds * 1e6 / packets);
}

}  // namespace softfeb::experiment
