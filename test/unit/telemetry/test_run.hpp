// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"
#include "telemetry/run_info.hpp"

#include <vector>

/// Provides samples of a board and a receiver at a switch.
struct TestRun {
  softfeb::telemetry::RunInfo info;
  std::vector<softfeb::engine::EndpointSnapshot> endpoints{2};
  softfeb::fabric::NetworkSnapshot network;

  TestRun() {
    using namespace softfeb;
    info.title = "a \"title\"";
    info.version = "0";
    info.boards.push_back({.name = "feb\\0", .ip = "10.0.0.1", .dcqcn = true, .qps = 2});
    info.own_rates = {{true, false}};
    info.receivers.emplace_back("daq");
    fabric::NetworkConfig n;
    n.switches.resize(1);
    n.switches[0].name = "tor";
    n.switches[0].buffer = 1'000'000;
    n.switches[0].queues[3].ecn = {true, 100, 400};
    n.stations = {{"feb0", {}}, {"daq", {}}};
    using Ref = fabric::NodeRef;
    n.links = {{Ref{Ref::Kind::kStation, 0}, Ref{Ref::Kind::kSwitch, 0}, 1'250'000'000},
               {Ref{Ref::Kind::kSwitch, 0}, Ref{Ref::Kind::kStation, 1}, 1'250'000'000}};
    telemetry::add_network(info, n, 1, 0);
    endpoints[0].send_qps.resize(2);
    for (auto& qp : endpoints[0].send_qps)
      qp.congestion = congestion::CongestionState{
          .rate = 1'000'000, .target_rate = 2'000'000, .alpha = 512, .alpha_one = 1024};
    endpoints[1].receive_qps.resize(2);
    network.ports.resize(2);
  }

  softfeb::stats::Sample at(softfeb::Time time) {
    for (auto& e : endpoints) e.taken_at = 17 * softfeb::kSecond + time;
    network.taken_at = 17 * softfeb::kSecond + time;
    return {time, 17 * softfeb::kSecond, &endpoints, &network};
  }
};
