// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_experiment.hpp"

#include "base/exit_code.hpp"
#include "config/load.hpp"
#include "endpoints/targets.hpp"
#include "experiment/ensemble.hpp"
#include "experiment/event_files.hpp"
#include "experiment/host_checks.hpp"
#include "experiment/host_link.hpp"
#include "experiment/hosts_driver.hpp"
#include "experiment/part_checks.hpp"
#include "experiment/phases.hpp"
#include "experiment/real_driver.hpp"
#include "experiment/setup.hpp"
#include "experiment/virtual_driver.hpp"
#include "hosts/host_order.hpp"
#include "lab/checks.hpp"
#include "lab/part_plan.hpp"
#include "lab/run_stats.hpp"
#include "report/camera_image.hpp"
#include "report/completion_result.hpp"
#include "report/lab_result.hpp"
#include "report/latency_result.hpp"
#include "report/live_table.hpp"
#include "report/pictures.hpp"
#include "report/recorder.hpp"
#include "report/result.hpp"
#include "runtime/stop_signal.hpp"
#include "stats/goodput.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// A finished run and its checks.
struct JudgedRun {
  stats::Outcome outcome;
  lab::Judgement checks;              ///< checks of every run
  std::optional<report::LabRun> lab;  ///< checks of the lab; empty for `softfeb run`
};

std::unique_ptr<Driver> make_driver(const Setup& setup, EventFiles& files) {
  if (!setup.options.virtual_time) return RealDriver::make(setup, files);
  runtime::catch_stop_signals();
  return std::make_unique<VirtualDriver>(setup.lab, runtime::stop_signals,
                                         event_services(setup.run(), &files), true);
}

void make_table(const Setup& setup, const Driver& driver, std::optional<report::LiveTable>& table) {
  using Clock = report::LiveTable::Clock;
  table.emplace(setup.run(), driver.plans().all(), setup.network() == nullptr ? nullptr : &setup.lab.network,
                driver.virtual_time() ? Clock::kVirtual : Clock::kReal, setup.quiet);
}

const std::vector<endpoints::Targets::Session>& sessions_of(const Driver& driver) {
  static const std::vector<endpoints::Targets::Session> none;
  return driver.targets() == nullptr ? none : driver.targets()->sessions();
}

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

/// Runs the phases and judges the run. `files`: event files of the run; may be null. `table` must outlive the
/// driver, which may write to the table until the driver is destroyed.
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

/// Reports the speed of the simulation.
std::string speed_text(const Driver& driver, const JudgedRun& run, double seconds) {
  const double packets = static_cast<double>(std::max<std::uint64_t>(1, run.lab->figures.totals.packets));
  return fmt::format(
      "simulated {:g} s in {:.2f} s: {:.2f} million events per second, {:.2f} us per packet sent by "
      "a board\n",
      to_seconds(run.outcome.stopped - run.outcome.started), seconds,
      static_cast<double>(driver.events()) * 1e-6 / seconds, seconds * 1e6 / packets);
}

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begun_ = Clock::now();
};

/// True if the lab can run in virtual time, because all its endpoints are on the simulated network.
bool has_virtual_time(const config::LabConfig& lab) {
  return lab.port_stations.empty() && std::all_of(lab.station_of.begin(), lab.station_of.end(),
                                                  [](const auto& station) { return station.has_value(); });
}

/// Repeats a lab in virtual time after the run in real time. Returns nullopt if virtual time does not
/// support the lab, or if a signal arrived. Meanwhile, keeps serving the live page.
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

/// Writes the results of an experiment, which consists of one or two runs.
struct Report {
  const Setup& setup;
  Driver& driver;
  report::Recorder& recorder;
  const JudgedRun& run;
  const report::LabRun* in_virtual;  ///< run in virtual time that follows a run in real time; may be null

  lab::Verdict verdict() const {
    if (run.lab) return report::verdict_of(run.checks, *run.lab, in_virtual);
    return run.checks.held() ? lab::Verdict::kHeld : lab::Verdict::kFailed;
  }

