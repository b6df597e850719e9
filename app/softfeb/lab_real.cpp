// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"
#include "dataplane/huge_memory.hpp"
#include "figures.hpp"
#include "lab.hpp"
#include "lab/run_figures.hpp"
#include "lost_options.hpp"
#include "network_books.hpp"
#include "pictures.hpp"
#include "result.hpp"
#include "run_parts.hpp"
#include "stop_signal.hpp"
#include "virtual_experiment.hpp"
#include "web.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

#include <fmt/format.h>

namespace softfeb::app {

namespace {

/// How late a board may be without losing time on its link: up to what counts as stolen. Much more than on a
/// port, because a network of ours sends one frame after the other however they come, and its transmitters
/// obey pauses.
constexpr Time kNetworkSlack = dataplane::LoopCounters::kStolen;

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

LabRun judge_real(const config::LabConfig& lab, const Machine& machine, const Crew& crew,
                  const Targets& targets, const Endpoints& endpoints, const Payloads& payloads,
                  const lab::Metrics& metrics, const Outcome& o) {
  const lab::Sample last{.at = o.stopped - o.started,
                         .origin = o.started,
                         .endpoints = &o.final,
                         .network = o.network ? &*o.network : nullptr};
  lab::RunFigures figures = lab::run_figures(lab, targets.all(), endpoints, payloads, metrics, last,
                                             edge_of(lab, machine, crew, o));
  figures.balances.push_back(ring_balance(lab, machine));
  figures.stolen_share = stolen_share(o);
  return judge_lab(lab, std::move(figures));
}

/// The same topology without a clock, so that its figures stand beside; none where there is no such thing.
/// Who looks at the page is served meanwhile.
std::optional<LabRun> run_beside(const config::LabConfig& lab, bool quiet,
                                 const std::function<void()>& meanwhile) {
  if (!has_virtual_time(lab) || stop_signals() != 0) return std::nullopt;
  lab::VirtualLab virtual_lab(lab);
  LabRecorder recorder(lab, virtual_lab.plans().all(), std::nullopt);
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
  refuse_hold_of_nothing(options.hold, page.on);
  check_writable(config, options.json, options.report);
  Payloads payloads(config);
  Targets targets(config);
  Machine machine(config, payloads.arena_bytes());
  payloads.stage([&machine](std::size_t bytes) { return machine.arena().allocate(bytes); });
  catch_stop_signals();
  machine.wait_for_links(config.run.connect_timeout, quiet);
  if (stop_signals() != 0) return stopped_early();
  connect_peers(config, machine, targets, payloads, quiet, &lab);

  Endpoints endpoints = make_endpoints(
      config, targets.all(), payloads, largest_pmtus(machine), kNetworkSlack,
      [&machine](std::size_t worker, const std::function<void()>& make) { machine.for_worker(worker, make); },
      &dataplane::HugeMemory::instance());
  Crew crew(config, machine, endpoints, &lab);
  LiveTable table(config, targets.plans(), &lab.network, LiveTable::Clock::kReal, quiet);
  ControlService service(config, machine, crew, endpoints,
                         [&table](const std::string& text) { table.note(text); });
  crew.wait_by([&](Time length) { service.run_until(machine.now() + length); });
  if (!quiet) {
    print_start(config, machine, crew);
    print_control(config, service);
  }
  targets.begin();
  LabRecorder recorder(lab, targets.plans(), options.report);
  std::vector<lab::Observer*> observers = recorder.observers();
  observers.insert(observers.begin(), &table);
  std::optional<Web> web;
  web.emplace(WebParts{.config = &config,
                       .plans = &targets.plans(),
                       .lab = &lab,
                       .web = page,
                       .asked_for = wanted.has_value(),
                       .machine = &machine,
                       .crew = &crew,
                       .service = &service,
                       .say = [&table](const std::string& text) { table.note(text); }});
  observers.insert(observers.end(), web->observers().begin(), web->observers().end());
  Outcome outcome = Experiment(config, machine, crew, service, table, observers).run();
  outcome.deliveries = lab::DeliveryMap(config, targets.plans());
  service.stop();
  end_sessions(targets, outcome);
  crew.quit();

  close_maps(targets, outcome, endpoints);
  Judgement judgement = judge(config, targets.all(), outcome, endpoints, targets.sessions());
  for (std::string& line : lateness_lines(lab, outcome)) judgement.messages.push_back(std::move(line));
  const LabRun real =
      judge_real(lab, machine, crew, targets, endpoints, payloads, recorder.metrics(), outcome);
  const std::optional<LabRun> beside = run_beside(lab, quiet, [&] { service.run_until(machine.now()); });
  const LabRun* const in_virtual = beside ? &*beside : nullptr;
  if (options.json || options.report) {
    auto json =
        make_result(config, &machine, targets.all(), outcome, endpoints, targets.sessions(), judgement);
    add_lab(json, lab, *outcome.network, judgement, real, in_virtual);
    const std::string result = json.dump(1) + "\n";
    if (options.json) write_atomically(*options.json, result);
    if (options.report) {
      write_atomically(*options.report + '/' + kReportConfig, config::to_yaml(lab));
      write_atomically(*options.report + '/' + kReportResult, result);
      recorder.finish();
    }
  }
  std::vector<std::string> files = write_outputs(config, targets.all(), endpoints);
  for (std::string& line : machine.write_captures()) files.push_back(std::move(line));
  const std::string table_text =
      result_table(config, targets.all(), outcome, endpoints, judgement) + lab_table(lab, &real, in_virtual);
  const lab::Verdict verdict = verdict_of(judgement, real, in_virtual);
  if (!quiet && options.json != "-") {
    fmt::print("{}", table_text);
    for (const std::string& line : files) fmt::print("{}\n", line);
  }
  if (!quiet) print_missed_changes(config, outcome);
  if (quiet) {
    for (const std::string& m : judgement.messages) fmt::print(stderr, "softfeb: {}\n", m);
  }
  if (options.report && options.pictures) make_pictures(*options.report, quiet || options.json == "-");
  web->conclude(std::string(lab::to_string(verdict)), table_text);
  if (options.hold && !outcome.interrupted) hold(*web, quiet);
  return exit_code_of(verdict);
}

}  // namespace softfeb::app
