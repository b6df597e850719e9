// SPDX-License-Identifier: BSD-3-Clause
#include "port_counters.hpp"

#include "support/temporary_directory.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

using namespace softfeb::sink;
using nlohmann::json;

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text << '\n';
}

}  // namespace

TEST_CASE("the increase of each counter of a port is reported", "[rdma-sink]") {
  const softfeb::test::TemporaryDirectory folder;
  const std::filesystem::path port = folder.path();
  const auto hardware = port / "hw_counters";
  std::filesystem::create_directory(hardware);
  write(hardware / "rcvd_pkts", "100");
  write(hardware / "wrapped", "100");
  write(hardware / "lifespan", "10");
  write(hardware / "strange", "N/A (no PMA)");
  const PortCounters counters(port);
  write(hardware / "rcvd_pkts", "175");
  write(hardware / "wrapped", "5");
  write(hardware / "late", "3");
  CHECK(current_counters(port) ==
        json{{"hw_counters", {{"rcvd_pkts", 175}, {"wrapped", 5}, {"late", 3}}}, {"counters", nullptr}});
  json report;
  counters.add_to(report);
  CHECK(report["hw_counters"] == json{{"rcvd_pkts", 75}, {"wrapped", 5}, {"late", 3}});
  CHECK(report["counters"].is_null());
}