  std::string document() const {
    auto json = report::make_result(setup.run(), driver.dpdk(), driver.plans(), run.outcome,
                                    driver.endpoints(), sessions_of(driver), run.checks);
    if (run.lab) report::add_lab(json, setup.lab, *run.outcome.network, run.checks, *run.lab, in_virtual);
    return json.dump(1) + "\n";
  }

  void write() const {
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

  /// Writes the image of the first receiver that has one.
  void write_camera_image(const std::string& folder) const {
    for (const auto& receiver : driver.endpoints().receivers) {
      if (receiver->events() == nullptr) continue;
      if (const auto text = report::camera_csv(*receiver->events()))
        return report::write_atomically(folder + '/' + report::kReportCamera, *text);
    }
  }

  std::string table() const {
    std::string text =
        report::result_table(setup.run(), driver.plans(), run.outcome, driver.endpoints(), run.checks);
    if (!run.lab) {
      const auto times = lab::completion_times(driver.endpoints());
      return times ? text + report::completion_table(*times, "messages") : text;
    }
    const bool real = !driver.virtual_time();
    return text + report::lab_table(setup.lab, real ? &*run.lab : nullptr, real ? in_virtual : &*run.lab);
  }

  /// Writes the files of receivers and captures. Returns one line per file.
  std::vector<std::string> files() const {
    std::vector<std::string> lines = report::write_outputs(setup.run(), driver.plans(), driver.endpoints());
    if (driver.dpdk() == nullptr) return lines;
    for (std::string& line : driver.dpdk()->write_captures()) lines.push_back(std::move(line));
    return lines;
  }

  void print(const std::string& table, const std::string& speed) const {
    const std::vector<std::string> lines = files();
    if (setup.quiet) {
      for (const std::string& m : run.checks.messages) fmt::print(stderr, "softfeb: {}\n", m);
      return;
    }
    if (setup.options.json != "-") {
      fmt::print("{}", table);
      for (const std::string& line : lines) fmt::print("{}\n", line);
    }
    fmt::print(stderr, "{}", speed);
    print_missed_changes();
  }

  void print_missed_changes() const {
    const config::RunConfig& config = setup.run();
    for (std::size_t i = 0; i < config.changes.size(); ++i) {
      if (run.outcome.changes_made[i] != 0) continue;
      fmt::print(stderr, "the change of board {} at {:g} s was not applied: the run ended before it\n",
                 config.boards[config.changes[i].board].endpoint.name, to_seconds(config.changes[i].at));
    }
  }
};

void check_output(const Setup& setup) {
  report::check_writable(setup.run(), setup.options.json, setup.options.report);
  check_event_files(setup.run());
}

/// Runs the experiment and writes its results. `watch` was started when the run began. Returns the exit
/// status.
int carry_out(const Setup& setup, Driver& driver, EventFiles& files, const Stopwatch& watch) {
  const Options& options = setup.options;
  std::optional<report::LiveTable> table;
  make_table(setup, driver, table);
  report::Recorder recorder(setup.run(), setup.network(), driver.plans().all(), options.report);
  JudgedRun run = run_and_judge(setup, driver, recorder, *table, &files);
  const std::string speed = driver.virtual_time() ? speed_text(driver, run, watch.seconds()) : "";
  const std::optional<report::LabRun> in_virtual = run_in_virtual_time_too(setup, driver);
  if (in_virtual) {
    for (const std::string& line : in_virtual->figures.rule_messages)
      run.checks.messages.push_back("in virtual time: " + line);
  }

  const Report report{setup, driver, recorder, run, in_virtual ? &*in_virtual : nullptr};
  report.write();
  const std::string text = report.table();
  report.print(text, speed);
  if (options.report && options.pictures)
    report::make_pictures(*options.report, setup.quiet || options.json == "-");
  driver.conclude(std::string(lab::to_string(report.verdict())), text);
  if (options.hold && !run.outcome.interrupted) driver.hold_page();
  return report::exit_code_of(report.verdict());
}

/// A run in parts before it begins, in one of its processes.
struct PartedRun {
  std::unique_ptr<Setup> setup;
  lab::PartPlan plan;
  std::unique_ptr<EventFiles> files;
  std::unique_ptr<VirtualDriver> driver;

