// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/carry_out.hpp"

#include "experiment/run_report.hpp"
#include "experiment/virtual_driver.hpp"
#include "runtime/stop_signal.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// True if the lab can run in virtual time, because all its endpoints are on the simulated network.
bool has_virtual_time(const config::LabConfig& lab) {
  return lab.port_stations.empty() && std::all_of(lab.station_of.begin(), lab.station_of.end(),
                                                  [](const auto& station) { return station.has_value(); });
}

/// Repeats a lab in virtual time after the run in real time, and keeps serving the live page during the
/// repetition. Returns nullopt if virtual time does not support the lab, or if a signal arrived.
std::optional<report::LabRun> run_in_virtual_time_too(const Setup& setup, Driver& real) {
  if (setup.network() == nullptr || real.virtual_time() || !has_virtual_time(setup.lab)) return std::nullopt;
  if (runtime::stop_signals() != 0) return std::nullopt;
  const Stopwatch watch;
  std::optional<report::LiveTable> table;
  const auto poll = [&real] {
    real.serve();
    return runtime::stop_signals();
  };
  VirtualDriver driver(setup.lab, poll, event_services(setup.run(), nullptr));
  make_table(setup, driver, table);
  report::Recorder recorder(setup.run(), &setup.lab, driver.plans().all(), std::nullopt);
  JudgedRun run = run_and_judge(setup, driver, recorder, *table, nullptr);
  if (run.outcome.interrupted) return std::nullopt;
  if (!setup.quiet) fmt::print(stderr, "{}", speed_text(driver, run, watch.seconds()));
  return std::move(run.lab);
}

}  // namespace

int carry_out(const Setup& setup, Driver& driver, EventFiles& files, const Stopwatch& watch) {
  std::optional<report::LiveTable> table;
  make_table(setup, driver, table);
  report::Recorder recorder(setup.run(), setup.network(), driver.plans().all(), setup.options.report);
  JudgedRun run = run_and_judge(setup, driver, recorder, *table, &files);
  const std::string speed = driver.virtual_time() ? speed_text(driver, run, watch.seconds()) : "";
  const std::optional<report::LabRun> in_virtual = run_in_virtual_time_too(setup, driver);
  if (in_virtual) {
    for (const std::string& line : in_virtual->figures.rule_messages)
      run.checks.messages.push_back("in virtual time: " + line);
  }

  RunReport report{setup, driver, recorder, run, in_virtual ? &*in_virtual : nullptr};
  report.write();
  return report.conclude(speed);
}

}  // namespace softfeb::experiment
