// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/error.hpp"
#include "report/atomic_file.hpp"
#include "report/result.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace softfeb::report {

void check_writable(const config::RunConfig& config, const std::optional<std::string>& json,
                    const std::optional<std::string>& report) {
  std::vector<std::string> paths;
  if (report) {
    std::error_code error;
    std::filesystem::create_directories(*report, error);
    if (error) {
      throw dataplane::EnvironmentError("cannot create the folder " + *report + ": " + error.message(),
                                        "name one in a writable folder");
    }
    for (const char* name : {kReportConfig, kReportResult, kReportSeries})
      paths.push_back(*report + '/' + name);
  }
  if (json && *json != "-") paths.push_back(*json);
  for (const auto& r : config.receivers) {
    if (!r.out.empty()) paths.push_back(r.out);
  }
  for (const auto& p : config.ports) {
    if (p.capture) paths.push_back(p.capture->file);
  }
  for (const std::string& path : paths) {
    if (std::filesystem::is_directory(path)) {
      throw dataplane::EnvironmentError("cannot write " + path + ": it is a directory", "name a file in it");
    }
    const AtomicFile made_and_removed(path);
  }
}

void write_atomically(const std::string& path, const std::string& text) {
  if (path == "-") {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0) {
      throw dataplane::EnvironmentError(
          std::string("cannot write the result to standard output: ") + std::strerror(errno),
          "name a file instead of -");
    }
    return;
  }
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::vector<std::string> write_outputs(const config::RunConfig& config, const endpoints::Plans& plans,
                                       endpoints::Endpoints& endpoints) {
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    const config::ReceiverConfig& c = config.receivers[r];
    if (c.out.empty()) continue;
    AtomicFile file(c.out);
    std::uint64_t bytes = 0;
    const bool windows = endpoints::in_window_layout(c);
    if (windows) {
      bytes = endpoints.memories[r]->size();
      file.write(endpoints.memories[r]->data(), bytes);
    }
    for (const endpoints::QpPlan& plan : plans.all()) {
      if (windows || plan.target.receiver != r) continue;
      const std::uint64_t end = endpoints.receivers[r]->written_end(plan.target.receiver_qp);
      const std::uint64_t n = end > plan.target.address ? end - plan.target.address : 0;
      file.write(endpoints.memories[r]->data() + plan.target.receiver_qp * c.memory, n);
      bytes += n;
    }
    file.commit();
    lines.push_back(fmt::format("{} bytes of receiver {} in {}", bytes, c.endpoint.name, c.out));
  }
  return lines;
}

}  // namespace softfeb::report