  void load(const Options& options, const simulator::Exchange& exchange) {
    refuse_useless(options);
    setup = std::make_unique<Setup>(options);
    plan = lab::plan_parts(setup->lab, endpoints::Plans(setup->run()), exchange.size());
    if (plan.parting.parts > 1) check_parts(setup->lab);
    if (exchange.rank() == 0) check_output(*setup);
  }
  void create(simulator::Exchange& exchange) {
    files = std::make_unique<EventFiles>(setup->run(), true);
    // A signal that reaches one of several processes must not stop it alone; see softfeb-mpi.
    const bool alone = exchange.size() == 1;
    if (alone) runtime::catch_stop_signals();
    driver = std::make_unique<VirtualDriver>(
        setup->lab, alone ? VirtualDriver::Poll(runtime::stop_signals) : [] { return 0; },
        event_services(setup->run(), files.get()), true, plan.parting, &exchange);
  }
};

int run_in_parts(const Options& options, simulator::Exchange& exchange) {
  const Stopwatch watch;
  PartedRun run;
  all_or_none(exchange, [&] { run.load(options, exchange); });
  all_or_none(exchange, [&] { run.create(exchange); });
  require_same(exchange,
               config::to_yaml(run.setup->lab) + lab::describe(run.plan, run.setup->lab, exchange.size(), 0),
               run.driver->payload_hash());
  const double took = exchange_time(exchange);
  if (exchange.rank() != 0) {
    run_phases(run.setup->run(), *run.driver, {}, [](const std::string&) {});
    return kDone;
  }
  if (run.plan.parting.parts > 1 && !run.setup->quiet)
    fmt::print(stderr, "{}", lab::describe(run.plan, run.setup->lab, exchange.size(), took));
  return carry_out(*run.setup, *run.driver, *run.files, watch);
}

/// A run on several hosts, in one of its processes.
struct HostedRun {
  std::unique_ptr<Setup> setup;
  std::unique_ptr<HostLink> link;
  std::unique_ptr<EventFiles> files;
  std::unique_ptr<HostsDriver> driver;

  const config::HostConfig& host() const { return setup->run().hosts[*setup->run().here]; }

  void load(const Options& options, simulator::Exchange& exchange) {
    refuse_useless(options);
    setup = std::make_unique<Setup>(options);
    check_host_count(setup->run(), exchange.size());
    if (exchange.rank() == 0) return check_output(*setup);
    // Process 0 talks to the user.
    setup->quiet = true;
    setup->page.on = false;
  }

  /// Finds the host of each process.
  void find_hosts(simulator::Exchange& exchange) {
    const std::string own = host_name();
    std::vector<std::string> names(exchange.size());
    exchange.gather(
        {reinterpret_cast<const std::uint8_t*>(own.data()), own.size()},
        [&names](std::uint32_t rank, ByteSpan name) { names[rank].assign(name.begin(), name.end()); });
    std::vector<std::string> hosts;
    for (const config::HostConfig& host : setup->run().hosts) hosts.push_back(host.name);
    std::vector<std::size_t> order = hosts::hosts_of_processes(names, hosts);
    for (std::size_t& host : order) host = exchange.lead(host);
    setup->lab.run.here = order[exchange.rank()];
    first = order.front();
  }

  void open(const hosts::ClockReading& clock) {
    files = std::make_unique<EventFiles>(setup->run(), false);
    driver = HostsDriver::make(*setup, *files, *link, clock);
  }

