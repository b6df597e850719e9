// SPDX-License-Identifier: BSD-3-Clause
#include "report/congestion_result.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using Json = nlohmann::ordered_json;

namespace {

config::CongestionConfig algorithm(const std::string& name) {
  using Algorithm = config::CongestionConfig::Algorithm;
  config::CongestionConfig out;
  out.other.algorithm = congestion::find_algorithm(name);
  out.algorithm = out.other.algorithm != nullptr ? Algorithm::kOther
                  : name == "firmware"           ? Algorithm::kFirmware
                                                 : Algorithm::kOff;
  return out;
}

stats::ControlState state_of(const congestion::CongestionState& state) {
  engine::SendQpSnapshot qp;
  qp.congestion = state;
  return stats::control_of(qp);
}

const stats::ControlState kDcqcn = state_of({.rate = 1000, .alpha = 5, .alpha_one = 1024});
const stats::ControlState kSwift =
    state_of({.window = 4000.0, .rtt = 20 * kMicrosecond, .target_delay = 30 * kMicrosecond});

}  // namespace

TEST_CASE("a queue pair has the quantities of its algorithm", "[report]") {
  CHECK(congestion_result(algorithm("off"), {}) == Json{{"algorithm", "off"}});
  CHECK(congestion_result(algorithm("firmware"), kDcqcn) == Json{{"algorithm", "firmware"}});
  const Json swift = congestion_result(algorithm("swift"), kSwift);
  CHECK(swift.size() == 4);
  CHECK(swift["algorithm"] == "swift");
  CHECK(swift["window_bytes"] == 4000.0);
  CHECK(swift["rtt_us"].get<double>() == Approx(20));
  CHECK(swift["target_delay_us"].get<double>() == Approx(30));
  const Json hpcc = congestion_result(algorithm("hpcc"), state_of({.utilization = 0.9, .granted = 17}));
  CHECK(hpcc == Json{{"algorithm", "hpcc"}, {"utilization", 0.9}, {"granted_packets", 17}});
}

TEST_CASE("a board has the spread of each quantity over its queue pairs", "[report]") {
  CongestionSummary same;
  same.add(algorithm("swift"), kSwift);
  same.add(algorithm("swift"), state_of({.window = 6000.0}));
  const Json board = same.json();
  CHECK(board["algorithm"] == "swift");
  CHECK(board["window_bytes"] ==
        Json{{"qps", 2}, {"min", 4000.0}, {"p50", 4000.0}, {"mean", 5000.0}, {"max", 6000.0}});
  CHECK(board["rtt_us"]["qps"] == 1);
  CHECK_FALSE(board.contains("utilization"));
}

TEST_CASE("a board with several algorithms, or none, names none", "[report]") {
  CHECK(CongestionSummary().json() == Json{{"algorithm", nullptr}});
  CongestionSummary mixed;
  mixed.add(algorithm("swift"), kSwift);
  mixed.add(algorithm("firmware"), kDcqcn);
  mixed.add(algorithm("firmware"), kDcqcn);
  CHECK(mixed.json()["algorithm"].is_null());
  CHECK(mixed.json()["window_bytes"]["qps"] == 1);
}
