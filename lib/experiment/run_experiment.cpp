// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_experiment.hpp"

#include "base/exit_code.hpp"
#include "experiment/carry_out.hpp"
#include "experiment/event_files.hpp"
#include "experiment/host_checks.hpp"
#include "experiment/real_driver.hpp"
#include "experiment/run_in_parts.hpp"
#include "experiment/run_on_hosts.hpp"
#include "experiment/run_report.hpp"
#include "experiment/setup.hpp"
#include "experiment/virtual_driver.hpp"
#include "runtime/stop_signal.hpp"
#include "service/log.hpp"

#include <cstdio>
#include <memory>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

std::unique_ptr<Driver> make_driver(const Setup& setup, EventFiles& files) {
  if (!setup.options.virtual_time) return RealDriver::make(setup, files);
  runtime::catch_stop_signals();
  return std::make_unique<VirtualDriver>(setup.lab, runtime::stop_signals,
                                         event_services(setup.run(), &files), true);
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
    service::notice("softfeb: stopped by a signal before traffic began");
    return kCheckFailed;
  }
  return carry_out(setup, *driver, files, watch);
}

}  // namespace softfeb::experiment
