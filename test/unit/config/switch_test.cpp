// SPDX-License-Identifier: BSD-3-Clause
#include "expected_problem.hpp"
#include "lab_documents.hpp"

#include <initializer_list>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Loads kLabBase with `keys` of its switch, each as KEY=VALUE. Checks that the configuration is the same
/// after it has been written and read again.
fabric::SwitchConfig switch_with(std::vector<std::string> keys) {
  for (std::string& key : keys) key.insert(0, "network.switches.tor.");
  const LabConfig c = softfeb::config::test::load_lab(kLabBase, keys);
  CHECK(to_json(load_lab_text(to_yaml(c), "again")) == to_json(c));
  return c.network.switches[0];
}

/// An invalid value for a key of the switch, and parts of the only problem that this value causes.
struct BadKey {
  std::string key;  ///< KEY=VALUE; the key is relative to the switch
  std::string at;   ///< key of the problem, relative to the switch
  std::string says;
  std::string fix;
};

void check_bad(std::initializer_list<BadKey> rows) {
  for (const BadKey& row : rows) {
    INFO(row.key);
    const auto found = lab_problems(kLabBase, {"network.switches.tor." + row.key});
    REQUIRE(found.size() == 1);
    CHECK(found[0].where.key == "network.switches.0." + row.at);
    CHECK_THAT(found[0].message, Catch::Contains(row.says));
    CHECK_THAT(found[0].fix, Catch::Contains(row.fix));
  }
}

}  // namespace

TEST_CASE("switch: dynamic pause thresholds") {
  const fabric::PauseThresholds alone = switch_with({"pause={xoff_alpha: 0.5}"}).pause;
  CHECK(alone.xoff_alpha == 128);
  CHECK(alone.xoff == 0);
  CHECK(alone.xon == fabric::PauseThresholds::kNoXon);
  CHECK(alone.xon_offset == 0);
  const auto all = switch_with({"pause={xoff_alpha: 2, xon: 18KiB, xon_offset: 2KiB, headroom: 8KiB}"}).pause;
  CHECK(all.xoff_alpha == 512);
  CHECK(all.xon == 18 * 1024);
  CHECK(all.xon_offset == 2048);
  CHECK(all.headroom == 8192);
  CHECK(switch_with({"pause={xoff_alpha: off, xoff: 10KiB}"}).pause.xon == 5 * 1024);
}

TEST_CASE("switch: invalid dynamic pause thresholds") {
  check_bad(
      {{"pause={xoff: 600KiB, xoff_alpha: 1}", "pause.xoff", "`xoff_alpha` already gives", "remove one"},
       {"pause={xoff: 600KiB, xoff_alpha: 0.3}", "pause.xoff_alpha", "not an alpha", "0.5"},
       {"pause={xoff: 9KiB, xon_offset: 1KiB}", "pause.xon_offset", "only with `xoff_alpha`", "`xon`"},
       {"pause={xoff_alpha: 0.5, xon_offset: 2MiB}", "pause.xon_offset", "at most 2MiB", "smaller"},
       {"pause={xoff_alpha: off}", "pause", "`xoff` is missing", "200KiB"}});
}

TEST_CASE("switch: how queues mark") {
  const auto plain = switch_with({});
  CHECK_FALSE(plain.queues[0].ecn.extended());
  const auto all =
      switch_with({"ecn={kmin: 1KiB, kmax: 2KiB, at: dequeue, weight: 9, not_ect: drop}",
                   "queues.1={queue: 5, ecn: off, kmin: 3KiB, kmax: 4KiB}", "queues.2={queue: 6, ecn: off}"});
  for (const std::size_t q : {0U, 5U, 7U}) {
    CHECK(all.queues[q].ecn.at_dequeue);
    CHECK(all.queues[q].ecn.weight == 9);
    CHECK(all.queues[q].ecn.drop_not_ect);
    CHECK(all.queues[q].ecn.kmin == (q == 5 ? 3072 : 1024));
  }
  CHECK_FALSE(all.queues[6].ecn.extended());
  const auto one = switch_with({"ecn={at: dequeue}", "queues.1={queue: 5, kmin: 3KiB, kmax: 4KiB}"});
  CHECK(one.queues[5].ecn.at_dequeue);
  CHECK_FALSE(one.queues[0].ecn.enabled);
}

