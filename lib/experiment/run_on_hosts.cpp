// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_on_hosts.hpp"

#include "base/exit_code.hpp"
#include "config/load.hpp"
#include "experiment/ensemble.hpp"
#include "experiment/event_files.hpp"
#include "experiment/host_checks.hpp"
#include "experiment/host_link.hpp"
#include "experiment/hosts_driver.hpp"
#include "experiment/judged_run.hpp"
#include "experiment/run_report.hpp"
#include "hosts/host_order.hpp"
#include "report/result.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// The objects that each process of a run on several hosts creates.
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
    // Only process 0 prints messages for the user.
    setup->quiet = true;
    setup->page.on = false;
  }

  /// Determines the host of each process.
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

  /// Writes only the results of this host. Returns the exit status.
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

  std::size_t first = 0;  ///< index of the host of process 0
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
  RunReport report{setup, driver, recorder, judged, nullptr};
  report.write();
  run.link->tell(hosts::Told::kEnd, 1);
  return report.conclude("");
}

}  // namespace

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

}  // namespace softfeb::experiment
