// SPDX-License-Identifier: BSD-3-Clause
// The report folder of `softfeb switch-test`.
#include "base/error.hpp"
#include "report/result.hpp"
#include "report/switch_run.hpp"

#include <filesystem>

namespace softfeb::report {

void check_switch_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw EnvironmentError("cannot write to " + folder + ": " + error.message(),
                           "name another folder with --report");
  const auto probe = std::filesystem::path(folder) / ".probe";
  write_atomically(probe.string(), "");
  std::filesystem::remove(probe, error);
}

void write_switch_report(const SwitchRun& run, const std::string& config, const std::string& folder) {
  const std::filesystem::path path(folder);
  write_atomically((path / "config.yaml").string(), config);
  write_atomically((path / "result.json").string(), switch_result_text(run));
  write_atomically((path / "junit.xml").string(), switch_junit(run));
}

}  // namespace softfeb::report
