// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run.hpp"

#include "base/exit_code.hpp"
#include "config/load.hpp"
#include "dataplane/huge_memory.hpp"
#include "experiment/experiment.hpp"
#include "experiment/run_parts.hpp"
#include "experiment/useless_options.hpp"
#include "experiment/web.hpp"
#include "report/pictures.hpp"
#include "report/result.hpp"
#include "report/series.hpp"
#include "runtime/stop_signal.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace softfeb::experiment {

int run(const RunOptions& options) {
  refuse_useless(options);
  const config::RunConfig config = config::load_run(options.config, options.overrides);
  const bool quiet = options.quiet || config.run.quiet;
  const config::WebConfig page =
      config::load_web(options.config, options.overrides).value_or(config::WebConfig{});
  refuse_useless_hold(options.hold, page.on);
  report::check_writable(config, options.json, options.report);
  endpoints::Payloads payloads(config);
  endpoints::Targets targets(config);
  runtime::DpdkRuntime dpdk(config, payloads.arena_bytes());
  payloads.stage([&dpdk](std::size_t bytes) { return dpdk.arena().allocate(bytes); });
  runtime::catch_stop_signals();
  dpdk.wait_for_links(config.run.connect_timeout, quiet);
  if (runtime::stop_signals() != 0) return stopped_early();
  connect_peers(config, dpdk, targets, payloads, quiet);

  endpoints::Endpoints endpoints = endpoints::make_endpoints(
      config, targets.all(), payloads, largest_pmtus(dpdk), engine::LinkShaper::kSlack,
      [&dpdk](std::size_t worker, const std::function<void()>& make) { dpdk.for_worker(worker, make); },
      &dataplane::HugeMemory::instance());
  runtime::WorkerPool pool(config, dpdk, endpoints);
  report::LiveTable table(config, targets.plans(), nullptr, report::LiveTable::Clock::kReal, quiet);
  slowcontrol::ControlService service(config, dpdk, pool, endpoints,
                                      [&table](const std::string& text) { table.note(text); });
  pool.wait_by([&](Time length) { service.run_until(dpdk.now() + length); });
  if (!quiet) {
    print_start(config, dpdk, pool);
    print_control(config, service);
  }
  targets.begin();
  std::optional<report::Series> series;
  if (options.report) series.emplace(config, targets.plans(), *options.report + '/' + report::kReportSeries);
  std::optional<Web> web;
  web.emplace(WebDeps{.config = &config,
                      .plans = &targets.plans(),
                      .web = page,
                      .dpdk = &dpdk,
                      .pool = &pool,
                      .service = &service,
                      .say = [&table](const std::string& text) { table.note(text); }});
  std::vector<stats::Observer*> observers = web->observers();
  observers.push_back(&table);
  if (series) observers.push_back(&*series);
  stats::Outcome outcome = Experiment(config, dpdk, pool, service, table, observers).run();
  outcome.deliveries = stats::DeliveryMap(config, targets.plans());
  service.stop();
  end_sessions(targets, outcome);
  pool.quit();

  close_maps(targets, outcome, endpoints);
  const lab::Judgement judgement = lab::judge(config, targets.all(), outcome, endpoints, targets.sessions());
  if (options.json || options.report) {
    const auto result =
        report::make_result(config, &dpdk, targets.all(), outcome, endpoints, targets.sessions(), judgement)
            .dump(1) +
        "\n";
    if (options.json) report::write_atomically(*options.json, result);
    if (options.report) {
      report::write_atomically(*options.report + '/' + report::kReportConfig, config::to_yaml(config));
      report::write_atomically(*options.report + '/' + report::kReportResult, result);
      series->finish();
    }
  }
  std::vector<std::string> files = report::write_outputs(config, targets.all(), endpoints);
  for (std::string& line : dpdk.write_captures()) files.push_back(std::move(line));
  const std::string table_text = report::result_table(config, targets.all(), outcome, endpoints, judgement);
  if (!quiet && options.json != "-") {
    fmt::print("{}", table_text);
    for (const std::string& line : files) fmt::print("{}\n", line);
  }
  if (!quiet) print_missed_changes(config, outcome);
  if (quiet) {
    for (const std::string& m : judgement.messages) fmt::print(stderr, "softfeb: {}\n", m);
  }
  if (options.report && options.pictures)
    report::make_pictures(*options.report, quiet || options.json == "-");
  web->conclude(judgement.held() ? "held" : "failed", table_text);
  if (options.hold && !outcome.interrupted) hold(*web, quiet);
  return judgement.held() ? kDone : kCheckFailed;
}

}  // namespace softfeb::experiment
