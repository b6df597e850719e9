// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/process_metrics.hpp"

#include "telemetry/prometheus_text.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include <unistd.h>

namespace softfeb::telemetry {

namespace {

namespace fs = std::filesystem;

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Fields of /proc/PID/stat, see proc(5). The second field is in parentheses, and may contain spaces.
struct ProcessStat {
  std::uint64_t utime = 0, stime = 0, starttime = 0, vsize = 0, rss = 0;
};
std::optional<ProcessStat> read_stat(const std::string& proc) {
  const std::string text = file_text(proc + "/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  const auto skip = [&](int n) {
    while (n-- > 0) fields >> skipped;
  };
  ProcessStat s;
  skip(11);  // fields 3 to 13
  fields >> s.utime >> s.stime;
  skip(6);  // fields 16 to 21
  fields >> s.starttime >> s.vsize >> s.rss;
  return fields ? std::optional(s) : std::nullopt;
}

/// Returns the time at which the machine started, in seconds since 1970.
std::optional<std::uint64_t> boot_time() {
  std::istringstream lines(file_text("/proc/stat"));
  std::string word;
  while (lines >> word) {
    std::uint64_t seconds = 0;
    if (word == "btime" && lines >> seconds) return seconds;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> open_files(const std::string& proc) {
  std::error_code error;
  fs::directory_iterator entries(proc + "/fd", error);
  if (error) return std::nullopt;
  // Do not count the descriptor that this loop itself uses.
  return static_cast<std::uint64_t>(std::distance(fs::begin(entries), fs::end(entries))) - 1;
}

}  // namespace

std::string process_metrics(const std::string& proc) {
  PrometheusText out;
  const auto gauge = [&out](const char* name, const char* help, auto value) {
    out.family(name, PrometheusText::kGauge, help);
    out.series({}, value);
  };
  if (const auto s = read_stat(proc)) {
    const auto tick = static_cast<double>(sysconf(_SC_CLK_TCK));
    out.family("process_cpu_seconds_total", PrometheusText::kCounter, "CPU time of all threads.");
    out.series({}, static_cast<double>(s->utime + s->stime) / tick);
    gauge("process_resident_memory_bytes", "Memory in RAM, without huge pages.",
          s->rss * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    gauge("process_virtual_memory_bytes", "Size of the address space.", s->vsize);
    if (const auto boot = boot_time())
      gauge("process_start_time_seconds", "Start of the process, since 1970.",
            static_cast<double>(*boot) + static_cast<double>(s->starttime) / tick);
  }
  if (const auto open = open_files(proc)) gauge("process_open_fds", "Open file descriptors.", *open);
  return out.take();
}

}  // namespace softfeb::telemetry
