// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "switch_sets.hpp"
#include "switchtest/context.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Settings burst_settings(std::vector<std::uint32_t> sizes) {
  Settings out = test::four_ports();
  out.sizes = std::move(sizes);
  return out;
}

Figure burst_figure(const SwitchReport& report, const char* name, const char* size = "4174") {
  return test::figure(report, "burst", name, {{"size", size}});
}

/// Checks that the longest train has exactly `each` frames from each of `senders` senders.
void check_train(const SwitchReport& report, const char* size, std::uint64_t each, unsigned senders) {
  const Figure& frames = burst_figure(report, "frames", size);
  INFO("size " << size);
  CHECK(frames.value.value() == static_cast<double>(each * senders));
  CHECK(frames.low == frames.value);
  CHECK(frames.high.value() == static_cast<double>((each + 1) * senders));
  CHECK(frames.status == Status::kMeasured);
  CHECK(frames.unit == "frames");
  const double length = std::stoul(size) - kFcsSize;
  CHECK(burst_figure(report, "bytes", size).value.value() == *frames.value * length);
}

}  // namespace

TEST_CASE("A faster sender fills the memory with a train", "[switchtest]") {
  const SwitchReport report = test::run_test(test::set_v7(), burst_settings({1026, 4174}), "burst");
  // 1 MiB holds 251 frames. When the last frame of the train arrives, 40 % of the train have left. The train
  // therefore has 251 / 0.6 = 418 frames, plus one frame on the wire.
  check_train(report, "4174", 419, 1);
  const Figure& buffer = burst_figure(report, "implied_buffer_bytes");
  CHECK(*buffer.value == Approx(419 * 4170 * 0.6));
  CHECK(*buffer.high > test::kMiB);
  CHECK(*burst_figure(report, "implied_buffer_bytes", "1026").value == Approx(test::kMiB).epsilon(0.001));
  const double wire_ns = 4194 / 3.125;
  CHECK(*burst_figure(report, "corrected_buffer_ns").value == Approx(419 * wire_ns * 0.6));
}

TEST_CASE("Two senders fill the memory that one queue may take", "[switchtest]") {
  const auto run = [](const fabric::NetworkConfig& network) {
    return test::run_test(network, burst_settings({1026, 4174}), "burst");
  };
  const SwitchReport v1 = run(test::set_v1());
  check_train(v1, "4174", 251, 2);
  check_train(v1, "1026", 1026, 2);
  const Figure& buffer = burst_figure(v1, "implied_buffer_bytes", "1026");
  CHECK(buffer.low == 1'048'572.0);
  CHECK(buffer.high == 1'049'594.0);
  check_train(run(test::set_v2()), "4174", 125, 2);
  check_train(run(test::set_v3()), "4174", 251, 2);
  check_train(run(test::set_v6()), "4174", 16 * test::kMiB / 4170, 2);
}

TEST_CASE("Headroom prolongs the train of senders that ignore pauses", "[switchtest]") {
  // The sender whose frames find a full memory uses its headroom; the other gets the memory that becomes
  // free.
  const SwitchReport v4 = test::run_test(test::set_v4(), burst_settings({4174}), "burst");
  check_train(v4, "4174", 4 * test::kMiB / 4170 + 7, 2);
  const SwitchReport v5 = test::run_test(test::set_v5(), burst_settings({4174}), "burst");
  check_train(v5, "4174", 251 + 1, 2);
}

