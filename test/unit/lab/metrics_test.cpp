// SPDX-License-Identifier: BSD-3-Clause
#include "lab/metrics.hpp"

#include <map>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;

namespace {

constexpr std::uint64_t kTenGigabit = 1'250'000'000;
constexpr std::uint64_t kPayloadOf = 1000, kWireOf = 1250;  // bytes per packet

/// Boards that write to one receiver through one port. The test sets the rate of each board.
class Bench {
 public:
  Bench(std::vector<Sending> boards, Time end) : rates(boards.size(), 0) {
    for (std::size_t b = 0; b < boards.size(); ++b) {
      config.boards.push_back({boards[b], kTenGigabit, 0});
      config.flows.push_back({b, 0, boards.size(), b, true});
    }
    config.end = end;
    config.bottleneck = MetricsConfig::Port{0, 3};
    endpoints_.resize(boards.size() + 1);
    for (auto& e : endpoints_) e.send_qps.resize(1);
    endpoints_.back().receive_qps.resize(boards.size());
    network_.ports.resize(2);
    network_.ports[1].link = 3;
    network_.ports[1].rate = kTenGigabit;
  }

  void make() {
    metrics.emplace(config);
    metrics->on_window([this](const Window& w) { windows[w.length].push_back(w); });
  }

  /// Advances time to `to` in steps of the metrics' interval. Board b delivers rates[b] bytes of payload per
  /// second.
  void run(Time to) {
    while (metrics->due() <= to) {
      const Time at = metrics->due();
      for (std::size_t b = 0; b < rates.size(); ++b) {
        const std::uint64_t bytes = rates[b] * (at - now_) / kSecond;
        endpoints_.back().receive_qps[b].responder.payload_bytes += bytes;
        network_.ports[1].tx_wire_bytes += bytes * kWireOf / kPayloadOf;
      }
      network_.ports[1].queue_bytes = queue;
      network_.ports[1].queue_bytes_max = std::max(queue, network_.ports[1].queue_bytes_max);
      network_.taken_at = kOrigin + at;
      now_ = at;
      metrics->add({at, kOrigin, &endpoints_, &network_});
    }
  }

  void finish(std::size_t board) { endpoints_[board].finished = true; }

  static constexpr Time kOrigin = 123 * kSecond;
  MetricsConfig config;
  std::vector<std::uint64_t> rates;
  std::uint64_t queue = 0;
  std::optional<Metrics> metrics;
  std::map<Time, std::vector<Window>> windows;

 private:
  std::vector<engine::EndpointSnapshot> endpoints_;
  fabric::NetworkSnapshot network_;
  Time now_ = 0;
};

constexpr Time ms(std::uint64_t n) { return n * kMillisecond; }

}  // namespace

TEST_CASE("windows show fairness and use of the port", "[lab]") {
  Bench bench({{0}, {0}}, ms(400));
  bench.make();
  bench.rates = {100'000'000, 300'000'000};  // the port can carry 1 GB/s of payload
  bench.run(ms(400));
  REQUIRE(bench.windows[ms(10)].size() == 40);
  REQUIRE(bench.windows[ms(100)].size() == 4);
  const Window& w = bench.windows[ms(100)][1];
  CHECK(w.from == ms(100));
  CHECK(w.to == ms(200));
  CHECK(w.boards_sending == 2);
  CHECK(w.jain == 800'000'000);  // the index of rates 1 and 3 is 16 / (2 · 10)
  CHECK(w.port_used == 400'000'000);
  const LabStats f = bench.metrics->figures();
  CHECK(f.over_100ms().jain_min == 800'000'000);
  CHECK(f.over_100ms().port_used_min == 400'000'000);
  CHECK(f.delivered == std::vector<std::uint64_t>{40'000'000, 120'000'000});
}

TEST_CASE("a board whose UC receiver is external is not compared with others", "[lab]") {
  Bench bench({{0}, {0}, {0}}, ms(400));
  bench.config.flows[2].receiver.reset();
  bench.config.flows[2].acknowledged = false;
  bench.make();
  bench.rates = {100'000'000, 100'000'000, 0};
  bench.run(ms(400));
  const LabStats f = bench.metrics->figures();
  CHECK(bench.windows[ms(100)][1].boards_sending == 2);
  CHECK(f.over_100ms().jain_min == kWhole);
  CHECK(f.known == std::vector<std::uint8_t>{1, 1, 0});
  CHECK(f.starvation[2] == 0);
}

TEST_CASE("a state is steady when the same boards have been sending for 200 ms", "[lab]") {
  Bench bench({{0}, {0, ms(500)}, {ms(1000), ms(1000)}}, ms(900));
  bench.make();
  bench.rates = {1'000'000, 1'000'000, 0};
  bench.run(ms(900));
  std::vector<bool> steady;
  std::vector<std::size_t> sending;
  for (const Window& w : bench.windows[ms(100)]) {
    steady.push_back(w.steady);
    sending.push_back(w.boards_sending);
  }
  CHECK(steady == std::vector<bool>{false, false, true, true, true, false, false, true, true});
  CHECK(sending == std::vector<std::size_t>{2, 2, 2, 2, 2, 1, 1, 1, 1});
  CHECK(bench.metrics->figures().over_100ms().windows == 5);
  CHECK_FALSE(bench.windows[ms(100)].back().jain);
}

