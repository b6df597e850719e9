// SPDX-License-Identifier: BSD-3-Clause
#include "lab/run_means.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;

namespace {

/// A board with two queue pairs, a receiver, and two switch ports. The second port is the bottleneck.
struct Scene {
  config::LabConfig config;
  std::vector<engine::EndpointSnapshot> endpoints{2};
  fabric::NetworkSnapshot network;

  Scene() {
    config.run.boards.resize(1);
    config.run.run.duration = 2 * kMillisecond;
    config.lab.sample_interval = kMillisecond;
    config.lab.bottleneck = 1;
    endpoints[0].send_qps.resize(2);
    endpoints[1].receive_qps.resize(2);
    network.ports.resize(2);
    network.ports[0].queue_bytes = 99'999;
    network.ports[1].link = 1;
  }

  stats::Sample at(Time time, std::uint64_t queue, std::uint64_t delivered) {
    network.ports[1].queue_bytes = queue;
    for (auto& qp : endpoints[1].receive_qps) qp.responder.payload_bytes = delivered / 2;
    return {time, 0, &endpoints, &network};
  }

  void measure_rtt(std::size_t qp, Time rtt) {
    endpoints[0].send_qps[qp].congestion.emplace();
    endpoints[0].send_qps[qp].congestion->rtt = rtt;
  }
};

}  // namespace

TEST_CASE("means of a run cover the time of the traffic", "[lab]") {
  Scene scene;
  RunMeans means(scene.config);
  CHECK_FALSE(means.goodput());
  CHECK_FALSE(means.queue_bytes());
  CHECK(means.due() == kMillisecond);
  means.add(scene.at(kMillisecond, 1000, 4000));
  CHECK_FALSE(means.rtt());
  scene.measure_rtt(1, 20 * kMicrosecond);
  means.add(scene.at(2 * kMillisecond, 3000, 10'000));
  means.add(scene.at(3 * kMillisecond, 0, 20'000));  // traffic has ended
  means.end(scene.at(4 * kMillisecond, 0, 20'000));
  CHECK(means.due() == kNever);
  CHECK(*means.queue_bytes() == 2000);
  CHECK(*means.goodput() == Approx(10'000 / 0.002));
  CHECK(*means.rtt() == Approx(20e-6));
}

TEST_CASE("finished boards have no round-trip times", "[lab]") {
  Scene scene;
  scene.measure_rtt(0, 10 * kMicrosecond);
  scene.measure_rtt(1, 30 * kMicrosecond);
  RunMeans means(scene.config);
  means.add(scene.at(kMillisecond, 0, 0));
  scene.measure_rtt(0, kSecond);
  scene.endpoints[0].finished = true;
  means.add(scene.at(2 * kMillisecond, 0, 0));
  CHECK(*means.rtt() == Approx(20e-6));
}

TEST_CASE("a lab without a bottleneck has no mean queue", "[lab]") {
  Scene scene;
  scene.config.lab.bottleneck.reset();
  RunMeans means(scene.config);
  means.add(scene.at(kMillisecond, 1000, 4000));
  CHECK_FALSE(means.queue_bytes());
}
