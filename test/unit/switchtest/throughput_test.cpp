// SPDX-License-Identifier: BSD-3-Clause
#include "run_test.hpp"
#include "switch_sets.hpp"
#include "switchtest/virtual_rig.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

/// A rig whose senders lose 1 % of every stream that takes more than 90 % of the link.
class WeakRig final : public Rig {
 public:
  RigKind kind() const override { return RigKind::kRings; }
  const std::vector<RigPort>& ports() const override { return rig_.ports(); }
  TrialResult run(const Trial& trial) override {
    Trial weak = trial;
    for (Source& s : weak.sources) {
      const Time wire = time_on_wire(trial.kinds[s.kinds.front()].length, test::kTenGigabit);
      if (s.end != kNever && s.gap * 9 < wire * 10) s.end -= (s.end - s.start) / 100;
    }
    return rig_.run(weak);
  }
  Time now() const override { return rig_.now(); }
  std::optional<Time> own_delay() const override { return std::nullopt; }
  Time settle() const override { return rig_.settle(); }

 private:
  VirtualRig rig_{test::set_v1()};
};

}  // namespace

TEST_CASE("A plain switch forwards line rate", "[switchtest]") {
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  settings.sizes = {78, 4174};
  const SwitchReport report = test::run_test(test::set_v1(), settings, "throughput");
  for (const char* size : {"78", "4174"})
    for (const char* direction : {"one", "both"}) {
      const Figure& load =
          test::figure(report, "throughput", "load", {{"size", size}, {"direction", direction}});
      CHECK(load.value == 1.0);
      CHECK(load.low == 1.0);
      CHECK(load.high == 1.0);
      CHECK(load.status == Status::kMeasured);
    }
  const Figure& pps = test::figure(report, "throughput", "pps", {{"size", "78"}, {"direction", "one"}});
  CHECK(*pps.value == Approx(1.25e9 / 98));
}

TEST_CASE("The receiver's rate limits the throughput of faster senders", "[switchtest]") {
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  settings.sizes = {1026};
  const SwitchReport report = test::run_test(test::set_v7(), settings, "throughput");
  const Figure& gbps = test::figure(report, "throughput", "gbps", {{"size", "1026"}, {"direction", "one"}});
  CHECK(*gbps.value == Approx(10.0 * 1026 / 1046));
}

TEST_CASE("A link that loses frames at any load has a loss floor and no throughput", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[0].a_to_b.drop = (std::uint64_t{1} << 32) / 10;
  Settings settings = test::four_ports();
  settings.sizes = {1026};
  const SwitchReport report = test::run_test(network, settings, "throughput");
  const Figure& floor =
      test::figure(report, "throughput", "loss_floor", {{"size", "1026"}, {"direction", "one"}});
  CHECK(*floor.low < 0.1);
  CHECK(*floor.high > 0.1);
  CHECK_FALSE(test::has_figure(report, "throughput", "load"));
}

TEST_CASE("A load that the senders did not reach does not count as passed", "[switchtest][long]") {
  WeakRig rig;
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  settings.sizes = {4174};
  const SwitchReport report = run_tests(rig, settings, {"throughput"});
  const Figure& load = test::figure(report, "throughput", "load", {{"size", "4174"}, {"direction", "one"}});
  CHECK(load.status == Status::kBounded);
  // The search finds the rig's own limit with a precision of 1/64.
  CHECK(*load.value <= 0.9015);
  CHECK(*load.value >= 0.9 * 63 / 64);
  CHECK_FALSE(load.high);
  CHECK(load.reason.find("fell behind its schedule") != std::string::npos);
}
