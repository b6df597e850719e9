// SPDX-License-Identifier: BSD-3-Clause
#include "documents.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

CongestionConfig board_dcqcn(const std::string& value) {
  return load(kBase, {"boards.0.dcqcn=" + value}).boards[0].congestion;
}

std::string problem(const std::string& value) {
  try {
    load(kBase, {"boards.0.dcqcn=" + value});
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("dcqcn: off by default; a name selects an algorithm with its defaults") {
  CHECK(load(kBase).boards[0].congestion.algorithm == CongestionConfig::Algorithm::kOff);
  CHECK(board_dcqcn("off").algorithm == CongestionConfig::Algorithm::kOff);
  const CongestionConfig firmware = board_dcqcn("firmware");
  CHECK(firmware.algorithm == CongestionConfig::Algorithm::kFirmware);
  CHECK(firmware.firmware.parameters == dcqcn::FirmwareParameters{});
  CHECK(board_dcqcn("paper").paper.parameters == dcqcn::PaperParameters{});
  CHECK(board_dcqcn("connectx").paper.parameters == dcqcn::connectx_parameters(5'000'000'000));
  CHECK(board_dcqcn("ns3").paper.parameters == dcqcn::ns3_parameters(12'500'000'000));
  CHECK(board_dcqcn("swcc").paper.parameters == dcqcn::swcc_parameters(5'000'000'000));
  const dcqcn::PaperParameters own = board_dcqcn("{algorithm: ns3, line_rate: 10Gb/s}").paper.parameters;
  CHECK(own == dcqcn::ns3_parameters(1'250'000'000));
}

TEST_CASE("dcqcn: intervals in clocks or as times, rounded up to clocks") {
  const auto p =
      board_dcqcn(
          "{algorithm: firmware, rate_dec_interval: 4us, alpha_upd_interval: 55us, rate_inc_interval: 1000}")
          .firmware.parameters;
  CHECK(p.rate_dec_interval == 625);
  CHECK(p.alpha_upd_interval == 8594);  // 8593.75 clocks, rounded
  CHECK(p.rate_inc_interval == 1000);
}

TEST_CASE("dcqcn: vendor names are aliases; giving both is an error") {
  const auto ours =
      board_dcqcn("{algorithm: paper, increase_timer: 300us, byte_counter: 2MB, additive_step: 5Mb/s}");
  const auto theirs =
      board_dcqcn("{algorithm: paper, rpg_time_reset: 300us, rpg_byte_reset: 2MB, rpg_ai_rate: 5Mb/s}");
  CHECK(ours.paper.parameters == theirs.paper.parameters);
  CHECK(ours.paper.parameters.increase_timer == 300 * kMicrosecond);
  CHECK(ours.paper.parameters.byte_counter == 2'000'000);
  CHECK(problem("{algorithm: paper, gd: 11, rpg_gd: 11}").find("remove one of the two") != std::string::npos);
}

TEST_CASE("dcqcn: a QP's section replaces its board's") {
  const RunConfig c = load(kBase, {"boards.0.dcqcn=firmware", "boards.0.qps.0.dcqcn=connectx"});
  REQUIRE(c.boards[0].qps[0].congestion);
  CHECK(c.boards[0].qps[0].congestion->algorithm == CongestionConfig::Algorithm::kPaper);
  CHECK(c.boards[0].congestion.algorithm == CongestionConfig::Algorithm::kFirmware);
}

TEST_CASE("dcqcn: invalid values are refused with the fix") {
  CHECK(problem("fast").find("off, firmware, paper, connectx, ns3, swcc") != std::string::npos);
  CHECK(problem("{scope: qp}").find("`algorithm` is missing") != std::string::npos);
  CHECK(problem("{algorithm: firmware, rpg_gd: 11}").find("unknown key `rpg_gd`") != std::string::npos);
  CHECK(problem("{algorithm: firmware, line_rate: 100Gb/s}").find("width: 64") != std::string::npos);
  CHECK(problem("{algorithm: firmware, line_rate: 100Gb/s, width: 64}").empty());
  CHECK(problem("{algorithm: firmware, rate_dec_interval: 1ms}").find("at most 65535 clocks") !=
        std::string::npos);
  CHECK(problem("{algorithm: firmware, bucket: 1KiB}").find("5KiB to 1GiB") != std::string::npos);
  CHECK(problem("{algorithm: firmware, rai: 6000000}").find("no unit") != std::string::npos);
}

TEST_CASE("dcqcn: the minimum rate must not exceed the line rate, given or by default") {
  const std::string given = problem("{algorithm: firmware, line_rate: 1Gb/s, rmin: 2Gb/s}");
  CHECK(given.find("dcqcn.rmin: a cut would raise the rate: `rmin` is 2Gb/s, above the line rate 1Gb/s") !=
        std::string::npos);
  CHECK(given.find("write `rmin` of at most 1Gb/s") != std::string::npos);
  CHECK(problem("{algorithm: firmware, line_rate: 50Mb/s}").find("dcqcn.line_rate: a cut would raise") !=
        std::string::npos);
  CHECK(problem("{algorithm: firmware, line_rate: 50Mb/s, rmin: 50Mb/s}").empty());
  CHECK(problem("{algorithm: paper, rpg_max_rate: 1Gb/s, rpg_min_rate: 1.1Gb/s}")
            .find("dcqcn.rpg_min_rate: a cut would raise") != std::string::npos);
}

TEST_CASE("dcqcn: the resolved configuration reads back as itself") {
  for (const char* value : {"firmware", "paper", "connectx", "ns3", "swcc",
                            "{algorithm: firmware, scope: board, line_rate: 40Gb/s, width: 64}"}) {
    const RunConfig c = load(kBase, {std::string("boards.0.dcqcn=") + value});
    CHECK(to_yaml(load(to_yaml(c))) == to_yaml(c));
  }
}