TEST_CASE("Trains of random sizes fill random memories", "[switchtest]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    fabric::NetworkConfig network = test::set_v1();
    network.switches[0].buffer = 100'000 + rng.below(2'000'000);
    const auto size = static_cast<std::uint32_t>(78 + 4 * rng.below(1'000));
    for (std::size_t i = 0; i < 3; ++i) network.links[i].rate += rng.below(3) * test::kTenGigabit;
    network.links[0].rate = test::kTenGigabit * (seed == 1 ? 1 : 2 + rng.below(9));
    if (seed == 1) network.links[1].rate = test::kTenGigabit;
    INFO("seed " << seed << ", size " << size);
    const SwitchReport report = test::run_test(network, burst_settings({size}), "burst");
    const Figure& buffer = burst_figure(report, "implied_buffer_bytes", std::to_string(size).c_str());
    // Two frames may make a difference: the one that is leaving, and the last one of the train.
    CHECK(buffer.low.value() > static_cast<double>(network.switches[0].buffer) - 2.0 * size);
    CHECK(buffer.high.value() < static_cast<double>(network.switches[0].buffer) + 2.0 * size);
  }
}

TEST_CASE("Two equal ports give a lower bound of the train", "[switchtest]") {
  Settings settings = burst_settings({4174});
  settings.roles = {.a = 0, .d = 3};
  const SwitchReport report = test::run_test(test::set_v1(), settings, "burst");
  const Figure& frames = burst_figure(report, "frames");
  CHECK(frames.status == Status::kBounded);
  CHECK(frames.value.value() >= 10'000);
  CHECK_FALSE(frames.high);
  CHECK(frames.reason.find("third port") != std::string::npos);
  CHECK(burst_figure(report, "implied_buffer_bytes").status == Status::kUnresolvable);
  CHECK_FALSE(burst_figure(report, "implied_buffer_bytes").value);
}

TEST_CASE("The load that a slow switch forwards corrects its buffer", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.switches.push_back(network.switches[0]);
  network.switches[1].name = "fast";
  network.links[3].b = {fabric::NodeRef::Kind::kSwitch, 1};
  network.links.push_back({.a = {fabric::NodeRef::Kind::kSwitch, 0},
                           .b = {fabric::NodeRef::Kind::kSwitch, 1},
                           .rate = test::kTenGigabit / 2});
  Settings settings = burst_settings({4174});
  settings.roles = {.a = 0, .d = 3};
  const auto buffer_with = [&](Findings findings) {
    VirtualRig rig(network);
    TestReport report{.name = "burst"};
    Context ctx(rig, settings, findings, report);
    run_burst(ctx);
    REQUIRE(report.figures.size() == 4);
    CHECK(report.figures[0].value.value() == Approx(502).margin(2));
    return report.figures[2];
  };
  CHECK(buffer_with({.load = {{4174, 0.5}}}).value.value() == Approx(test::kMiB).epsilon(0.01));
  // A load that only the rig limits shows nothing about the switch.
  CHECK(buffer_with({.load = {{4174, 0.3}}, .load_of_rig = {4174}}).value == buffer_with({}).value);
  CHECK(buffer_with({}).status == Status::kUnresolvable);
}

TEST_CASE("Repeated trains give a mean and their spread", "[switchtest]") {
  test::AlteredRig rig(test::set_v7());
  rig.as = RigKind::kRings;
  int n = 0;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    // In each long train, the switch loses one frame. Its position cycles through 400 to 404.
    if (!trial.freezes.empty() || result.kinds.size() != 1) return;
    const std::uint64_t lost = 400 + static_cast<std::uint64_t>(n++ % 5);
    if (result.kinds[0].sent <= lost) return;
    std::erase_if(result.arrivals, [&](const Arrival& a) { return a.sequence == lost; });
    --result.kinds[0].arrived;
  };
  Settings settings = burst_settings({4174});
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"burst"});
  const Figure& frames = burst_figure(report, "frames");
  CHECK(frames.value.value() == Approx(402).margin(1));
  CHECK(frames.low == 400.0);
  CHECK(frames.high.value() == 405.0);
  CHECK(frames.status == Status::kMeasured);
}

TEST_CASE("Losses at random shorten the validated train", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[0].a_to_b.drop = (std::uint64_t{1} << 32) / 100;
  const SwitchReport report = test::run_test(network, burst_settings({4174}), "burst");
  const Figure& frames = burst_figure(report, "frames");
  CHECK(frames.low.value() < 502);
  CHECK(*frames.low <= *frames.value);
}

TEST_CASE("Trains need valid trials", "[switchtest]") {
  test::AlteredRig rig(test::set_v7());
  rig.as = RigKind::kRings;
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.freezes.empty()) result.void_reason = "a transmit queue refused frames";
  };
  const SwitchReport report = run_tests(rig, burst_settings({4174}), {"burst"});
  CHECK(test::test_report(report, "burst").status == Status::kInconclusive);
  CHECK(test::test_report(report, "burst").figures.empty());
}
