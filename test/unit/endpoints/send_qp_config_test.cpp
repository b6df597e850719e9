// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/send_qp_config.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

constexpr Time kPeriod = 20'971'520 * kNanosecond;

/// A board with two groups of beamlets. One group has 7 streams, and the other has 1.
config::RunConfig stations(const config::BeamletsConfig& beamlets) {
  config::RunConfig c;
  c.boards.resize(1);
  c.boards[0].endpoint.ip = *roce::IpAddress::parse("10.0.0.1");
  c.boards[0].post_delay = 1'000;
  c.boards[0].qps.resize(2);
  for (config::QpConfig& qp : c.boards[0].qps) {
    qp.transport = roce::Transport::kUc;
    qp.to = config::AddressTarget{.ip = *roce::IpAddress::parse("10.0.0.2"), .length = 1 << 20};
    qp.traffic.verb = roce::WrOpcode::kWriteImm;
    qp.traffic.immediate.kind = config::ImmediateConfig::Kind::kCounter;
    qp.traffic.beamlets = beamlets;
    qp.traffic.rate = config::Rate::every(kPeriod);
  }
  c.boards[0].qps[0].count = 7;
  return c;
}

std::vector<engine::SendQpConfig> qps_of(const config::RunConfig& c) {
  const endpoints::Plans plans(c);
  const endpoints::Payloads payloads(c);
  std::vector<engine::SendQpConfig> out;
  for (const endpoints::QpPlan& plan : plans.all()) out.push_back(endpoints::send_qp_of(c, plan, payloads));
  return out;
}

}  // namespace

TEST_CASE("streams of beamlets start at their phase, and number their messages", "[endpoints]") {
  const auto qps = qps_of(stations({.phase = 3 * kMillisecond}));
  REQUIRE(qps.size() == 8);
  for (const engine::SendQpConfig& qp : qps) {
    CHECK(qp.start_after == 3 * kMillisecond + 1'000);
    CHECK(qp.traffic.rate_kind == engine::RateKind::kPeriod);
    CHECK(qp.traffic.period == kPeriod);
    CHECK(qp.traffic.immediate_kind == engine::ImmediateKind::kCounter);
    CHECK(qp.traffic.immediate == 0);
    CHECK(engine::SendQp::needs_pacer(qp));
  }
}

TEST_CASE("the phases of a group are spread over a period", "[endpoints]") {
  const auto qps = qps_of(stations({.spread = true}));
  REQUIRE(qps.size() == 8);
  for (std::uint64_t i = 0; i < 7; ++i) CHECK(qps[i].start_after == kPeriod * i / 7 + 1'000);
  CHECK(qps[7].start_after == 1'000);
}
