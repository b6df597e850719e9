// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"
#include "experiment/lab.hpp"
#include "experiment/run_parts.hpp"
#include "experiment/virtual_experiment.hpp"
#include "report/result.hpp"
#include "runtime/stop_signal.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace softfeb::experiment {

int lab_virtual(const LabOptions& options) {
  const config::LabConfig config = config::load_lab(options.config, options.overrides);
  const bool quiet = options.quiet || config.run.run.quiet;
  report::check_writable(config.run, options.json, options.report);
  simulator::VirtualLab lab(config);
  report::LabRecorder recorder(config, lab.plans().all(), options.report);
  runtime::catch_stop_signals();
  const VirtualExperiment e = run_virtually(config, lab, recorder, quiet);
  const lab::Judgement judgement = lab::judge(config.run, lab.plans(), e.outcome, lab.endpoints(), {});
  if (options.json || options.report) {
    auto json =
        report::make_result(config.run, nullptr, lab.plans(), e.outcome, lab.endpoints(), {}, judgement);
    report::add_lab(json, config, e.network, judgement, e.run, nullptr);
    const std::string result = json.dump(1) + "\n";
    if (options.json) report::write_atomically(*options.json, result);
    if (options.report) {
      report::write_atomically(*options.report + '/' + report::kReportConfig, config::to_yaml(config));
      report::write_atomically(*options.report + '/' + report::kReportResult, result);
      recorder.finish();
    }
  }
  const std::vector<std::string> files = report::write_outputs(config.run, lab.plans(), lab.endpoints());
  if (!quiet && options.json != "-") {
    fmt::print("{}{}", report::result_table(config.run, lab.plans(), e.outcome, lab.endpoints(), judgement),
               report::lab_table(config, nullptr, &e.run));
    for (const std::string& line : files) fmt::print("{}\n", line);
  }
  if (!quiet) fmt::print(stderr, "{}\n", speed_in_words(e));
  if (!quiet) print_missed_changes(config.run, e.outcome);
  for (const std::string& m : judgement.messages) {
    if (quiet) fmt::print(stderr, "softfeb: {}\n", m);
  }
  return report::exit_code_of(report::verdict_of(judgement, e.run, nullptr));
}

}  // namespace softfeb::experiment
