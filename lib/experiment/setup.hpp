// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "config/web_config.hpp"
#include "experiment/run_experiment.hpp"

namespace softfeb::experiment {

/// Input of an experiment: the configuration, with the options applied. Must stay at its address, because
/// many objects refer to it.
struct Setup {
  explicit Setup(const Options& options);
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  const Options options;
  config::LabConfig lab;  ///< `softfeb run` uses only lab.run
  bool quiet = false;
  config::WebConfig page;
  /// If this is true, it is an error if no port is free for the page, because the user requested the page.
  /// Always true for `softfeb run`, which serves a page only on request.
  bool page_asked_for = false;

  const config::RunConfig& run() const { return lab.run; }
  /// Null for `softfeb run`, which has no switches.
  const config::LabConfig* network() const {
    return options.command == Options::Command::kRun ? nullptr : &lab;
  }
};

/// Rejects options that have no effect in combination with the other options. Throws ConfigError, which names
/// the option and the fix. Configuration files are not checked for this, because one file serves several
/// kinds of run.
void refuse_useless(const Options& options);

}  // namespace softfeb::experiment
