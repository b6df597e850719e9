// SPDX-License-Identifier: BSD-3-Clause
// Writes the folder of a report.
#include "dataplane/error.hpp"
#include "report/atomic_file.hpp"
#include "report/result.hpp"
#include "report/switch_run.hpp"

#include <array>
#include <filesystem>

namespace softfeb::report {

namespace {

constexpr std::array kSwitchFiles = {"result.json", "junit.xml", "datasheet.html", "index.html"};

std::string path_in(const std::string& folder, const char* name) {
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace

void check_switch_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw dataplane::EnvironmentError("cannot create the folder " + folder + ": " + error.message(),
                                      "name one in a writable folder with --report");
  for (const char* const name : kSwitchFiles) {
    if (std::filesystem::is_directory(path_in(folder, name)))
      throw dataplane::EnvironmentError("cannot write " + path_in(folder, name) + ": it is a directory",
                                        "name another folder with --report");
    const AtomicFile made_and_removed(path_in(folder, name));
  }
}

void write_switch_report(const SwitchRun& run, const std::string& folder) {
  check_switch_folder(folder);
  write_atomically(path_in(folder, "result.json"), switch_result_text(run));
  write_atomically(path_in(folder, "junit.xml"), switch_junit(run));
  write_atomically(path_in(folder, "datasheet.html"), switch_data_sheet(run));
  // Write index.html last, because it links to the other files.
  write_atomically(path_in(folder, "index.html"), switch_page(run));
}

}  // namespace softfeb::report
