// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "closed_forms.hpp"
#include "random_switch.hpp"
#include "run_test.hpp"
#include "score.hpp"
#include "switch_sets.hpp"
#include "switchtest/runner.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

SwitchReport buffer_of(const fabric::NetworkConfig& network) {
  return test::run_test(network, test::four_ports(), "buffer");
}

double queue_frames(const SwitchReport& report, const char* queue, const char* size) {
  return *test::figure(report, "buffer", "queue_frames", {{"queue", queue}, {"size", size}}).value;
}

double other_frames(const SwitchReport& report, const char* size) {
  return *test::figure(report, "buffer", "other_port_frames", {{"size", size}}).value;
}

std::string sharing(const SwitchReport& report) { return test::figure(report, "buffer", "sharing").text; }

/// Makes DSCP 8q select queue q.
void use_all_queues(fabric::NetworkConfig& network) {
  for (std::size_t d = 0; d < 64; ++d)
    network.switches[0].dscp_to_queue[d] = static_cast<std::uint8_t>(d / 8);
}

}  // namespace

TEST_CASE("One queue of a plain switch may take all the memory", "[switchtest]") {
  const SwitchReport report = buffer_of(test::set_v1());
  CHECK(queue_frames(report, "1", "4174") == 251);
  CHECK(queue_frames(report, "1", "1026") == 1026);
  CHECK(queue_frames(report, "2", "4174") == 0);
  CHECK(other_frames(report, "4174") == 0);
  CHECK(sharing(report) == "complete sharing");
  CHECK(test::figure(report, "buffer", "alpha").status == Status::kAbsent);
  const Figure& pool = test::figure(report, "buffer", "pool_bytes");
  CHECK(pool.status == Status::kMeasured);
  CHECK(pool.low == 1'048'572);
  CHECK(pool.high == 1'049'593);
  CHECK(report.findings.queue_bytes == 251 * 4170);
  const Figure& bytes = test::figure(report, "buffer", "queue_bytes", {{"queue", "1"}});
  CHECK(bytes.low == 251 * 4170);
  CHECK(bytes.high == 252 * 4170 - 1);
}

TEST_CASE("A port limit hides the memory behind it", "[switchtest]") {
  const SwitchReport report = buffer_of(test::set_v2());
  CHECK(queue_frames(report, "1", "4174") == 125);
  CHECK(queue_frames(report, "2", "4174") == 0);
  CHECK(other_frames(report, "4174") == 125);
  CHECK(sharing(report) == "port limit");
  CHECK(test::figure(report, "buffer", "alpha").status == Status::kUnresolvable);
  const Figure& pool = test::figure(report, "buffer", "pool_bytes");
  CHECK(pool.status == Status::kBounded);
  CHECK(*pool.low >= 1'042'500);
  CHECK(*pool.low <= 4 * test::kMiB);
  CHECK_FALSE(pool.high);
}

TEST_CASE("Queues with a dynamic threshold fall geometrically", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v3();
  use_all_queues(network);
  const SwitchReport report = buffer_of(network);
  CHECK(queue_frames(report, "1", "1026") == 1026);
  CHECK(queue_frames(report, "2", "1026") == 513);
  CHECK(queue_frames(report, "3", "1026") == 257);
  CHECK(queue_frames(report, "4", "1026") == 128);
  CHECK(queue_frames(report, "5", "1026") == 64);
  CHECK(sharing(report) == "dynamic threshold");
  CHECK(*test::figure(report, "buffer", "alpha").value == Approx(1).epsilon(0.02));
  const Figure& pool = test::figure(report, "buffer", "pool_bytes");
  CHECK(*pool.value == Approx(2 * test::kMiB).epsilon(0.01));
  CHECK(*pool.low <= 2 * test::kMiB);
  CHECK(*pool.high >= 2 * test::kMiB);
  CHECK(test::test_report(report, "buffer").curves.size() == 4);
}

TEST_CASE("A second port shows the dynamic threshold of a switch with one queue", "[switchtest]") {
  const SwitchReport report = buffer_of(test::set_v3());
  CHECK(queue_frames(report, "1", "1026") == 1026);
  CHECK(queue_frames(report, "2", "1026") == 0);
  CHECK(other_frames(report, "1026") == Approx(513).margin(1));
  CHECK(sharing(report) == "dynamic threshold");
  CHECK(*test::figure(report, "buffer", "alpha").value == Approx(1).epsilon(0.02));
  CHECK(*test::figure(report, "buffer", "pool_bytes").value == Approx(2 * test::kMiB).epsilon(0.01));
}

