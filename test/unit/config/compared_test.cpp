// SPDX-License-Identifier: BSD-3-Clause
#include "config/compared.hpp"

#include "config/load.hpp"
#include "lab_documents.hpp"
#include "support/temporary_directory.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

using Names = std::vector<std::string>;
using Settings = std::vector<std::string>;

/// A lab without ECN marking, INT or congestion control.
constexpr const char* kPlain = R"(lab:
  bottleneck: tor.daq
network:
  switches: [{name: tor, buffer: 4MiB}]
  links:
    - {ends: [feb, tor], rate: 25Gb/s, delay: 500ns}
    - {ends: [tor, daq], rate: 10Gb/s, delay: 500ns}
run: {duration: 1ms}
boards:
  - name: feb
    count: 2
    ip: 10.0.0.1/24
    qps: [{to: daq, pmtu: 4096}]
receivers:
  - {name: daq, ip: 10.0.0.101/24}
)";

/// Returns `text` with `more` inserted below the first line that contains `anchor`.
std::string with(const std::string& anchor, const std::string& more, std::string text = kPlain) {
  const std::size_t line = text.find(anchor);
  REQUIRE(line != std::string::npos);
  return text.insert(text.find('\n', line) + 1, more);
}

Comparison comparison(const std::string& text, const Names& names) {
  const softfeb::test::TemporaryDirectory folder;
  const std::string path = folder.path() / "lab.yaml";
  std::ofstream(path) << text;
  return load_compared(path, {}, names);
}

std::vector<ComparedLab> compare(const std::string& text, const Names& names) {
  return comparison(text, names).labs;
}

/// Returns the problem that makes the comparison fail.
Problem problem(const std::string& text, const Names& names) {
  try {
    compare(text, names);
  } catch (const ConfigError& e) {
    return e.problems().front();
  }
  FAIL("no error");
  return {};
}

const CongestionConfig& used(const ComparedLab& lab, std::size_t board = 0) {
  const BoardConfig& b = lab.config.run.boards[board];
  return b.qps[0].congestion ? *b.qps[0].congestion : b.congestion;
}

double value(const CongestionConfig& d, std::string_view parameter) {
  const auto all = d.other.algorithm->parameters();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == parameter) return d.other.values[i];
  }
  FAIL("no parameter " << parameter);
  return 0;
}

}  // namespace

