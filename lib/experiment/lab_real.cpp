// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"
#include "dataplane/huge_memory.hpp"
#include "experiment/lab.hpp"
#include "experiment/network_balance.hpp"
#include "experiment/run_parts.hpp"
#include "experiment/useless_options.hpp"
#include "experiment/virtual_experiment.hpp"
#include "experiment/web.hpp"
#include "lab/run_stats.hpp"
#include "report/pictures.hpp"
#include "report/result.hpp"
#include "runtime/stop_signal.hpp"
#include "stats/goodput.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// How late a board may be without losing time on its link: up to what counts as preempted. Much more than on
/// a port, because a network of ours sends one frame after the other however they come, and its transmitters
/// obey pauses.
constexpr Time kNetworkSlack = dataplane::LoopCounters::kPreempted;

/// Whatever is behind a port that is a station may be sent to: none of our addresses is there.
config::LabConfig hearing_everything(config::LabConfig lab) {
  for (const auto& [station, port] : lab.port_stations) {
    config::PortConfig& p = lab.run.ports[port];
    if (p.promiscuous == config::Promiscuous::kAuto) p.promiscuous = config::Promiscuous::kOn;
  }
  return lab;
}

/// Nothing of it is outside.
bool has_virtual_time(const config::LabConfig& lab) {
  return lab.port_stations.empty() && std::all_of(lab.station_of.begin(), lab.station_of.end(),
                                                  [](const auto& station) { return station.has_value(); });
}

report::LabRun judge_real(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk,
                          const runtime::WorkerPool& pool, const endpoints::Targets& targets,
                          const endpoints::Endpoints& endpoints, const endpoints::Payloads& payloads,
                          const lab::Metrics& metrics, const stats::Outcome& o) {
  const stats::Sample last{.at = o.stopped - o.started,
                           .origin = o.started,
                           .endpoints = &o.final,
                           .network = o.network ? &*o.network : nullptr};
  lab::RunStats figures =
      lab::run_stats(lab, targets.all(), endpoints, payloads, metrics, last, edge_of(lab, dpdk, pool, o));
  figures.balances.push_back(ring_balance(lab, dpdk));
  figures.preempted_share = stats::preempted_share(o);
  return report::judge_lab(lab, std::move(figures));
}

/// The same topology without a clock, so that its figures stand beside; none where there is no such thing.
/// Who looks at the page is served meanwhile.
std::optional<report::LabRun> run_beside(const config::LabConfig& lab, bool quiet,
                                         const std::function<void()>& meanwhile) {
  if (!has_virtual_time(lab) || runtime::stop_signals() != 0) return std::nullopt;
  simulator::VirtualLab virtual_lab(lab);
  report::LabRecorder recorder(lab, virtual_lab.plans().all(), std::nullopt);
  VirtualExperiment e = run_virtually(lab, virtual_lab, recorder, quiet, meanwhile);
  if (e.outcome.interrupted) return std::nullopt;
  if (!quiet) fmt::print(stderr, "{}\n", speed_in_words(e));
  return std::move(e.run);
}

}  // namespace

int lab_real(const LabOptions& options) {
  const config::LabConfig lab = hearing_everything(config::load_lab(options.config, options.overrides));
  const config::RunConfig& config = lab.run;
  const bool quiet = options.quiet || config.run.quiet;
  const auto wanted = config::load_web(options.config, options.overrides);
  const config::WebConfig page = wanted.value_or(config::WebConfig{.on = !quiet});
  refuse_useless_hold(options.hold, page.on);
  report::check_writable(config, options.json, options.report);
  endpoints::Payloads payloads(config);
  endpoints::Targets targets(config);
  runtime::DpdkRuntime dpdk(config, payloads.arena_bytes());
  payloads.stage([&dpdk](std::size_t bytes) { return dpdk.arena().allocate(bytes); });
  runtime::catch_stop_signals();
  dpdk.wait_for_links(config.run.connect_timeout, quiet);
  if (runtime::stop_signals() != 0) return stopped_early();
  connect_peers(config, dpdk, targets, payloads, quiet, &lab);

  endpoints::Endpoints endpoints = endpoints::make_endpoints(
      config, targets.all(), payloads, largest_pmtus(dpdk), kNetworkSlack,
      [&dpdk](std::size_t worker, const std::function<void()>& make) { dpdk.for_worker(worker, make); },
      &dataplane::HugeMemory::instance());
  runtime::WorkerPool pool(config, dpdk, endpoints, &lab);
  report::LiveTable table(config, targets.plans(), &lab.network, report::LiveTable::Clock::kReal, quiet);
  slowcontrol::ControlService service(config, dpdk, pool, endpoints,
                                      [&table](const std::string& text) { table.note(text); });
  pool.wait_by([&](Time length) { service.run_until(dpdk.now() + length); });
  if (!quiet) {
    print_start(config, dpdk, pool);
    print_control(config, service);
  }
  targets.begin();
  report::LabRecorder recorder(lab, targets.plans(), options.report);
  std::vector<stats::Observer*> observers = recorder.observers();
  observers.insert(observers.begin(), &table);
  std::optional<Web> web;
  web.emplace(WebDeps{.config = &config,
                      .plans = &targets.plans(),
                      .lab = &lab,
                      .web = page,
                      .asked_for = wanted.has_value(),
                      .dpdk = &dpdk,
                      .pool = &pool,
                      .service = &service,
                      .say = [&table](const std::string& text) { table.note(text); }});
  observers.insert(observers.end(), web->observers().begin(), web->observers().end());
  stats::Outcome outcome = Experiment(config, dpdk, pool, service, table, observers).run();
  outcome.deliveries = stats::DeliveryMap(config, targets.plans());
  service.stop();
  end_sessions(targets, outcome);
  pool.quit();

  close_maps(targets, outcome, endpoints);
  lab::Judgement judgement = lab::judge(config, targets.all(), outcome, endpoints, targets.sessions());
  for (std::string& line : lateness_lines(lab, outcome)) judgement.messages.push_back(std::move(line));
  const report::LabRun real =
      judge_real(lab, dpdk, pool, targets, endpoints, payloads, recorder.metrics(), outcome);
  const std::optional<report::LabRun> beside = run_beside(lab, quiet, [&] { service.run_until(dpdk.now()); });
  const report::LabRun* const in_virtual = beside ? &*beside : nullptr;
  if (options.json || options.report) {
    auto json =
        report::make_result(config, &dpdk, targets.all(), outcome, endpoints, targets.sessions(), judgement);
    report::add_lab(json, lab, *outcome.network, judgement, real, in_virtual);
    const std::string result = json.dump(1) + "\n";
    if (options.json) report::write_atomically(*options.json, result);
    if (options.report) {
      report::write_atomically(*options.report + '/' + report::kReportConfig, config::to_yaml(lab));
      report::write_atomically(*options.report + '/' + report::kReportResult, result);
      recorder.finish();
    }
  }
  std::vector<std::string> files = report::write_outputs(config, targets.all(), endpoints);
  for (std::string& line : dpdk.write_captures()) files.push_back(std::move(line));
  const std::string table_text = report::result_table(config, targets.all(), outcome, endpoints, judgement) +
                                 report::lab_table(lab, &real, in_virtual);
  const lab::Verdict verdict = report::verdict_of(judgement, real, in_virtual);
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
  web->conclude(std::string(lab::to_string(verdict)), table_text);
  if (options.hold && !outcome.interrupted) hold(*web, quiet);
  return report::exit_code_of(verdict);
}

}  // namespace softfeb::experiment