TEST_CASE("Lossy classes and lossless links show the shared memory", "[switchtest]") {
  const SwitchReport v4 = buffer_of(test::set_v4());
  CHECK(queue_frames(v4, "1", "4174") == 1005);
  CHECK(sharing(v4) == "complete sharing");
  CHECK(*test::figure(v4, "buffer", "pool_bytes").low <= 4 * test::kMiB);
  CHECK(*test::figure(v4, "buffer", "pool_bytes").high >= 4 * test::kMiB);
  // All links are lossless. The headroom holds one frame, which must not be counted.
  const SwitchReport v5 = buffer_of(test::set_v5());
  CHECK(queue_frames(v5, "1", "4174") == 251);
  CHECK(sharing(v5) == "complete sharing");
  CHECK(*test::figure(v5, "buffer", "pool_bytes").low <= test::kMiB);
  CHECK(*test::figure(v5, "buffer", "pool_bytes").high >= test::kMiB);
}

TEST_CASE("Large memory and unequal rates", "[switchtest]") {
  const SwitchReport v6 = buffer_of(test::set_v6());
  CHECK(queue_frames(v6, "1", "4174") == 4023);
  CHECK(sharing(v6) == "complete sharing");
  const SwitchReport v7 = buffer_of(test::set_v7());
  CHECK(queue_frames(v7, "1", "4174") == 251);
  CHECK(queue_frames(v7, "1", "1026") == 1026);
  CHECK(sharing(v7) == "complete sharing");
}

TEST_CASE("Memory that takes long to send is counted to its last frame", "[switchtest]") {
  // For more than 18 MB, the number of bytes times 10^12 (picoseconds per second) exceeds 64 bits. The
  // computed times must nevertheless be correct.
  fabric::NetworkConfig network = test::set_v1();
  network.switches[0].buffer = GENERATE(9'691'520U, 40'000'000U);
  const SwitchReport report = buffer_of(network);
  CHECK(queue_frames(report, "1", "4174") == static_cast<double>(network.switches[0].buffer / 4170));
  CHECK(sharing(report) == "complete sharing");
}

TEST_CASE("Headroom of other classes is not taken for shared memory", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  fabric::SwitchConfig& dut = network.switches[0];
  use_all_queues(network);
  dut.dynamic_alpha = 1024;
  dut.pause.headroom = 64 * test::kKiB;
  const SwitchReport report = buffer_of(network);
  CHECK(sharing(report) == "dynamic threshold");
  const Figure& pool = test::figure(report, "buffer", "pool_bytes");
  CHECK(*pool.low <= 4 * test::kMiB);
  CHECK(*pool.high >= 4 * test::kMiB);
  CHECK(*test::figure(report, "buffer", "alpha").value == Approx(4).epsilon(0.02));
}

TEST_CASE("DSCPs that share a queue are not filled as two queues", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v3();
  use_all_queues(network);
  network.switches[0].dynamic_alpha = 1024;
  network.switches[0].dscp_to_queue[16] = network.switches[0].dscp_to_queue[8];
  const SwitchReport report = buffer_of(network);
  CHECK(sharing(report) == "dynamic threshold");
  const Figure& alpha = test::figure(report, "buffer", "alpha");
  CHECK(*alpha.low <= 4);
  CHECK(*alpha.high >= 4);
  for (const Figure& f : test::test_report(report, "buffer").figures)
    if (f.name == "queue_frames" && f.labels.at("size") == "1026") CHECK(*f.value > 0);
}

TEST_CASE("Random dynamic thresholds and port limits", "[switchtest]") {
  const std::uint64_t seed = GENERATE(range(1U, 4U));
  Rng random(Rng::mixed(seed, 7, 0));
  fabric::NetworkConfig network = test::set_v1();
  fabric::SwitchConfig& dut = network.switches[0];
  dut.buffer = test::kMiB / 2 + random.below(2 * test::kMiB);
  dut.dynamic_alpha = 32U << random.below(7);  // α from 1/8 to 8
  if (random.below(2) == 0) use_all_queues(network);
  const SwitchReport report = buffer_of(network);
  INFO("buffer " << dut.buffer << " alpha " << dut.dynamic_alpha);
  CHECK(sharing(report) == "dynamic threshold");
  const double truth = dut.dynamic_alpha / 256.0;
  const Figure& alpha = test::figure(report, "buffer", "alpha");
  CHECK(*alpha.low <= truth);
  CHECK(*alpha.high >= truth);
  CHECK(*alpha.value == Approx(truth).epsilon(0.1));
  const Figure& pool = test::figure(report, "buffer", "pool_bytes");
  CHECK(*pool.low <= static_cast<double>(dut.buffer));
  CHECK(*pool.high >= static_cast<double>(dut.buffer));
  CHECK(queue_frames(report, "1", "4174") == static_cast<double>(test::queue_frames(dut, 4170)));
  dut.dynamic_alpha = 0;
  dut.port_limit = dut.buffer / 3 + random.below(dut.buffer / 8);
  CHECK(sharing(buffer_of(network)) == "port limit");
}

