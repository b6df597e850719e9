// SPDX-License-Identifier: BSD-3-Clause
#include "base/exit_code.hpp"
#include "config/compared.hpp"
#include "config/load.hpp"
#include "experiment/event_files.hpp"
#include "experiment/phases.hpp"
#include "experiment/setup.hpp"
#include "experiment/virtual_driver.hpp"
#include "lab/checks.hpp"
#include "lab/run_means.hpp"
#include "report/compare_result.hpp"
#include "report/pictures.hpp"
#include "report/recorder.hpp"
#include "report/result.hpp"
#include "runtime/stop_signal.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace softfeb::experiment {

namespace {

using report::ComparedRun;

std::optional<std::string> folder_of(const Options& options, const config::ComparedLab& lab) {
  if (!options.report) return std::nullopt;
  return *options.report + '/' + lab.name;
}

/// If `run.series_interval` has its default value, shortens it to 1/200 of the run, but not below kShortest.
/// 200 points per chart panel are enough for a comparison.
void refine_series(config::RunSettings& run) {
  constexpr Time kPoints = 200, kShortest = 10 * kMicrosecond;
  const Time usual = config::RunSettings().series_interval;
  if (run.duration && run.series_interval == usual)
    run.series_interval = std::clamp(*run.duration / kPoints, kShortest, usual);
}

/// Returns the names of the checks that count towards the verdict and did not hold.
std::vector<std::string> failed_checks(const lab::Judgement& judgement, const report::LabRun& run) {
  std::vector<std::string> failed;
  for (const lab::Check& c : judgement.checks) {
    if (!c.held) failed.push_back(c.name);
  }
  for (const lab::CheckResult& c : run.checks) {
    if (c.gated && !c.held) failed.push_back(c.name);
  }
  return failed;
}

void write_folder(const std::string& folder, const ComparedRun& run, report::Recorder& recorder) {
  report::write_atomically(folder + '/' + report::kReportConfig, config::to_yaml(run.lab->config));
  report::write_atomically(folder + '/' + report::kReportResult, run.result.dump(1) + "\n");
  recorder.finish();
}

void carry_out(ComparedRun& run, const Options& options) {
  const config::LabConfig& config = run.lab->config;
  const std::optional<std::string> folder = folder_of(options, *run.lab);
  VirtualDriver driver(config, runtime::stop_signals, event_services(config.run, nullptr));
  report::Recorder recorder(config.run, &config, driver.plans().all(), folder);
  recorder.watch_rates(driver.endpoints());
  lab::RunMeans means(config);
  std::vector<stats::Observer*> observers = recorder.observers();
  observers.push_back(&means);
  const stats::Outcome outcome =
      run_phases(config.run, driver, std::move(observers), [](const std::string&) {});
  const lab::Judgement judgement =
      lab::judge(config.run, driver.plans(), outcome, driver.endpoints(), {}, true);
  lab::RunStats stats = lab_stats(config, driver, outcome, recorder.metrics());
  recorder.complete(stats);
  run.judged = report::judge_lab(config, std::move(stats));
  run.failed = failed_checks(judgement, run.judged);
  run.goodput = means.goodput();
  run.queue_bytes_mean = means.queue_bytes();
  run.rtt_s = means.rtt();
  run.result =
      report::make_result(config.run, nullptr, driver.plans(), outcome, driver.endpoints(), {}, judgement);
  report::add_lab(run.result, config, *outcome.network, judgement, run.judged, nullptr);
  run.done = !outcome.interrupted;
  if (folder) write_folder(*folder, run, recorder);
}

/// Carries out all runs, in parallel on all CPUs.
void run_all(std::vector<ComparedRun>& runs, const Options& options, bool shown) {
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex terminal;
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.size() && runtime::stop_signals() == 0; i = next++) {
      try {
        carry_out(runs[i], options);
      } catch (const std::exception& e) {
        runs[i].error = e.what();
      }
      const std::lock_guard lock(terminal);
      ++done;
      if (shown) fmt::print(stderr, "\r\033[K{} of {} runs", done, runs.size());
    }
  };
  std::vector<std::thread> threads;
  const std::size_t cpus = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cpus, runs.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
  if (shown) fmt::print(stderr, "\r\033[K");
}

void print_failures(const std::vector<ComparedRun>& runs) {
  for (const ComparedRun& run : runs) {
    const std::string& name = run.lab->name;
    if (!run.error.empty()) fmt::print(stderr, "softfeb: {}: {}\n", name, run.error);
    if (!run.done && run.error.empty()) fmt::print(stderr, "softfeb: {}: stopped by a signal\n", name);
    for (const std::string& check : run.failed)
      fmt::print(stderr, "softfeb: {}: check {} failed\n", name, check);
  }
}

}  // namespace

int run_compare(const Options& options) {
  refuse_useless(options);
  config::Comparison comparison =
      config::load_compared(options.config, options.overrides, options.algorithms);
  std::vector<config::ComparedLab>& labs = comparison.labs;
  const config::LabConfig base = config::load_lab(options.config, options.overrides);
  report::check_writable(base.run, options.json, options.report);
  std::vector<ComparedRun> runs(labs.size());
  for (std::size_t i = 0; i < labs.size(); ++i) {
    refine_series(labs[i].config.run.run);
    runs[i].lab = &labs[i];
    if (const auto folder = folder_of(options, labs[i]))
      report::check_writable(base.run, std::nullopt, folder);
  }
  runtime::catch_stop_signals();
  run_all(runs, options, !options.quiet && isatty(STDERR_FILENO) != 0);
  const std::string result = report::compare_json(base, comparison.unfit, runs).dump(1) + "\n";
  if (options.json) report::write_atomically(*options.json, result);
  if (options.report) {
    report::write_atomically(*options.report + '/' + report::kReportConfig, config::to_yaml(base));
    report::write_atomically(*options.report + '/' + report::kReportResult, result);
  }
  if (!options.quiet && options.json != "-")
    fmt::print("{}", report::compare_table(base, comparison.unfit, runs));
  std::fflush(stdout);
  print_failures(runs);
  if (options.report && options.pictures)
    report::make_pictures(*options.report, options.quiet || options.json == "-");
  const bool held = std::all_of(runs.begin(), runs.end(), [](const ComparedRun& r) { return r.held(); });
  return held ? kDone : kCheckFailed;
}

}  // namespace softfeb::experiment
