// SPDX-License-Identifier: BSD-3-Clause
#include "stats/delivery.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::stats;
using namespace softfeb::endpoints;

namespace {

/// Two boards and two receivers. Board 0 has four QPs, and board 1 has one QP to receiver 1 and one to an
/// external receiver. The slots of each board's metadata bus follow its QPs. Receiver 1 is the host of both
/// buses.
struct Scenario {
  config::RunConfig config;
  std::vector<QpPlan> plans;
  std::vector<engine::EndpointSnapshot> endpoints{4};

  Scenario() {
    config.receivers.resize(2);
    config.boards.resize(2);
    for (auto& b : config.boards) {
      b.qps.resize(1);
      b.control.emplace();
      b.control->qps = 2;
      b.control->responder = 1;
    }
    for (std::uint32_t i = 0; i < 4; ++i) plans.push_back(plan(0, i, i % 2));
    plans.push_back(plan(1, 0, 1));
    plans.push_back(plan(1, 1, std::nullopt));
    endpoints[0].send_qps.resize(6);
    endpoints[1].send_qps.resize(4);
    endpoints[2].receive_qps.resize(2);
    endpoints[3].receive_qps.resize(3 + 4);
    for (auto& e : endpoints) e.taken_at = 10 * kSecond;
  }

  QpPlan plan(std::size_t board, std::uint32_t on_board, std::optional<std::size_t> receiver) {
    QpPlan p{board, &config.boards[board].qps[0], on_board, on_board, 0x100 + on_board, {}};
    p.target.ip = *roce::IpAddress::parse(receiver == 1 ? "10.0.0.2" : "10.0.0.1");
    p.target.receiver = receiver;
    if (receiver) p.target.receiver_qp = used_[*receiver]++;
    return p;
  }

 private:
  std::size_t used_[2] = {0, 0};
};

}  // namespace

TEST_CASE("every sending QP is assigned to the receiver that counts it", "[lab]") {
  Scenario s;
  const DeliveryMap map(s.config, s.plans);
  const auto is = [&](std::size_t board, std::size_t qp, std::size_t endpoint, std::size_t at) {
    const auto place = map.place_of(board, qp);
    return place && place->endpoint == endpoint && place->qp == at;
  };
  CHECK(is(0, 0, 2, 0));
  CHECK(is(0, 1, 3, 0));
  CHECK(is(0, 2, 2, 1));
  CHECK(is(0, 3, 3, 1));
  CHECK(is(1, 0, 3, 2));
  CHECK_FALSE(map.place_of(1, 1));
  // In the receiver, the slots of the boards follow the configured QPs.
  CHECK(is(0, 4, 3, 3));
  CHECK(is(0, 5, 3, 4));
  CHECK(is(1, 2, 3, 5));
  CHECK(is(1, 3, 3, 6));
  CHECK_FALSE(map.place_of(0, 6));
  CHECK_FALSE(map.place_of(2, 0));
}

TEST_CASE("RC delivers what completed, UC what the receiver accepted; external receivers are unknown",
          "[lab]") {
  Scenario s;
  const DeliveryMap map(s.config, s.plans);
  auto& qps = s.endpoints[0].send_qps;
  qps[0].completed_payload_bytes = 700;
  qps[1].uc = true;
  qps[1].completed_payload_bytes = 900;  // with UC, bytes that were sent, but not necessarily delivered
  s.endpoints[3].receive_qps[0].responder.completed_bytes = 400;
  s.endpoints[3].receive_qps[0].responder.payload_bytes = 450;  // 50 bytes belong to an incomplete message
  s.endpoints[3].taken_at = 11 * kSecond;
  const Delivered d = map.delivered(0, s.endpoints);
  CHECK(d.known);
  CHECK(d.acknowledged == 700);
  CHECK(d.received == 400);
  CHECK(d.received_at == 11 * kSecond);

  s.endpoints[1].send_qps[1].completed_payload_bytes = 5;
  CHECK(map.delivered(1, 1, s.endpoints).acknowledged == 5);
  s.endpoints[1].send_qps[1].uc = true;
  CHECK_FALSE(map.delivered(1, 1, s.endpoints).known);
  CHECK_FALSE(map.delivered(1, s.endpoints).known);
}

TEST_CASE("each part of a rate is over the time between the snapshots that count it", "[lab]") {
  const Delivered before{100, 1000, 2 * kSecond, true};
  const Delivered now{300, 5000, 6 * kSecond, true};
  CHECK(delivered_rate(before, now, 2, kSecond) == 100.0 + 1000.0);
  // Without a previous snapshot, the received bytes are averaged over the time since traffic began.
  CHECK(delivered_rate({}, now, 2, kSecond) == 150.0 + 1000.0);
  CHECK(delivered_rate(now, now, 0, kSecond) == 0.0);
  Delivered unknown = now;
  unknown.known = false;
  CHECK_FALSE(delivered_rate(before, unknown, 2, kSecond));
}
