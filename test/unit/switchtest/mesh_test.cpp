// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/mesh.hpp"

#include "switch_sets.hpp"
#include "switchtest/virtual_rig.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

TEST_CASE("A mesh loads each port by its share at most", "[switchtest]") {
  const bool mixed_rates = GENERATE(false, true);
  VirtualRig rig(mixed_rates ? test::set_v7() : test::set_v1());
  const Settings settings = test::four_ports();
  Findings findings;
  TestReport report{.name = "test"};
  Context ctx(rig, settings, findings, report);
  const Mesh mesh(ctx, 0.8);
  Trial trial = ctx.trial();
  constexpr Time kTime = 20 * kMillisecond;
  mesh.add(ctx, trial, kTime);
  trial.end = kTime + 10 * kMillisecond;
  const TrialResult result = rig.run(trial);
  REQUIRE(trial.kinds.size() == 12 * settings.sizes.size());
  CHECK(mesh.name(0) == "p0 to p1, 78 bytes");
  std::array<double, 4> sent{}, received{};
  double frames = 0;
  for (const Source& source : trial.sources) {
    for (const std::uint16_t k : source.kinds) {
      const double wire = static_cast<double>(result.kinds[k].sent) * (trial.kinds[k].length + 24);
      sent[source.port] += wire;
      received[trial.kinds[k].to] += wire;
      frames += static_cast<double>(result.kinds[k].sent);
      CHECK(result.kinds[k].missing() == 0);
    }
  }
  CHECK(frames / to_seconds(kTime) == Approx(mesh.frame_rate()).epsilon(0.03));
  for (std::size_t p = 0; p < 4; ++p) {
    // With mixed rates, p3 has 10 Gb/s and the other ports have 25 Gb/s. Each port divides its rate equally
    // among the three others, and each stream is limited by the slower of its two ports. Each 25 Gb/s port
    // therefore has two streams of 25/3 Gb/s and one of 10/3 Gb/s, times 0.8.
    const double share = !mixed_rates || p == 3 ? 0.8 : 0.8 * (25 + 25 + 10) / 75;
    const double line = static_cast<double>(rig.ports()[p].rate) * to_seconds(kTime);
    CHECK(sent[p] / line == Approx(share).epsilon(0.05));
    CHECK(received[p] / line == Approx(share).epsilon(0.05));
  }
}