TEST_CASE("a board that has sent all its messages has stopped, regardless of the schedule", "[lab]") {
  Bench bench({{0}, {0}}, kNever);
  bench.make();
  bench.rates = {1'000'000, 1'000'000};
  bench.run(ms(300));
  bench.finish(1);
  bench.rates[1] = 0;
  bench.run(ms(700));
  CHECK(bench.windows[ms(100)][2].steady);
  CHECK_FALSE(bench.windows[ms(100)][3].steady);
  CHECK(bench.windows[ms(100)].back().boards_sending == 1);
  CHECK(bench.metrics->figures().starvation[1] == 0);
  const auto changes = bench.metrics->figures().changes;
  REQUIRE(changes.size() == 2);
  CHECK(changes[1].change.at == ms(301));
  CHECK(changes[1].change.stopping == std::vector<std::size_t>{1});
}

TEST_CASE("time to the new fair share runs from each start and stop", "[lab]") {
  Bench bench({{0}, {0}, {0, ms(500)}}, ms(1000));
  bench.make();
  bench.rates = {500'000'000, 250'000'000, 250'000'000};  // the fair share is a third of 1 GB/s
  bench.run(ms(30));
  bench.rates = {320'000'000, 340'000'000, 340'000'000};
  bench.run(ms(500));
  bench.rates = {340'000'000, 340'000'000, 0};
  bench.run(ms(650));
  bench.rates = {460'000'000, 540'000'000, 0};
  bench.run(ms(1000));
  const auto changes = bench.metrics->figures().changes;
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].change.starting.size() == 3);
  REQUIRE(changes[0].converged);
  // The rates change at 30 ms, but the first 10 ms window within the tolerance may begin slightly earlier.
  CHECK(*changes[0].converged > ms(20));
  CHECK(*changes[0].converged <= ms(30));
  CHECK(changes[1].change.sending == std::vector<std::size_t>{0, 1});
  REQUIRE(changes[1].converged);
  CHECK(*changes[1].converged > ms(140));
  CHECK(*changes[1].converged <= ms(150));
}

TEST_CASE("shares that are never reached have no time", "[lab]") {
  Bench bench({{0}, {0}}, ms(300));
  bench.make();
  bench.rates = {700'000'000, 300'000'000};
  bench.run(ms(300));
  REQUIRE(bench.metrics->figures().changes.size() == 1);
  CHECK_FALSE(bench.metrics->figures().changes[0].converged);
}

TEST_CASE("a board without deliveries starves, but not before its start", "[lab]") {
  Bench bench({{0}, {ms(100)}}, ms(300));
  bench.make();
  bench.rates = {1'000'000, 0};
  bench.run(ms(150));
  bench.rates[1] = 1'000'000;
  bench.run(ms(200));
  bench.rates = {0, 0};
  bench.run(ms(220));
  bench.rates = {1'000'000, 1'000'000};
  bench.run(ms(300));
  CHECK(bench.metrics->figures().starvation == std::vector<Time>{ms(20), ms(50)});
}

TEST_CASE("the queue's mean covers steady states, its maximum everything", "[lab]") {
  Bench bench({{0}}, ms(400));
  bench.make();
  bench.queue = 90'000;
  bench.run(ms(200));
  bench.queue = 20'000;
  bench.run(ms(300));
  bench.queue = 40'000;
  bench.run(ms(400));
  CHECK(bench.metrics->figures().queue_bytes_max == 90'000);
  CHECK(bench.metrics->figures().queue_bytes_mean == 30'000);
}

TEST_CASE("boards that do not pass the bottleneck are not compared", "[lab]") {
  Bench bench({{0}, {0}, {0}}, ms(300));
  bench.config.flows[2].through_bottleneck = false;
  bench.make();
  bench.rates = {1'000'000, 1'000'000, 9'000'000};
  bench.run(ms(300));
  CHECK(bench.windows[ms(100)].back().boards_sending == 2);
  CHECK(bench.windows[ms(100)].back().jain == kWhole);
}

TEST_CASE("demand is compared with deliveries while a board sends; boards without a rate do not count",
          "[lab]") {
  Bench bench({{0, ms(100)}, {0}, {0}}, ms(200));
  bench.config.boards[0].asked = 100'000'000;
  bench.config.boards[1].asked = 400'000'000;
  bench.make();
  bench.rates = {90'000'000, 100'000'000, 1'000};
  bench.run(ms(100));
  CHECK(bench.metrics->figures().demand_met == kWhole / 4);
  bench.rates = {0, 700'000'000, 1'000};
  bench.run(ms(200));
  CHECK(bench.metrics->figures().demand_met == kWhole / 10 * 9);
  Bench unasked({{0}}, ms(10));
  unasked.make();
  unasked.run(ms(10));
  CHECK_FALSE(unasked.metrics->figures().demand_met);
}

TEST_CASE("offered rates are compared with the minimum of link, traffic and Rc", "[lab]") {
  constexpr std::uint64_t kLink = 1000;  // bytes per second on the wire
  Offered offered(kLink, 0, {0});
  engine::EndpointSnapshot e;
  e.send_qps.resize(1);
  auto& qp = e.send_qps[0];
  const auto second = [&](std::uint64_t wire) {
    e.endpoint.tx_frames += 1;
    e.endpoint.tx_bytes += wire - 24;
    qp.counters.counted_bytes += wire / 2;  // half of the bytes on the wire are overhead
    qp.requester.payload_bytes += wire / 4;
    offered.add(e, kSecond, true);
  };
  second(500);
  CHECK_FALSE(offered.share());  // the first sample has no predecessor to compare with
  SECTION("link") {
    second(900);
    CHECK(offered.share() == kWhole / 10 * 9);
  }
  SECTION("Rc") {
    qp.congestion.emplace();
    qp.congestion->rate = 100;  // in counted bytes per second
    offered.add(e, 0, false);
    second(180);
    CHECK(offered.share() == kWhole / 10 * 9);
  }
  SECTION("time in which it does not send is ignored") {
    offered.add(e, 10 * kSecond, false);
    second(1000);
    CHECK(offered.share() == kWhole);
  }
}
