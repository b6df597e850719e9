// SPDX-License-Identifier: BSD-3-Clause
// Tests section `congestion`, and the parameters of algorithms other than DCQCN.
#include "lab_documents.hpp"

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

CongestionConfig board_congestion(const std::string& value, const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides = {"boards.0.congestion=" + value};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return load(kBase, overrides).boards[0].congestion;
}

std::string problem(const std::vector<std::string>& overrides) {
  try {
    load(kBase, overrides);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "";
}

double value_of(const CongestionConfig& d, std::string_view name) {
  const auto parameters = d.other.algorithm->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == name) return d.other.values[i];
  }
  FAIL("no parameter " << name);
  return 0;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("congestion: a name selects an algorithm, those of DCQCN as well") {
  CHECK(board_congestion("firmware").algorithm == CongestionConfig::Algorithm::kFirmware);
  CHECK(board_congestion("off").algorithm == CongestionConfig::Algorithm::kOff);
  for (const congestion::Algorithm* a : congestion::algorithms()) {
    if ((a->needs() & (congestion::kNeedsIntRecords | congestion::kNeedsGrants)) != 0) continue;
    const CongestionConfig d = board_congestion(std::string(a->name()));
    CHECK(d.algorithm == CongestionConfig::Algorithm::kOther);
    CHECK(d.other.algorithm == a);
    CHECK(d.name() == a->name());
  }
}

