// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"
#include "lab.hpp"
#include "result.hpp"
#include "run_parts.hpp"
#include "stop_signal.hpp"
#include "virtual_experiment.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace softfeb::app {

int lab_virtual(const LabOptions& options) {
  const config::LabConfig config = config::load_lab(options.config, options.overrides);
  const bool quiet = options.quiet || config.run.run.quiet;
  check_writable(config.run, options.json, options.report);
  lab::VirtualLab lab(config);
  LabRecorder recorder(config, lab.plans().all(), options.report);
  catch_stop_signals();
  const VirtualExperiment e = run_virtually(config, lab, recorder, quiet);
  const Judgement judgement = judge(config.run, lab.plans(), e.outcome, lab.endpoints(), {});
  if (options.json || options.report) {
    auto json = make_result(config.run, nullptr, lab.plans(), e.outcome, lab.endpoints(), {}, judgement);
    add_lab(json, config, e.network, judgement, e.run, nullptr);
    const std::string result = json.dump(1) + "\n";
    if (options.json) write_atomically(*options.json, result);
    if (options.report) {
      write_atomically(*options.report + '/' + kReportConfig, config::to_yaml(config));
      write_atomically(*options.report + '/' + kReportResult, result);
      recorder.finish();
    }
  }
  const std::vector<std::string> files = write_outputs(config.run, lab.plans(), lab.endpoints());
  if (!quiet && options.json != "-") {
    fmt::print("{}{}", result_table(config.run, lab.plans(), e.outcome, lab.endpoints(), judgement),
               lab_table(config, nullptr, &e.run));
    for (const std::string& line : files) fmt::print("{}\n", line);
  }
  if (!quiet) fmt::print(stderr, "{}\n", speed_in_words(e));
  if (!quiet) print_missed_changes(config.run, e.outcome);
  for (const std::string& m : judgement.messages) {
    if (quiet) fmt::print(stderr, "softfeb: {}\n", m);
  }
  return exit_code_of(verdict_of(judgement, e.run, nullptr));
}

}  // namespace softfeb::app