TEST_CASE("A small dynamic threshold is not taken for a limit", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  fabric::SwitchConfig& dut = network.switches[0];
  for (const std::uint64_t buffer : {test::kMiB / 2, 2 * test::kMiB, 16 * test::kMiB})
    for (const std::uint32_t part : {16U, 32U, 64U, 128U}) {
      dut.buffer = buffer;
      dut.dynamic_alpha = 256 / part;
      const SwitchReport report = buffer_of(network);
      INFO("buffer " << buffer << " alpha 1/" << part);
      const TestReport& buffer_report = test::test_report(report, "buffer");
      if (buffer_report.status != Status::kMeasured) {
        CHECK(buffer_report.status == Status::kUnresolvable);
        CHECK_FALSE(buffer_report.reason.empty());
        continue;
      }
      const Figure& found = test::figure(report, "buffer", "sharing");
      if (found.status == Status::kUnresolvable) continue;
      CHECK(found.text == "dynamic threshold");
      const Figure& alpha = test::figure(report, "buffer", "alpha");
      CHECK(*alpha.low <= 1.0 / part);
      CHECK(*alpha.high >= 1.0 / part);
    }
}

TEST_CASE("Without pauses, an overload shows one queue", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[3].flow_control = fabric::PauseMode::kOff;
  const SwitchReport report = buffer_of(network);
  CHECK(queue_frames(report, "1", "4174") == 251);
  for (const char* name : {"sharing", "alpha", "pool_bytes"})
    CHECK(test::figure(report, "buffer", name).status == Status::kUnresolvable);
  Settings two = test::four_ports();
  two.roles = {.a = 0, .d = 1};
  network.stations.resize(2);
  network.links = {network.links[0], network.links[3]};
  network.links[1].a.index = 1;
  CHECK(test::test_report(test::run_test(network, two, "buffer"), "buffer").status == Status::kUnresolvable);
}

TEST_CASE("Two ports cannot tell a port limit from complete sharing", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.stations.resize(2);
  network.links = {network.links[0], network.links[3]};
  network.links[1].a.index = 1;
  Settings two;
  const SwitchReport report = test::run_test(network, two, "buffer");
  CHECK(queue_frames(report, "1", "4174") == 251);
  CHECK(test::figure(report, "buffer", "sharing").status == Status::kUnresolvable);
  CHECK(test::figure(report, "buffer", "pool_bytes").status == Status::kBounded);
}

TEST_CASE("Buffers of random switches are measured correctly", "[switchtest]") {
  const Settings settings = test::four_ports();
  test::Score sum;
  for (const std::uint64_t seed :
       {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 39U, 42U, 55U, 118U, 119U, 240U}) {
    const fabric::NetworkConfig network = test::random_switch(seed);
    const SwitchReport report = test::run_test(network, settings, "buffer");
    const test::Score one = test::score(report, test::truths_of(network, settings));
    for (const std::string& complaint : one.complaints) UNSCOPED_INFO("seed " << seed << ": " << complaint);
    sum.add(one);
  }
  INFO(sum.values << " values, " << sum.words << " words, " << sum.silent << " silent");
  CHECK(sum.share() >= 0.95);
  CHECK(sum.far == 0);
  CHECK(sum.wrong_class == 0);
  CHECK(sum.values >= 10);
}

TEST_CASE("Repetitions that differ widen the count, and void trials give none", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kPorts;
  unsigned n = 0;
  rig.alter = [&](const Trial&, TrialResult& result) {
    // In every other trial, the memory holds two frames fewer, as if other traffic used a part of it.
    for (KindStats& k : result.kinds)
      if (k.arrived == 251 && ++n % 2 == 0) k.arrived -= 2;
  };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"buffer"});
  const Figure& frames = test::figure(report, "buffer", "queue_frames", {{"queue", "1"}, {"size", "4174"}});
  CHECK(*frames.low == 249);
  CHECK(*frames.high == 251);
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    if (trial.freezes.size() == 1 && trial.sources.size() == 1 && trial.sources[0].count > 200)
      result.void_reason = "the receiver missed frames";
  };
  const SwitchReport failed = run_tests(rig, settings, {"buffer"});
  CHECK(test::test_report(failed, "buffer").status == Status::kInconclusive);
}
