// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/process_metrics.hpp"

#include "temporary_directory.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace softfeb;
using telemetry::process_metrics;

namespace {

double value(const std::string& text, const std::string& name) {
  const std::size_t at = text.find('\n' + name + ' ');
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + name.size() + 2));
}

}  // namespace

TEST_CASE("the metrics of this process are plausible") {
  const std::string text = process_metrics();
  CHECK(value(text, "process_resident_memory_bytes") > 1e6);
  CHECK(value(text, "process_virtual_memory_bytes") > value(text, "process_resident_memory_bytes"));
  CHECK(value(text, "process_cpu_seconds_total") >= 0);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const double seconds = std::chrono::duration<double>(now).count();
  CHECK(value(text, "process_start_time_seconds") <= seconds + 1);
  CHECK(value(text, "process_start_time_seconds") > seconds - 3600);

  const double before = value(text, "process_open_fds");
  std::FILE* const file = std::tmpfile();
  CHECK(value(process_metrics(), "process_open_fds") == before + 1);
  std::fclose(file);
}

TEST_CASE("a process may have any name") {
  const test::TemporaryDirectory proc;
  std::ofstream(proc.path() / "stat") << "7 (a) b (c) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 3 0 "
                                         "1000 8192000 300 18446744073709551615";
  const std::string text = process_metrics(proc.path());
  CHECK(value(text, "process_cpu_seconds_total") ==
        Approx(300.0 / static_cast<double>(sysconf(_SC_CLK_TCK))));
  CHECK(value(text, "process_resident_memory_bytes") ==
        Approx(300.0 * static_cast<double>(sysconf(_SC_PAGESIZE))));
  CHECK(value(text, "process_virtual_memory_bytes") == 8192000);
  CHECK(text.find("process_open_fds") == std::string::npos);
}

TEST_CASE("what /proc lacks is omitted") { CHECK(process_metrics("/no/such/process").empty()); }
