// SPDX-License-Identifier: BSD-3-Clause
#include "stats/observers.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::stats;

namespace {

class Every : public Observer {
 public:
  explicit Every(Time interval) : interval_(interval), due_(interval) {}
  Time due() const override { return due_; }
  void add(const Sample& s) override {
    times.push_back(s.at);
    if (s.network != nullptr) peaks.push_back(s.network->ports[0].queue_bytes_peak);
    due_ = (s.at / interval_ + 1) * interval_;
  }
  std::vector<Time> times;
  std::vector<std::uint64_t> peaks;

 private:
  Time interval_;
  Time due_;
};

void give(Observers& all, Time at, std::uint64_t peak, bool last = false) {
  const std::vector<engine::EndpointSnapshot> endpoints;
  fabric::NetworkSnapshot network;
  network.ports.resize(1);
  network.ports[0].queue_bytes_peak = peak;
  const Sample sample{.at = at, .endpoints = &endpoints};
  last ? all.end(sample, &network) : all.add(sample, &network);
}

}  // namespace

TEST_CASE("Observers: each at its own times, in order", "[lab][observers]") {
  Every often(2);
  Every seldom(6);
  Observers all({&often, &seldom});
  CHECK(all.due() == 2);
  for (Time t = 2; t <= 12; t += 2) give(all, t, 1);
  CHECK(often.times == std::vector<Time>{2, 4, 6, 8, 10, 12});
  CHECK(seldom.times == std::vector<Time>{6, 12});
  CHECK(all.due() == 14);
}

TEST_CASE("Observers: a peak covers the time since the observer's own last sample", "[lab][observers]") {
  Every often(2);
  Every seldom(6);
  Observers all({&often, &seldom});
  give(all, 2, 70);
  give(all, 4, 30);
  give(all, 6, 10);
  give(all, 8, 5);
  give(all, 9, 20, true);
  CHECK(often.peaks == std::vector<std::uint64_t>{70, 30, 10, 5, 20});
  CHECK(seldom.peaks == std::vector<std::uint64_t>{70, 20});
}

TEST_CASE("Observers: without observers nothing is due", "[lab][observers]") {
  Observers nobody({});
  CHECK(nobody.empty());
  CHECK(nobody.due() == kNever);
}