TEST_CASE("switch: invalid ways to mark") {
  check_bad({{"ecn={kmin: 1KiB, kmax: 2KiB, at: egress}", "ecn.at", "unknown value", "enqueue, dequeue"},
             {"ecn={kmin: 1KiB, kmax: 2KiB, weight: 16}", "ecn.weight", "out of range", "15"},
             {"ecn={kmin: 1KiB, kmax: 2KiB, not_ect: mark}", "ecn.not_ect", "unknown value", "pass, drop"},
             {"ecn={weight: 3}", "ecn", "no queue has marking thresholds", "kmin"}});
}

TEST_CASE("switch: times") {
  CHECK_FALSE(switch_with({}).times.any());
  const auto times =
      switch_with({"pipeline=450ns", "cut_through=on", "pause_response=1us", "pause_generation=1ms"}).times;
  CHECK(times.pipeline == 450 * kNanosecond);
  CHECK(times.cut_through);
  CHECK(times.pause_response == kMicrosecond);
  CHECK(times.pause_generation == kMillisecond);
  check_bad({{"pipeline=2ms", "pipeline", "`pipeline`", "1ms"},
             {"pause_response=2ms", "pause_response", "`pause_response`", "1ms"},
             {"pause_generation=2ms", "pause_generation", "`pause_generation`", "1ms"},
             {"cut_through=maybe", "cut_through", "neither true nor false", ""}});
}

TEST_CASE("switch: PFC watchdog") {
  using Action = fabric::WatchdogConfig::Action;
  CHECK(switch_with({}).watchdog.detection == 0);
  const auto standard = switch_with({"watchdog={}"}).watchdog;
  CHECK(standard.detection == 200 * kMillisecond);
  CHECK(standard.restoration == 200 * kMillisecond);
  CHECK(standard.action == Action::kDrop);
  const auto all = switch_with({"watchdog={detection: 100ms, restoration: 1s, action: forward}"}).watchdog;
  CHECK(all.detection == 100 * kMillisecond);
  CHECK(all.restoration == kSecond);
  CHECK(all.action == Action::kForward);
  check_bad({{"watchdog={detection: 0}", "watchdog.detection", "`detection`", "1us"},
             {"watchdog={restoration: 2h}", "watchdog.restoration", "`restoration`", "1h"},
             {"watchdog={action: alert}", "watchdog.action", "unknown value", "drop, forward"},
             {"watchdog={interval: 1ms}", "watchdog.interval", "unknown", ""}});
}

TEST_CASE("switch: memory") {
  CHECK(switch_with({}).memory.cell == 1);
  const auto all =
      switch_with({"cell=208", "cell_overhead=12", "mac_leak=8320B", "queues.1={queue: 5, minimum: 3KiB}",
                   "pause={xoff: 100KiB, headroom: 64KiB, headroom_pool: 128KiB}"});
  CHECK(all.memory.cell == 208);
  CHECK(all.memory.cell_overhead == 12);
  CHECK(all.memory.mac_leak == 8320);
  CHECK(all.queues[5].minimum == 3072);
  CHECK(all.queues[4].minimum == 0);
  CHECK(all.pause.headroom_pool == 128 * 1024);
  check_bad({{"cell=0", "cell", "out of range", "from 1 to 65536"},
             {"cell_overhead=5000", "cell_overhead", "out of range", "to 4096"},
             {"mac_leak=5GiB", "mac_leak", "too long", "4000MiB"},
             {"queues.1={queue: 5, minimum: 5GiB}", "queues.1.minimum", "too long", "4000MiB"},
             {"pause={xoff: 9KiB, headroom_pool: 1KiB}", "pause.headroom_pool", "only with `headroom`",
              "`headroom`"},
             {"pause={xoff: 9KiB, headroom: 1KiB, headroom_pool: 0}", "pause.headroom_pool",
              "leaves no headroom", "above 0"}});
}
