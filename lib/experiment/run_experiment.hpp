// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hosts/host_exchange.hpp"
#include "simulator/exchange.hpp"
#include "study/options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// The command line of `softfeb run`, `softfeb lab`, `softfeb lab sweep` and `softfeb lab compare`.
struct Options {
  enum class Command : std::uint8_t { kRun, kLab, kSweep, kCompare };
  Command command = Command::kRun;
  bool virtual_time = false;  ///< for kLab: whether to run in virtual time, without DPDK, clocks or devices
  std::string config;
  /// Overrides of the form KEY=VALUE, including those that --duration and --messages are converted to.
  std::vector<std::string> overrides;
  study::StudyOptions study;            ///< used only for kSweep
  std::vector<std::string> algorithms;  ///< for kCompare: names for config::load_compared()
  std::optional<std::string> json;      ///< file for the result
  std::optional<std::string> report;    ///< folder for configuration, result, time series and charts
  bool pictures = true;                 ///< draw the charts of the report
  bool quiet = false;
  bool hold = false;  ///< keep serving the live page after the run until a signal arrives
};

/// Carries out `softfeb run`, or `softfeb lab` in real or virtual time: configuration, endpoints, phases,
/// checks, result, report. Returns the exit status. After a lab in real time, repeats it in virtual time for
/// comparison. Does not catch exceptions that the libraries throw before traffic starts.
///
/// With an `exchange`, a lab in virtual time is simulated in parts (`network.parts`), by all processes of the
/// exchange together. Every process must call this function. Process 0 writes the result, and returns the
/// exit status; the others return 0. Throws EnsembleFailure if a process cannot start. If a process fails
/// later, all processes end with status 3.
///
/// `hosts` connects the same processes as `exchange`. With both, several processes run one experiment on
/// several hosts in real time (`hosts` of the configuration of `softfeb run`). Process 0 writes the result.
/// A process that is told to end, for example because another process has died, writes its own part of the
/// result to FILE.HOST, and returns status 3.
int run_experiment(const Options& options, simulator::Exchange* exchange = nullptr,
                   hosts::HostExchange* hosts = nullptr);

/// Carries out `softfeb lab sweep`: runs the lab in virtual time at every point of the grid defined by
/// `lab.sweep`, in parallel on all CPUs unless Options::study specifies otherwise. Returns the exit status.
/// Throws ConfigError, EnvironmentError and std::bad_alloc; results of points that finished earlier are kept
/// if they are stored.
int run_sweep(const Options& options);

/// Carries out `softfeb lab compare`: runs the lab in virtual time once for each algorithm, in parallel on
/// all CPUs. Returns the exit status. Does not catch exceptions that the libraries throw before the first
/// run.
int run_compare(const Options& options);

}  // namespace softfeb::experiment