TEST_CASE("each run has one algorithm, with its defaults", "[config][compare]") {
  const auto labs = compare(kPlain, {"dcqcn", "paper", "timely", "hpcc", "off"});
  REQUIRE(labs.size() == 5);
  const Names algorithms{"firmware", "paper", "timely", "hpcc", "off"};
  for (std::size_t i = 0; i < labs.size(); ++i) {
    CAPTURE(i);
    CHECK(used(labs[i]).name() == algorithms[i]);
    CHECK(used(labs[i], 1).name() == algorithms[i]);
  }
  CHECK(labs[0].name == "dcqcn");
  CHECK(used(labs[0]).firmware.build.line_rate == 3'125'000'000);  // the rate of the board's link
  CHECK(used(labs[1]).paper.parameters.line_rate == 3'125'000'000);
  CHECK(value(used(labs[2]), "line_rate") == 3'125'000'000);
}

TEST_CASE("DCQCN at more than 34 Gb/s has wide registers", "[config][compare]") {
  std::string text = kPlain;
  text.replace(text.find("25Gb/s"), 6, "100Gb/s");
  CHECK(used(compare(text, {"dcqcn"})[0]).firmware.build.line_rate == 12'500'000'000);
}

TEST_CASE("what an algorithm needs is switched on for its run", "[config][compare]") {
  const auto labs = compare(kPlain, {"dcqcn", "swift", "hpcc"});
  CHECK(labs[0].switched_on == Settings{"network.switches.tor.ecn={kmin: 40KiB, kmax: 160KiB, pmax: 100%}"});
  CHECK(labs[0].config.network.switches[0].queues[0].ecn.enabled);
  CHECK(labs[1].switched_on.empty());
  CHECK_FALSE(labs[1].config.network.switches[0].queues[0].ecn.enabled);
  CHECK(labs[2].switched_on == Settings{"network.switches.tor.int=on", "boards.feb.cc_header=on",
                                        "receivers.daq.cc_header=on", "network.mtu=4208"});
  CHECK(labs[2].config.network.switches[0].int_on);
  CHECK(labs[2].config.run.boards[1].endpoint.cc_header);
}

TEST_CASE("Homa gets headers and priorities", "[config][compare]") {
  const auto lab = compare(kPlain, {"homa"})[0];
  CHECK(lab.switched_on == Settings{"network.switches.tor.priorities=8", "boards.feb.cc_header=on",
                                    "receivers.daq.cc_header=on"});
  CHECK(lab.config.network.switches[0].priorities == 8);
  CHECK(value(used(lab, 1), "priorities") == 8);
  CHECK(value(used(lab), "rtt_bytes") == 12'288);
}

TEST_CASE("Homa's parameters fit the network", "[config][compare]") {
  std::string text = kPlain;
  text.replace(text.find("4MiB}"), 5, "4MiB, priorities: 5}");
  text.replace(text.find("10Gb/s"), 6, "40Gb/s");  // raises the rate of the bottleneck
  const auto labs = compare(
      with("  bottleneck", "  compare:\n    few: {algorithm: homa, overcommit: 2}\n", text), {"homa", "few"});
  CHECK(labs[0].config.network.switches[0].priorities == 5);
  CHECK(value(used(labs[0]), "priorities") == 5);
  CHECK(value(used(labs[0]), "unscheduled_levels") == 2);
  CHECK(value(used(labs[0]), "rtt_bytes") == 49'152);
  CHECK(value(used(labs[1]), "rtt_bytes") == 12'288);  // an existing section is used without changes
  CHECK(value(used(labs[1]), "overcommit") == 2);
}

TEST_CASE("queues that defeat Homa's priorities are refused", "[config][compare]") {
  const auto queues = [](const std::string& keys) {
    std::string text = kPlain;
    return text.replace(text.find("4MiB}"), 5, "4MiB, " + keys + '}');
  };
  CHECK(compare(queues("queues: [{queue: 3, lossless: true}], dscp_to_queue: {26: 3, 48: 6}"), {"homa"})
            .size() == 1);
  for (const char* keys :
       {"dscp_to_queue: {8: 3}", "trust: pcp, pcp_to_queue: {0: 3}", "queues: [{queue: 3, weight: 2}]"}) {
    CAPTURE(keys);
    const Problem p = problem(queues(keys), {"homa"});
    CHECK(p.where.key == "network.switches");
    CHECK(p.message.find("\"tor\"") != std::string::npos);
    CHECK(comparison(queues(keys), {}).unfit.size() == 1);
  }
}

TEST_CASE("by default, all algorithms are compared that fit", "[config][compare]") {
  const auto names = [](const Comparison& c) {
    Names all;
    for (const ComparedLab& lab : c.labs) all.push_back(lab.name);
    return all;
  };
  const Comparison all = comparison(kPlain, {});
  CHECK(names(all) == Names{"dcqcn", "timely", "patched_timely", "swift", "hpcc", "homa"});
  CHECK(all.unfit.empty());
  std::string text = kPlain;
  text.replace(text.find("10Gb/s"), 6, "11Gb/s");  // INT records have no code for this rate
  const Comparison some = comparison(text, {});
  CHECK(names(some) == Names{"dcqcn", "timely", "patched_timely", "swift", "homa"});
  REQUIRE(some.unfit.size() == 1);
  CHECK(some.unfit[0].name == "hpcc");
  CHECK(some.unfit[0].reason.find("; fix: ") != std::string::npos);
  text.replace(text.find("pmtu: 4096"), 10, "pmtu: 4096, transport: UC");
  CHECK(names(comparison(text, {})) == Names{"dcqcn"});
}

TEST_CASE("nothing is switched on twice", "[config][compare]") {
  const auto marking = compare(kLabBase, {"dcqcn"});
  CHECK(marking[0].switched_on.empty());
  std::string text = kPlain;
  text.replace(text.find("4MiB}"), 5, "4MiB, int: on}");
  text.replace(text.find("pmtu: 4096"), 10, "pmtu: 1024");
  CHECK(compare(with("  - name: feb", "    cc_header: on\n", text), {"hpcc"})[0].switched_on ==
        Settings{"receivers.daq.cc_header=on"});
}

TEST_CASE("sections of the same algorithm stay", "[config][compare]") {
  const std::string text = with("  - name: feb", "    congestion: {algorithm: swift, ai: 2}\n");
  const auto labs = compare(text, {"swift", "timely"});
  CHECK(value(used(labs[0]), "ai") == 2);
  CHECK(used(labs[1]).name() == "timely");
  const auto dcqcn =
      compare(with("  - name: feb", "    dcqcn: {algorithm: connectx, additive_step: 7Mb/s}\n"),
              {"dcqcn", "firmware", "swift"});
  CHECK(used(dcqcn[0]).name() == "paper");
  CHECK(used(dcqcn[1]).name() == "firmware");
  CHECK(used(dcqcn[2]).name() == "swift");
}

TEST_CASE("sections of queue pairs are replaced as well", "[config][compare]") {
  std::string text = kPlain;
  text.replace(text.find("pmtu: 4096"), 10, "pmtu: 4096, congestion: {algorithm: timely, delta: 20Mb/s}");
  const auto labs = compare(text, {"timely", "swift"});
  CHECK(value(used(labs[0]), "delta") == 2'500'000);
  CHECK(used(labs[1]).name() == "swift");
  CHECK_FALSE(labs[1].config.run.boards[0].qps[0].congestion);
}

TEST_CASE("lab.compare has parameters and names", "[config][compare]") {
  const std::string text = with("  bottleneck",
                                "  compare:\n"
                                "    dcqcn: {rai: 7Mb/s}\n"
                                "    swift: {}\n"
                                "    quick: {algorithm: swift, ai: 2}\n");
  const auto labs = compare(text, {});
  REQUIRE(labs.size() == 3);
  CHECK(used(labs[0]).name() == "firmware");
  CHECK(used(labs[0]).firmware.parameters.rai == 875'000);
  CHECK(value(used(labs[1]), "ai") == 1);
  CHECK(labs[2].name == "quick");
  CHECK(value(used(labs[2]), "ai") == 2);
  const LabConfig again = load_lab_text(to_yaml(labs[2].config), "again.yaml");
  CHECK(to_yaml(again) == to_yaml(labs[2].config));
}

TEST_CASE("changes of another algorithm's parameters are left out", "[config][compare]") {
  const std::string text = with("  - name: feb", "    congestion: swift\n") +
                           "changes:\n  - {at: 500us, board: feb-0, congestion: {algorithm: swift, ai: 2}}\n";
  const auto labs = compare(text, {"swift", "timely"});
  CHECK(labs[0].config.run.changes.size() == 1);
  CHECK(labs[0].left_out.empty());
  CHECK(labs[1].config.run.changes.empty());
  CHECK(labs[1].left_out == Names{"changes"});
}

TEST_CASE("comparisons that cannot be made are refused", "[config][compare]") {
  CHECK(problem(kPlain, {"swift", "swift"}).message == "\"swift\" is named twice");
  CHECK(problem(kPlain, {"swit"}).fix.find("did you mean `swift`?") == 0);
  const Problem plugin = problem(kPlain, {"./none.so"});
  CHECK(plugin.where.file == "--algorithms");
  CHECK(plugin.where.key == "boards.0.congestion.plugin");
  std::string uc = kPlain;
  uc.replace(uc.find("pmtu: 4096"), 10, "pmtu: 4096, transport: UC");
  const Problem acks = problem(uc, {"dcqcn", "swift"});
  CHECK(acks.where.line == 13);
  CHECK(acks.where.key == "boards.0.qps.0.transport");
  CHECK(acks.message.find("swift needs acknowledgements") == 0);
}

TEST_CASE("sections of lab.compare are checked in every lab", "[config][compare]") {
  const auto first = [](const std::string& section) {
    const auto found = lab_problems(with("  bottleneck", "  compare:\n    " + section + "\n"));
    REQUIRE_FALSE(found.empty());
    CHECK(found.front().where.line == 4);
    return found.front();
  };
  CHECK(first("swift: {ia: 2}").where.key == "lab.compare.swift.ia");
  CHECK(first("swift: {ai: -2}").where.key == "lab.compare.swift.ai");
  CHECK(first("mine: {ai: 2}").where.key == "lab.compare.mine");
  CHECK(first("mine: {ai: 2}").message == "unknown value \"mine\"");
  CHECK(first("../swift: {algorithm: swift}").message == "is not a name for a run");
  CHECK(first("swift: quick").message == "is not a section");
  CHECK(lab_problems(with("  bottleneck", "  compare: [swift]\n")).front().where.key == "lab.compare");
}
