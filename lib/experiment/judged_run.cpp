// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/judged_run.hpp"

#include "endpoints/targets.hpp"
#include "experiment/phases.hpp"
#include "lab/run_stats.hpp"
#include "report/result.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

JudgedRun judge(const Setup& setup, Driver& driver, const report::Recorder& recorder,
                stats::Outcome outcome) {
  JudgedRun run{std::move(outcome), {}, {}};
  run.checks = lab::judge(setup.run(), driver.plans(), run.outcome, driver.endpoints(), sessions_of(driver),
                          setup.network() != nullptr);
  for (std::string& line : driver.remarks(run.outcome)) run.checks.messages.push_back(std::move(line));
  if (setup.network() == nullptr) return run;
  lab::RunStats stats = lab_stats(setup.lab, driver, run.outcome, recorder.metrics());
  stats.preempted_share = stats::preempted_share(run.outcome);
  recorder.complete(stats);
  for (const std::string& line : stats.rule_messages) run.checks.messages.push_back(line);
  run.lab = report::judge_lab(setup.lab, std::move(stats));
  return run;
}

}  // namespace

void make_table(const Setup& setup, const Driver& driver, std::optional<report::LiveTable>& table) {
  using Clock = report::LiveTable::Clock;
  table.emplace(setup.run(), driver.plans().all(), setup.network() == nullptr ? nullptr : &setup.lab.network,
                driver.virtual_time() ? Clock::kVirtual : Clock::kReal, setup.quiet);
}

const std::vector<endpoints::Targets::Session>& sessions_of(const Driver& driver) {
  static const std::vector<endpoints::Targets::Session> none;
  return driver.targets() == nullptr ? none : driver.targets()->sessions();
}

JudgedRun run_and_judge(const Setup& setup, Driver& driver, report::Recorder& recorder,
                        report::LiveTable& table, EventFiles* files) {
  const Driver::Say note = [&table](const std::string& text) { table.note(text); };
  std::vector<stats::Observer*> observers = driver.open(note);
  if (setup.network() != nullptr && driver.virtual_time()) recorder.watch_rates(driver.endpoints());
  for (stats::Observer* o : recorder.observers()) observers.push_back(o);
  observers.push_back(&table);
  stats::Outcome outcome = run_phases(setup.run(), driver, std::move(observers), note);
  if (files != nullptr) outcome.event_files = files->finish();
  return judge(setup, driver, recorder, std::move(outcome));
}

std::string speed_text(const Driver& driver, const JudgedRun& run, double seconds) {
  const double packets = static_cast<double>(std::max<std::uint64_t>(1, run.lab->figures.totals.packets));
  return fmt::format(
      "simulated {:g} s in {:.2f} s: {:.2f} million events per second, {:.2f} us per packet sent by "
      "a board\n",
      to_seconds(run.outcome.stopped - run.outcome.started), seconds,
      static_cast<double>(driver.events()) * 1e-6 / seconds, seconds * 1e6 / packets);
}

}  // namespace softfeb::experiment
