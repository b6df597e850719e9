// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include "config/load.hpp"
#include "dataplane/huge_memory.hpp"
#include "exit_code.hpp"
#include "experiment.hpp"
#include "lost_options.hpp"
#include "pictures.hpp"
#include "result.hpp"
#include "run_parts.hpp"
#include "series.hpp"
#include "stop_signal.hpp"
#include "web.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace softfeb::app {

int run(const RunOptions& options) {
  refuse_lost(options);
  const config::RunConfig config = config::load_run(options.config, options.overrides);
  const bool quiet = options.quiet || config.run.quiet;
  const config::WebConfig page =
      config::load_web(options.config, options.overrides).value_or(config::WebConfig{});
  refuse_hold_of_nothing(options.hold, page.on);
  check_writable(config, options.json, options.report);
  Payloads payloads(config);
  Targets targets(config);
  Machine machine(config, payloads.arena_bytes());
  payloads.stage([&machine](std::size_t bytes) { return machine.arena().allocate(bytes); });
  catch_stop_signals();
  machine.wait_for_links(config.run.connect_timeout, quiet);
  if (stop_signals() != 0) return stopped_early();
  connect_peers(config, machine, targets, payloads, quiet);

  Endpoints endpoints = make_endpoints(
      config, targets.all(), payloads, largest_pmtus(machine), engine::LinkShaper::kSlack,
      [&machine](std::size_t worker, const std::function<void()>& make) { machine.for_worker(worker, make); },
      &dataplane::HugeMemory::instance());
  Crew crew(config, machine, endpoints);
  LiveTable table(config, targets.plans(), nullptr, LiveTable::Clock::kReal, quiet);
  ControlService service(config, machine, crew, endpoints,
                         [&table](const std::string& text) { table.note(text); });
  crew.wait_by([&](Time length) { service.run_until(machine.now() + length); });
  if (!quiet) {
    print_start(config, machine, crew);
    print_control(config, service);
  }
  targets.begin();
  std::optional<Series> series;
  if (options.report) series.emplace(config, targets.plans(), *options.report + '/' + kReportSeries);
  std::optional<Web> web;
  web.emplace(WebParts{.config = &config,
                       .plans = &targets.plans(),
                       .web = page,
                       .machine = &machine,
                       .crew = &crew,
                       .service = &service,
                       .say = [&table](const std::string& text) { table.note(text); }});
  std::vector<lab::Observer*> observers = web->observers();
  observers.push_back(&table);
  if (series) observers.push_back(&*series);
  Outcome outcome = Experiment(config, machine, crew, service, table, observers).run();
  outcome.deliveries = lab::DeliveryMap(config, targets.plans());
  service.stop();
  end_sessions(targets, outcome);
  crew.quit();

  close_maps(targets, outcome, endpoints);
  const Judgement judgement = judge(config, targets.all(), outcome, endpoints, targets.sessions());
  if (options.json || options.report) {
    const auto result =
        make_result(config, &machine, targets.all(), outcome, endpoints, targets.sessions(), judgement)
            .dump(1) +
        "\n";
    if (options.json) write_atomically(*options.json, result);
    if (options.report) {
      write_atomically(*options.report + '/' + kReportConfig, config::to_yaml(config));
      write_atomically(*options.report + '/' + kReportResult, result);
      series->finish();
    }
  }
  std::vector<std::string> files = write_outputs(config, targets.all(), endpoints);
  for (std::string& line : machine.write_captures()) files.push_back(std::move(line));
  const std::string table_text = result_table(config, targets.all(), outcome, endpoints, judgement);
  if (!quiet && options.json != "-") {
    fmt::print("{}", table_text);
    for (const std::string& line : files) fmt::print("{}\n", line);
  }
  if (!quiet) print_missed_changes(config, outcome);
  if (quiet) {
    for (const std::string& m : judgement.messages) fmt::print(stderr, "softfeb: {}\n", m);
  }
  if (options.report && options.pictures) make_pictures(*options.report, quiet || options.json == "-");
  web->conclude(judgement.held() ? "held" : "failed", table_text);
  if (options.hold && !outcome.interrupted) hold(*web, quiet);
  return judgement.held() ? kDone : kCheckFailed;
}

}  // namespace softfeb::app