TEST_CASE("congestion: defaults follow from the board's link and the path MTU") {
  const std::vector<std::string> link = {"boards.0.link_rate=25Gb/s", "boards.0.qps.0.pmtu=1024"};
  const CongestionConfig timely = board_congestion("timely", link);
  CHECK(value_of(timely, "line_rate") == 3'125'000'000);
  CHECK(value_of(timely, "initial_rate") == 3'125'000'000);
  CHECK(value_of(timely, "rtt_offset") == (1024 + 82) * 320);  // in ps; a byte takes 0.32 ns
  CHECK(value_of(timely, "t_low") == 50 * kMicrosecond);
  CHECK(value_of(board_congestion("swift", link), "packet") == 1036);
  CHECK(value_of(board_congestion("{algorithm: swift, packet: 500B}", link), "packet") == 500);
}

TEST_CASE("congestion: every parameter is read in its unit, and written so that it is read again") {
  for (const congestion::Algorithm* a : congestion::algorithms()) {
    const auto parameters = a->parameters();
    const auto defaults = a->defaults({});
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      CAPTURE(a->name(), parameters[i].name);
      for (const double value : {defaults[i], parameters[i].lowest, parameters[i].highest}) {
        const auto json = emit_value(parameters[i], value);
        const auto parsed =
            parse_value(parameters[i], json.is_string() ? json.get<std::string>() : json.dump());
        REQUIRE(parsed.value);
        CHECK(*parsed.value == value);
      }
      CHECK_FALSE(parse_value(parameters[i], "many").value);
      CHECK_FALSE(parse_value(parameters[i], "nan").value);
      CHECK_FALSE(parse_value(parameters[i], "-1").value);
    }
  }
}

TEST_CASE("congestion: a document with all parameters is read again as the same") {
  const RunConfig c = load(kBase, {"boards.0.congestion={algorithm: swift, scope: board, ai: 0.5, hops: 3}",
                                   "boards.0.qps.0.congestion={algorithm: patched_timely, t_low: 40us}"});
  const RunConfig again = load(to_yaml(c));
  CHECK(again.boards[0].congestion.other.values == c.boards[0].congestion.other.values);
  CHECK(again.boards[0].congestion.scope == CongestionConfig::Scope::kBoard);
  REQUIRE(again.boards[0].qps[0].congestion);
  CHECK(again.boards[0].qps[0].congestion->other.values == c.boards[0].qps[0].congestion->other.values);
  CHECK(again.boards[0].qps[0].congestion->name() == "patched_timely");
  CHECK(to_yaml(again) == to_yaml(c));
}

TEST_CASE("congestion: errors name the key and the fix") {
  const auto check = [](const std::string& section, std::string_view message, std::string_view fix) {
    const std::string text = problem({"boards.0.congestion=" + section});
    CAPTURE(section, text);
    CHECK(contains(text, message));
    CHECK(contains(text, fix));
  };
  check("timly", "unknown value", "timely");
  check("{algorithm: timely, alpha: 1.5}", "1.5 is out of bounds", "write 0 to 1");
  check("{algorithm: timely, alpha: a lot}", "is not a number", "such as 0.5");
  check("{algorithm: timely, min_rtt: 0}", "out of bounds", "write 1ps");
  check("{algorithm: timely, t_low: 2ms}", "`t_low` is 2ms, above `t_high`", "larger `t_high`");
  check("{algorithm: swift, t_low: 50us}", "is a parameter of timely, not of swift", "algorithm: timely");
  check("{algorithm: swift, fs_min_cwnd: 1, fs_max_cwnd: 1}", "not below `fs_max_cwnd`",
        "smaller `fs_min_cwnd`");
  check("{algorithm: swift, hops: 256}", "out of bounds", "0 to 255");
  check("{algorithm: swift, hopps: 2}", "unknown key", "`hops`");
  check("hpcc", "needs INT records, which only the switches of `softfeb lab` write", "another algorithm");
  CHECK(
      contains(problem({"boards.0.congestion=swift", "boards.0.dcqcn=firmware"}), "one congestion control"));
  CHECK(contains(problem({"boards.0.congestion=swift", "boards.0.qps.0.transport=UC"}),
                 "swift needs acknowledgements"));
  CHECK(
      contains(problem({"boards.0.dcqcn=swift"}), "write one of off, firmware, paper, connectx, ns3, swcc"));
}

TEST_CASE("cc_header: off by default, and only where both ends understand it") {
  CHECK_FALSE(load(kBase).boards[0].endpoint.cc_header);
  CHECK(load(kBase).run.cc_port == 49'791);
  const std::vector<std::string> both = {"boards.0.cc_header=on", "receivers.0.cc_header=on",
                                         "boards.0.congestion=swift", "run.cc_port=50000"};
  const RunConfig c = load(kBase, both);
  CHECK(c.boards[0].endpoint.cc_header);
  CHECK(c.run.cc_port == 50'000);
  CHECK(congestion_header_bytes(c.boards[0], c.boards[0].qps[0]) == 16);
  CHECK(to_yaml(load(to_yaml(c))) == to_yaml(c));
  // cc_header has no effect, because TIMELY does not use the congestion control header.
  CHECK(
      congestion_header_bytes(load(kBase, {"boards.0.cc_header=on", "boards.0.congestion=timely"}).boards[0],
                              c.boards[0].qps[0]) == 0);

  CHECK(contains(problem({"boards.0.cc_header=on", "boards.0.congestion=swift"}),
                 "which receiver \"daq\" does not accept; fix: write `cc_header: on` for the receiver"));
  CHECK(contains(
      problem({"boards.0.cc_header=on", "boards.0.congestion=swift", "boards.0.qps.0.to=sink://10.0.0.9"}),
      "which a NIC does not accept"));
  CHECK(contains(problem({"run.cc_port=4791"}), "the port of RoCEv2 itself; fix: write 49791"));
  CHECK(contains(problem({"run.cc_port=80"}), "from 1024"));
}

TEST_CASE("cc_header: counts toward the MTU") {
  std::vector<std::string> o = {"boards.0.cc_header=on", "receivers.0.cc_header=on",
                                "boards.0.congestion=swift"};
  CHECK(contains(problem({o[0], o[1], o[2], "ports.feb.mtu=4170"}),
                 "with a congestion control header of 16 bytes take up to 4176 bytes"));
  CHECK(problem({o[0], o[1], o[2], "ports.feb.mtu=4176", "ports.nic.mtu=4176"}).empty());
}

TEST_CASE("hpcc: needs headers and switches that write INT records") {
  const std::vector<std::string> all = {"boards.feb.congestion=hpcc", "boards.feb.cc_header=on",
                                        "receivers.daq.cc_header=on", "network.switches.tor.int=on",
                                        "network.mtu=4208",           "boards.feb.qps.0.pmtu=4096"};
  const auto lab_problem = [&](std::size_t without) {
    std::vector<std::string> overrides;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != without) overrides.push_back(all[i]);
    }
    try {
      const LabConfig c = config::test::load_lab(kLabBase, overrides);
      return "path MTU " + std::to_string(c.run.boards[0].qps[0].pmtu);
    } catch (const ConfigError& e) {
      return std::string(e.what());
    }
  };
  CHECK(lab_problem(all.size()) == "path MTU 4096");
  CHECK(contains(lab_problem(1), "the board sends no headers for them; fix: write `cc_header: on`"));
  CHECK(contains(lab_problem(2), "which receiver \"daq\" does not accept"));
  CHECK(contains(lab_problem(3), "switch \"tor\" writes no INT records"));
  CHECK(contains(lab_problem(4), "with a congestion control header of 48 bytes take up to 4208 bytes"));
}

TEST_CASE("hpcc: INT records must have a code for the rate of the links") {
  std::vector<std::string> overrides = {"boards.feb.congestion=hpcc", "boards.feb.cc_header=on",
                                        "receivers.daq.cc_header=on", "network.switches.tor.int=on",
                                        "network.mtu=4208"};
  const auto text = [&](const std::string& override) {
    std::vector<std::string> all = overrides;
    all.push_back(override);
    try {
      config::test::load_lab(kLabBase, all);
      return std::string();
    } catch (const ConfigError& e) {
      return std::string(e.what());
    }
  };
  const std::string refused = text("network.links.1.rate=20Gb/s");
  CHECK(contains(refused,
                 "network.links.1.rate: 20Gb/s has no code in INT records, which the congestion "
                 "control of \"feb-0\" needs; fix: write one of 1Gb/s, 2500Mb/s, 5Gb/s"));
  CHECK(text("network.links.1.rate=2.5Gb/s").empty());
  // No switch sends requests on a board's link, so INT records need not express the rate of this link.
  CHECK(text("network.links.0.rate=20Gb/s").empty());
  overrides[0] = "boards.feb.congestion=swift";
  CHECK(text("network.links.1.rate=20Gb/s").empty());
}

TEST_CASE("congestion: parameters change while a QP sends") {
  const CongestionConfig now = board_congestion("{algorithm: timely, delta: 20Mb/s}");
  const CongestionConfig next = change_congestion(now, {{"t_low", "60us"}});
  CHECK(value_of(next, "t_low") == 60 * kMicrosecond);
  CHECK(value_of(next, "delta") == 2'500'000);
  CHECK(changeable(next)["t_low"] == "60us");
  CHECK_THROWS_AS(change_congestion(now, {{"t_low", "1ms"}}), ConfigError);  // `t_low` would exceed `t_high`
  CHECK_THROWS_AS(change_congestion(now, {{"algorithm", "swift"}}), ConfigError);
  CHECK_THROWS_AS(change_congestion(now, {{"rai", "1Mb/s"}}), ConfigError);
}

TEST_CASE("congestion: the live page gets a description of every parameter") {
  const auto all = describe_congestion_parameters();
  for (const congestion::Algorithm* a : congestion::algorithms()) {
    const auto& fields = all.at(std::string(a->name()));
    CHECK(fields.size() == a->parameters().size());
    for (const auto& p : a->parameters()) CHECK(fields.at(std::string(p.name)).at("text") == p.text);
  }
  CHECK(all.at("timely").at("alpha").at("highest") == 1);
}

TEST_CASE("homa: needs grants, an object per queue pair, and equal parameters at a receiver") {
  const std::vector<std::string> all = {"boards.0.congestion.algorithm=homa", "boards.0.cc_header=on",
                                        "receivers.0.cc_header=on"};
  const auto problem_with = [&](std::size_t without, const std::vector<std::string>& more = {}) {
    std::vector<std::string> o = all;
    if (without < o.size()) o.erase(o.begin() + static_cast<std::ptrdiff_t>(without));
    o.insert(o.end(), more.begin(), more.end());
    return problem(o);
  };
  CHECK(problem_with(all.size()).empty());
  CHECK(contains(problem_with(1), "homa needs grants, but the board accepts no headers with them"));
  CHECK(contains(problem_with(2), "receiver \"daq\" sends no grants"));
  CHECK(contains(problem_with(9, {"boards.0.qps.0.to=sink://10.0.0.9"}),
                 "needs grants, which only softfeb's receivers send"));
  CHECK(contains(problem_with(9, {"boards.0.qps.0.transport=UC"}), "homa needs acknowledgements"));
  CHECK(contains(problem_with(9, {"boards.0.congestion.scope=board"}),
                 "homa controls each QP separately; fix: remove `scope`"));
  CHECK(contains(problem_with(9, {"boards.0.congestion.unscheduled_levels=8"}), "unscheduled_levels: 8"));
  CHECK(contains(problem_with(9, {"boards.0.congestion.priorities=4"}),
                 "`unscheduled_levels` is 4, which leaves no level for granted packets"));
  CHECK(contains(problem_with(9, {"boards.0.congestion.cutoff_2=1KiB"}),
                 "`cutoff_2` is 1KiB, below `cutoff_1`; fix: write the cutoffs in ascending order"));
  CHECK(problem_with(9, {"boards.0.congestion.cutoff_5=1KiB"}).empty());  // ignored: 4 levels use 3 cutoffs
}

TEST_CASE("homa: parameters cannot change at run time") {
  const CongestionConfig d = board_congestion("homa", {"boards.0.cc_header=on", "receivers.0.cc_header=on"});
  CHECK(changeable(d).empty());
  try {
    change_congestion(d, {{"overcommit", "2"}});
    FAIL("changed");
  } catch (const ConfigError& e) {
    CHECK(contains(e.what(), "the parameters of homa cannot change while a QP sends"));
  }
}
