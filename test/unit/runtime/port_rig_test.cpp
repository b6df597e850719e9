// SPDX-License-Identifier: BSD-3-Clause
#include "real_rig_main.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

config::PortConfig ring(const std::string& name, const std::string& link) {
  config::PortConfig port;
  port.name = name;
  port.device = {config::DeviceKind::kRing, "net_ring:" + link, link};
  return port;
}

/// Returns a rig of two ports that are connected by a cable.
Rig& cable() {
  if (!test::shared_rig) {
    config::LabConfig lab = test::small_configuration();
    lab.run.ports = {ring("unused", "alone"), ring("left", "cable"), ring("right", "cable")};
    test::shared_rig = std::make_unique<runtime::RealRig>(
        lab, runtime::RealRigSettings{.kind = RigKind::kPorts, .ports = {"right", "left"}, .quiet = true});
  }
  return *test::shared_rig;
}

}  // namespace

TEST_CASE("Rig ports are the named ports of the configuration", "[ports]") {
  REQUIRE(cable().ports().size() == 2);
  CHECK(cable().ports()[0].name == "right");
  CHECK(cable().ports()[1].name == "left");
  CHECK(cable().ports()[0].rate == 1'250'000'000);
  CHECK(cable().ports()[0].largest_frame >= 4170);
  CHECK_FALSE(cable().own_delay());
}

TEST_CASE("Frames and pauses cross a cable in both directions", "[ports]") {
  Trial trial;
  trial.kinds.push_back({.to = 1, .length = 4170, .record = true});
  trial.kinds.push_back({.to = 0, .length = 1022, .record = true});
  trial.sources.push_back({.port = 0, .kinds = {0}, .count = 200});
  trial.sources.push_back({.port = 1, .kinds = {1}, .count = 200});
  roce::MacControl control;
  control.quanta[0] = 7;
  trial.pauses.push_back({1, 2 * kMillisecond, control});
  trial.end = 10 * kMillisecond;
  constexpr int kAttempts = 50;
  TrialResult result;
  for (int i = 0; i < kAttempts; ++i) {
    result = cable().run(trial);
    if (result.valid()) break;
    WARN(result.void_reason);
  }
  REQUIRE(result.valid());
  CHECK(result.kinds[0].arrived == 200);
  CHECK(result.kinds[1].arrived == 200);
  CHECK(result.kinds[0].damaged + result.kinds[1].damaged == 0);
  REQUIRE(result.pauses.size() == 1);
  CHECK(result.pauses[0].port == 0);
  CHECK(result.pauses[0].control.quanta[0] == 7);
}
