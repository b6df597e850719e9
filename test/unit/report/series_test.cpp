// SPDX-License-Identifier: BSD-3-Clause
#include "report/series.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

constexpr const char* kFile = "report_series_test.csv";
constexpr const char* kPerQpColumns =
    "time_s,board,qpn,rc_gbps,rt_gbps,alpha,sent_gbps,goodput_gbps,cnp_rx,retransmitted";
constexpr const char* kPerBoardColumns =
    "time_s,board,qps,rc_gbps,rc_min_gbps,rc_max_gbps,rt_gbps,alpha_mean,sent_gbps,goodput_gbps,cnp_rx,"
    "retransmitted";

/// A run of a board with two QPs. The first uses the congestion control of the board. The test chooses the
/// congestion control of the second.
struct Run {
  config::RunConfig config;
  std::vector<endpoints::QpPlan> plans;
  std::vector<engine::EndpointSnapshot> endpoints{1};

  Run() {
    config.boards.resize(1);
    config.boards[0].endpoint.name = "feb";
    config.boards[0].congestion.algorithm = config::CongestionConfig::Algorithm::kFirmware;
    config.boards[0].qps.resize(2);
    endpoints[0].send_qps.resize(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
      plans.push_back({0, &config.boards[0].qps[i], 0, i, 0x100 + i, {}});
      endpoints[0].send_qps[i].congestion = congestion::CongestionState{
          .rate = 125'000'000, .target_rate = 250'000'000, .alpha = 512, .alpha_one = 1024};
    }
  }

  void use_swift() {
    config::CongestionConfig swift;
    swift.algorithm = config::CongestionConfig::Algorithm::kOther;
    swift.other.algorithm = congestion::find_algorithm("swift");
    config.boards[0].qps[1].congestion = swift;
    endpoints[0].send_qps[1].congestion = congestion::CongestionState{.rate = 125'000'000,
                                                                      .target_rate = 125'000'000,
                                                                      .window = 8216.0,
                                                                      .rtt = 12'500 * kNanosecond,
                                                                      .target_delay = 30 * kMicrosecond};
  }

  /// Writes a series with one sample, taken after one second. Returns the lines of the file.
  std::vector<std::string> lines() {
    report::Series series(config, plans, kFile);
    endpoints[0].taken_at = kSecond;
    series.end({.at = kSecond, .endpoints = &endpoints});
    series.finish();
    std::ifstream in(kFile);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    std::remove(kFile);
    return out;
  }
};

}  // namespace

TEST_CASE("the series of a run with DCQCN has no further columns", "[report]") {
  Run run;
  CHECK(run.lines() == std::vector<std::string>{kPerQpColumns, "1.000000000,feb,0x100,1,2,0.5,0,0,0,0",
                                                "1.000000000,feb,0x101,1,2,0.5,0,0,0,0"});
  run.config.run.series_qps = 1;
  CHECK(run.lines() == std::vector<std::string>{kPerBoardColumns, "1.000000000,feb,2,2,1,1,4,0.5,0,0,0,0"});
}

TEST_CASE("columns of other algorithms follow those of every series", "[report]") {
  Run run;
  run.use_swift();
  CHECK(run.lines() == std::vector<std::string>{
                           std::string(kPerQpColumns) + ",rtt_us,window_bytes,utilization,target_delay_us",
                           "1.000000000,feb,0x100,1,2,0.5,0,0,0,0,,,,",
                           "1.000000000,feb,0x101,1,1,,0,0,0,0,12.5,8216,,30"});
  run.config.run.series_qps = 1;
  CHECK(run.lines() == std::vector<std::string>{std::string(kPerBoardColumns) +
                                                    ",rtt_mean_us,window_mean_bytes,utilization_mean,"
                                                    "target_delay_mean_us",
                                                "1.000000000,feb,2,2,1,1,3,0.5,0,0,0,0,12.5,8216,,30"});
}
