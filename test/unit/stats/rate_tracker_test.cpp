// SPDX-License-Identifier: BSD-3-Clause
#include "stats/rate_tracker.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::stats;

namespace {

constexpr Time kOrigin = 7 * kSecond;
constexpr std::uint64_t kRate = 1'000'000;
/// Index of the first receiver in Run::endpoints.
constexpr std::size_t kReceiver = 1;

/// A board and a switch port. The board has two QPs to each of two receivers, and two slots of its metadata
/// bus.
struct Run {
  config::RunConfig config;
  std::vector<endpoints::QpPlan> plans;
  std::vector<engine::EndpointSnapshot> endpoints{3};
  fabric::NetworkSnapshot network;

  Run() {
    config.boards.resize(1);
    config.boards[0].qps.resize(1);
    config.receivers.resize(2);
    for (std::uint32_t i = 0; i < 4; ++i) {
      endpoints::QpPlan p{0, &config.boards[0].qps[0], i, i, 0x100 + i, {}};
      p.target.ip = *roce::IpAddress::parse(i % 2 == 0 ? "10.0.0.1" : "10.0.0.2");
      p.target.receiver = i % 2;
      p.target.receiver_qp = i / 2;
      plans.push_back(p);
    }
    endpoints[0].send_qps.resize(6);
    for (auto& qp : endpoints[0].send_qps)
      qp.congestion = congestion::CongestionState{
          .rate = kRate, .target_rate = 2 * kRate, .alpha = 512, .alpha_one = 1024};
    endpoints[0].send_qps[4].exists = false;
    for (std::size_t r = kReceiver; r < 3; ++r) endpoints[r].receive_qps.resize(2);
    network.ports.resize(1);
    network.ports[0].rate = 1000;
  }

  engine::SendQpSnapshot& qp(std::size_t i) { return endpoints[0].send_qps[i]; }
  Sample at(Time time) {
    for (auto& e : endpoints) e.taken_at = kOrigin + time;
    network.taken_at = kOrigin + time;
    return {time, kOrigin, &endpoints, &network};
  }
};

}  // namespace

TEST_CASE("the first interval begins with the traffic, the next with the previous sample", "[stats]") {
  Run run;
  RateTracker rates(run.config, run.plans);
  run.qp(0).counters.counted_bytes = 1100;
  run.qp(0).requester.payload_bytes = 1000;
  run.qp(0).completed_payload_bytes = 900;
  run.qp(0).counters.cnp_rx = 3;
  run.endpoints[0].endpoint.tx_frames = 10;
  run.endpoints[kReceiver].endpoint.tx_frames = 2;
  const RunInterval& now = rates.add(run.at(2 * kSecond));
  const SendInterval& qp = now.boards[0].qps[0];
  CHECK(now.first);
  CHECK(now.boards[0].at == 2.0);
  CHECK(now.boards[0].seconds == 2.0);
  CHECK(qp.sent == 550.0);
  CHECK(qp.payload == 500.0);
  CHECK(qp.goodput == 450.0);
  CHECK(now.frames == 6.0);

  run.qp(0).counters.counted_bytes = 1600;
  run.qp(0).counters.cnp_rx = 4;
  rates.add(run.at(3 * kSecond));
  CHECK_FALSE(now.first);
  CHECK(now.boards[0].seconds == 1.0);
  CHECK(qp.sent == 500.0);
  CHECK(qp.payload == 0.0);
  CHECK(qp.counts.cnps == 1);
  CHECK(now.boards[0].total.cnps == 4);
  CHECK(now.total.cnps == 4);
  CHECK(now.frames == 0.0);
}

TEST_CASE("sums are over the QPs of the configuration, and over all", "[stats]") {
  Run run;
  RateTracker rates(run.config, run.plans);
  for (std::size_t i = 0; i < 6; ++i) run.qp(i).counters.counted_bytes = 100;
  const RunInterval& now = rates.add(run.at(kSecond));
  CHECK(now.boards[0].configured.qps == 4);
  CHECK(now.boards[0].configured.sent == 400.0);
  CHECK(now.boards[0].all.qps == 6);
  CHECK(now.boards[0].all.sent == 600.0);
  CHECK(now.sum.qps == 6);
  CHECK(now.sum.counts.counted_bytes == 600);
}

