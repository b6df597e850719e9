// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_report.hpp"

#include "config/load.hpp"
#include "experiment/event_files.hpp"
#include "report/camera_image.hpp"
#include "report/completion_result.hpp"
#include "report/latency_result.hpp"
#include "report/pictures.hpp"
#include "report/result.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "service/log.hpp"

#include <utility>

#include <fmt/format.h>

namespace softfeb::experiment {

void check_output(const Setup& setup) {
  report::check_writable(setup.run(), setup.options.json, setup.options.report);
  check_event_files(setup.run());
}

lab::Verdict RunReport::verdict() const {
  if (run.lab) return report::verdict_of(run.checks, *run.lab, in_virtual);
  return run.checks.held() ? lab::Verdict::kHeld : lab::Verdict::kFailed;
}

std::string RunReport::document() const {
  auto json = report::make_result(setup.run(), driver.dpdk(), driver.plans(), run.outcome, driver.endpoints(),
                                  sessions_of(driver), run.checks);
  if (run.lab) report::add_lab(json, setup.lab, *run.outcome.network, run.checks, *run.lab, in_virtual);
  return json.dump(1) + "\n";
}

void RunReport::write() const {
  const Options& o = setup.options;
  if (!o.json && !o.report) return;
  const std::string result = document();
  if (o.json) report::write_atomically(*o.json, result);
  if (!o.report) return;
  report::write_atomically(*o.report + '/' + report::kReportConfig,
                           run.lab ? config::to_yaml(setup.lab) : config::to_yaml(setup.run()));
  report::write_atomically(*o.report + '/' + report::kReportResult, result);
  if (run.outcome.stages != nullptr)
    report::write_atomically(*o.report + '/' + report::kReportLatency,
                             report::latency_csv(*run.outcome.stages));
  write_camera_image(*o.report);
  recorder.finish();
}

void RunReport::write_camera_image(const std::string& folder) const {
  for (const auto& receiver : driver.endpoints().receivers) {
    if (receiver->events() == nullptr) continue;
    if (const auto text = report::camera_csv(*receiver->events()))
      return report::write_atomically(folder + '/' + report::kReportCamera, *text);
  }
}

std::string RunReport::table() const {
  std::string text =
      report::result_table(setup.run(), driver.plans(), run.outcome, driver.endpoints(), run.checks);
  if (!run.lab) {
    const auto times = lab::completion_times(driver.endpoints());
    return times ? text + report::completion_table(*times, "messages") : text;
  }
  const bool real = !driver.virtual_time();
  return text + report::lab_table(setup.lab, real ? &*run.lab : nullptr, real ? in_virtual : &*run.lab);
}

std::vector<std::string> RunReport::files() const {
  std::vector<std::string> lines = report::write_outputs(setup.run(), driver.plans(), driver.endpoints());
  if (driver.dpdk() == nullptr) return lines;
  for (std::string& line : driver.dpdk()->write_captures()) lines.push_back(std::move(line));
  return lines;
}

void RunReport::print(const std::string& table, const std::string& speed) const {
  const std::vector<std::string> lines = files();
  if (setup.quiet) {
    for (const std::string& m : run.checks.messages) service::warning("softfeb: " + m);
    return;
  }
  if (setup.options.json != "-") {
    fmt::print("{}", table);
    for (const std::string& line : lines) fmt::print("{}\n", line);
  }
  fmt::print(stderr, "{}", speed);
  print_missed_changes();
}

void RunReport::print_missed_changes() const {
  const config::RunConfig& config = setup.run();
  for (std::size_t i = 0; i < config.changes.size(); ++i) {
    if (run.outcome.changes_made[i] != 0) continue;
    service::warning(fmt::format("the change of board {} at {:g} s was not applied: the run ended before it",
                                 config.boards[config.changes[i].board].endpoint.name,
                                 to_seconds(config.changes[i].at)));
  }
}

int RunReport::conclude(const std::string& speed) const {
  const Options& options = setup.options;
  const std::string text = table();
  print(text, speed);
  if (options.report && options.pictures)
    report::make_pictures(*options.report, setup.quiet || options.json == "-");
  driver.conclude(std::string(lab::to_string(verdict())), text);
  if (options.hold && !run.outcome.interrupted) driver.hold_page();
  return report::exit_code_of(verdict());
}

}  // namespace softfeb::experiment