  /// Writes the results of this host alone. Returns the exit status.
  int write_part(const JudgedRun& run) const {
    const std::string name = "process " + std::to_string(link->rank()) + " on host " + host().name;
    const auto& json = setup->options.json;
    if (!json || !driver->began()) {
      fmt::print(stderr, "softfeb: {} was ended with the others\n", name);
      return kEnvironment;
    }
    const std::string file = (*json == "-" ? "result.json" : *json) + '.' + host().name;
    const auto whole = report::make_result(setup->run(), driver->dpdk(), driver->plans(), run.outcome,
                                           driver->endpoints(), {}, run.checks);
    const std::string why = name +
                            " was ended with the others, for example because one of them has died; this "
                            "is the part of its host";
    report::write_atomically(file, report::part_of_host(whole, host().name, why).dump(1) + "\n");
    fmt::print(stderr, "softfeb: {} was ended with the others; its part of the result is in {}\n", name,
               file);
    return kEnvironment;
  }

  std::size_t first = 0;  ///< host of process 0
};

/// Carries out the run of one process. Returns the exit status.
int carry_out_on_host(const HostedRun& run) {
  const Setup& setup = *run.setup;
  HostsDriver& driver = *run.driver;
  const bool leads = run.link->rank() == 0;
  std::optional<report::LiveTable> table;
  make_table(setup, driver, table);
  report::Recorder recorder(setup.run(), nullptr, driver.plans().all(),
                            leads ? setup.options.report : std::nullopt);
  JudgedRun judged = run_and_judge(setup, driver, recorder, *table, run.files.get());
  if (!leads) {
    for (const std::string& line : driver.dpdk()->write_captures())
      fmt::print(stderr, "host {}: {}\n", run.host().name, line);
    return run.link->wait_for_end() ? kDone : run.write_part(judged);
  }
  if (!driver.complete()) return run.write_part(judged);
  const Report report{setup, driver, recorder, judged, nullptr};
  report.write();
  run.link->tell(hosts::Told::kEnd, 1);
  const std::string text = report.table();
  report.print(text, "");
  if (setup.options.report && setup.options.pictures)
    report::make_pictures(*setup.options.report, setup.quiet || setup.options.json == "-");
  driver.conclude(std::string(lab::to_string(report.verdict())), text);
  if (setup.options.hold && !judged.outcome.interrupted) driver.hold_page();
  return report::exit_code_of(report.verdict());
}

int run_on_hosts(const Options& options, simulator::Exchange& exchange, hosts::HostExchange& hosts) {
  HostedRun run;
  all_or_none(exchange, [&] { run.load(options, exchange); });
  require_same(exchange, config::to_yaml(run.setup->run()), 0);
  run.find_hosts(exchange);
  run.link = std::make_unique<HostLink>(hosts);
  hosts::ClockReading clock;
  all_or_none(exchange, [&] { check_host_features(run.setup->run(), run.first); });
  clock = run.link->measure_clock(clock_limit_ns(run.setup->run()));
  all_or_none(exchange, [&] { check_clock(run.setup->run(), *run.setup->run().here, run.first, clock); });
  all_or_none(exchange, [&] { run.open(clock); });
  return carry_out_on_host(run);
}

/// Throws ConfigError if the configuration is for several hosts.
void refuse_several_hosts(const Setup& setup) {
  if (setup.run().hosts.size() > 1) check_host_count(setup.run(), 1);
}

}  // namespace

int run_experiment(const Options& options, simulator::Exchange* exchange, hosts::HostExchange* hosts) {
  if (exchange != nullptr && options.virtual_time) return run_in_parts(options, *exchange);
  if (hosts != nullptr && hosts->size() > 1) return run_on_hosts(options, *exchange, *hosts);
  refuse_useless(options);
  const Setup setup(options);
  refuse_several_hosts(setup);
  check_output(setup);
  const Stopwatch watch;
  EventFiles files(setup.run(), options.virtual_time);
  const std::unique_ptr<Driver> driver = make_driver(setup, files);
  if (driver == nullptr) {
    fmt::print(stderr, "softfeb: stopped by a signal before traffic began\n");
    return kCheckFailed;
  }
  return carry_out(setup, *driver, files, watch);
}

}  // namespace softfeb::experiment