TEST_CASE("a congestion control that QPs share counts once", "[stats]") {
  using Scope = config::CongestionConfig::Scope;
  Run run;
  const auto board = [&](Scope scope) {
    run.config.boards[0].congestion.scope = scope;
    return RateTracker(run.config, run.plans).add(run.at(kSecond)).boards.at(0);
  };
  // One of the slots contains a QP, which has a congestion control object of its own.
  CHECK(board(Scope::kBoard).all.control.controls == 1 + 1);
  CHECK(board(Scope::kIpPair).all.control.controls == 2 + 1);
  CHECK(board(Scope::kQp).all.control.controls == 4 + 1);
  const BoardInterval pairs = board(Scope::kIpPair);
  CHECK(pairs.all.control.rc == 3.0 * kRate);
  CHECK(pairs.all.control.rt == 6.0 * kRate);
  CHECK(pairs.all.control.alpha.mean() == 0.5);
  CHECK(pairs.configured.control.controls == 2);
  // Each QP has the value of the shared Rc, but the sum counts this Rc only once.
  CHECK(pairs.qps[3].control.rc == kRate);

  run.qp(1).congestion->rate = 3 * kRate;
  const ControlState control = board(Scope::kIpPair).configured.control;
  CHECK(control.rc == 4.0 * kRate);
  CHECK(control.rc_min == kRate);
  CHECK(control.rc_max == 3.0 * kRate);
}

TEST_CASE("RTT and window are means over the controls that have them", "[stats]") {
  Run run;
  run.config.boards[0].congestion.scope = config::CongestionConfig::Scope::kIpPair;
  for (const std::size_t shared : {0U, 2U}) {  // QPs 0 and 2 have the same peer, so they share one Rc
    run.qp(shared).congestion->rtt = 10 * kMicrosecond;
    run.qp(shared).congestion->window = 8000.0;
  }
  run.qp(5).congestion->rtt = 30 * kMicrosecond;
  RateTracker rates(run.config, run.plans);
  const BoardInterval& board = rates.add(run.at(kSecond)).boards[0];
  CHECK(*board.configured.control.rtt.mean() == Approx(10e-6));
  CHECK(*board.all.control.rtt.mean() == Approx(20e-6));
  CHECK(board.all.control.window.controls == 1);
  CHECK(board.all.control.window.mean() == 8000.0);
  CHECK_FALSE(board.qps[1].control.window.mean());
  CHECK_FALSE(board.all.control.target_delay.mean());
}

TEST_CASE("the receiver counts the payload that UC carries", "[stats]") {
  Run run;
  run.qp(1).uc = true;
  run.qp(0).requester.payload_bytes = run.qp(1).requester.payload_bytes = 1000;
  run.endpoints[2].receive_qps[0].responder.completed_bytes = 300;
  RateTracker rates(run.config, run.plans);
  const RunInterval& now = rates.add(run.at(kSecond));
  CHECK(now.boards[0].qps[1].goodput == 300.0);
  CHECK(now.sum.carried == 1300.0);
  CHECK(now.sum.payload == 2000.0);

  run.plans[1].target.receiver.reset();
  RateTracker external(run.config, run.plans);
  const RunInterval& unknown = external.add(run.at(kSecond));
  CHECK(unknown.boards[0].qps[0].goodput == 0.0);
  CHECK_FALSE(unknown.boards[0].qps[1].goodput);
  CHECK_FALSE(unknown.boards[0].all.goodput);
  CHECK_FALSE(unknown.sum.carried);
}

TEST_CASE("ports have rates, differences and peaks", "[stats]") {
  Run run;
  RateTracker rates;
  fabric::PortSnapshot& port = run.network.ports[0];
  port.tx_wire_bytes = 500;
  port.dropped = 4;
  port.queue_bytes_peak = 70;
  port.queue_bytes_max = 90;
  rates.add(run.at(kSecond));
  port.tx_wire_bytes = 750;
  port.dropped = 5;
  port.paused = 100 * kMillisecond;
  port.queue_bytes = 20;
  port.queue_bytes_peak = 60;
  const RunInterval& now = rates.add(run.at(1500 * kMillisecond));
  const PortInterval& p = now.ports[0];
  CHECK(now.network_at == 1.5);
  CHECK(now.network_seconds == 0.5);
  CHECK(p.sent == 500.0);
  CHECK(p.used == 0.5);
  CHECK(p.paused_share == Approx(0.2));
  CHECK(p.counts.dropped == 1);
  CHECK(p.total.dropped == 5);
  CHECK(now.ports_total.dropped == 5);
  CHECK(p.queue == 20);
  CHECK(p.peak == 60);
  CHECK(p.longest == 90);
}

TEST_CASE("what happens at the time of the previous sample counts in the next interval", "[stats]") {
  Run run;
  RateTracker rates(run.config, run.plans);
  rates.add(run.at(kSecond));
  run.qp(0).counters.counted_bytes = 100;
  run.network.ports[0].tx_wire_bytes = 200;
  run.network.ports[0].queue_bytes_peak = 50;
  const RunInterval& now = rates.add(run.at(kSecond + 1));  // a picosecond later
  CHECK(now.boards[0].seconds == 0.0);
  CHECK(now.boards[0].all.counts.counted_bytes == 0);
  CHECK(now.boards[0].total.counted_bytes == 100);
  CHECK(now.ports[0].sent == 0.0);
  run.network.ports[0].queue_bytes_peak = 10;
  rates.add(run.at(2 * kSecond));
  CHECK(now.boards[0].all.sent == 100.0);
  CHECK(now.ports[0].sent == 200.0);
  CHECK(now.ports[0].peak == 50);
}
