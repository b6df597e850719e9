// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_in_parts.hpp"

#include "base/exit_code.hpp"
#include "config/load.hpp"
#include "experiment/carry_out.hpp"
#include "experiment/ensemble.hpp"
#include "experiment/part_checks.hpp"
#include "experiment/phases.hpp"
#include "experiment/run_report.hpp"
#include "experiment/virtual_driver.hpp"
#include "lab/part_plan.hpp"
#include "runtime/stop_signal.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// The objects that each process of a run in parts creates before the run begins.
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
    // If there are several processes, a signal that reaches only one process must not stop this process
    // alone; see softfeb-mpi.
    const bool alone = exchange.size() == 1;
    if (alone) runtime::catch_stop_signals();
    driver = std::make_unique<VirtualDriver>(
        setup->lab, alone ? VirtualDriver::Poll(runtime::stop_signals) : [] { return 0; },
        event_services(setup->run(), files.get()), true, plan.parting, &exchange);
  }
};

}  // namespace

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

}  // namespace softfeb::experiment
