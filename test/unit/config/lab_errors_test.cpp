// SPDX-License-Identifier: BSD-3-Clause
#include "expected_problem.hpp"
#include "lab_documents.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

void check_rows(std::initializer_list<Row> rows) {
  for (const Row& row : rows) check_row(row, "lab.yaml", lab_problems(replaced(kLabBase, row.from, row.to)));
}

constexpr const char* kLast = "    - {ends: [tor, daq], rate: 10Gb/s, delay: 1us, flow_control: pause}\n";

}  // namespace

TEST_CASE("the topology that the rows change is valid") { CHECK(lab_problems(kLabBase).empty()); }

TEST_CASE("loops and surplus links") {
  check_rows({{kLast, "    - {ends: [tor, daq], rate: 10Gb/s}\n    - {ends: [tor, tor], rate: 10Gb/s}\n", 19,
               "network.links.2", "\"tor\" to \"tor\" closes a loop", "remove one"},
              {kLast, "    - {ends: [tor, daq], rate: 10Gb/s}\n    - {ends: [daq, tor], rate: 10Gb/s}\n", 19,
               "network.links.2", "\"daq\" already has a link", "one link"},
              {kLast, "    - {ends: [tor, daq], rate: 10Gb/s}\n    - {ends: [feb-1, tor], rate: 10Gb/s}\n",
               19, "network.links.2", "\"feb-1\" already has a link", "add a switch between"}});
}

TEST_CASE("a loop over several switches") {
  const auto found = lab_problems(kLabBase, {"network.switches.1={name: leaf, count: 2, buffer: 1MiB}",
                                             "network.links.2={ends: [leaf, tor], rate: 1Gb/s}",
                                             "network.links.3={ends: [leaf-0, leaf-1], rate: 1Gb/s}"});
  REQUIRE(found.size() == 1);
  CHECK(to_string(found[0]).find(
            "--set network.links.3: the link from \"leaf-0\" to \"leaf-1\" closes a loop") == 0);
}

TEST_CASE("a loop may be allowed") {
  const std::string loop = replaced(kLabBase, kLast,
                                    std::string(kLast) +
                                        "    - {ends: [tor, leaf], rate: 10Gb/s}\n"
                                        "    - {ends: [tor, leaf], rate: 10Gb/s}\n");
  const std::string leaf = "network.switches.1={name: leaf, buffer: 1MiB}";
  const auto found = lab_problems(loop, {leaf});
  REQUIRE(found.size() == 1);
  CHECK(to_string(found[0]).find("network.multipath: {mode: hash}") != std::string::npos);
  CHECK(lab_problems(loop, {leaf, "network.multipath={mode: hash}"}).empty());
  const auto itself = lab_problems(
      kLabBase, {"network.multipath={mode: hash}", "network.links.2={ends: [tor, tor], rate: 10Gb/s}"});
  REQUIRE(itself.size() == 1);
  CHECK(to_string(itself[0]).find("\"tor\" to itself closes a loop; fix: name two different nodes") !=
        std::string::npos);
}

TEST_CASE("invalid choices of a path") {
  const auto row = [](const char* keys, const char* key, const char* message, const char* fix) {
    check_rows({{"  switches:\n", (std::string("  multipath: ") + keys + "\n  switches:\n").c_str(), 9, key,
                 message, fix}});
  };
  row("{mode: spray}", "network.multipath.mode", "unknown value \"spray\"", "round_robin");
  row("{hash: []}", "network.multipath.hash", "covers no field", "source_ip");
  row("{hash: [source]}", "network.multipath.hash.0", "unknown value \"source\"", "source_port");
  row("{hash: dest_qp}", "network.multipath.hash", "list", "");
  row("{seed: 4294967296}", "network.multipath.seed", "", "");
  row("{polarized: on}", "network.multipath.polarized", "", "`polarised`");
  check_rows({{"      buffer: 4MiB\n", "      buffer: 4MiB\n      multipath: {mode: random}\n", 12,
               "network.switches.0.multipath", "the network has no `multipath`", "add `network.multipath"}});
}

TEST_CASE("invalid schedulers") {
  const auto queue = [](const char* keys, int line, const char* key, const char* message, const char* fix) {
    check_rows({{"        - {queue: 3, lossless: true}\n",
                 ("        - {queue: 3, lossless: true, " + std::string(keys) + "}\n").c_str(), line, key,
                 message, fix}});
  };
  queue("min_rate: 2Gb/s, max_rate: 1Gb/s", 14, "network.switches.0.queues.0.min_rate", "above `max_rate`",
        "at most 1Gb/s");
  queue("burst: 4KiB", 14, "network.switches.0.queues.0.burst", "has an effect only with", "`min_rate`");
  queue("max_rate: 1Gb/s, burst: 2GiB", 14, "network.switches.0.queues.0.burst", "out of range for a burst",
        "");
  queue("max_rate: 9000Gb/s", 14, "network.switches.0.queues.0.max_rate",
        "out of range for a rate of a switch", "8000Gb/s");
  queue("min_rate: 11Gb/s", 13, "network.switches.0.queues", "11Gb/s in total, is more than a port",
        "at most 10Gb/s");
  const auto sw = [](const char* keys, const char* key, const char* message, const char* fix) {
    check_rows({{"      buffer: 4MiB\n", ("      buffer: 4MiB\n" + std::string(keys)).c_str(), 12, key,
                 message, fix}});
  };
  sw("      scheduler: drr\n", "network.switches.0.scheduler", "unknown value \"drr\"", "dwrr, wrr");
  sw("      scheduler_overhead: 300\n", "network.switches.0.scheduler_overhead", "", "256");
  sw("      port_burst: 4KiB\n", "network.switches.0.port_burst", "has an effect only with `port_rate`", "");
  sw("      port_rate: 0Gb/s\n", "network.switches.0.port_rate", "", "");
}

TEST_CASE("invalid MTUs and VLANs") {
  const auto sw = [](const char* keys, const char* key, const char* message, const char* fix) {
    check_rows({{"      buffer: 4MiB\n", ("      buffer: 4MiB\n" + std::string(keys)).c_str(), 12, key,
                 message, fix}});
  };
  sw("      mtu: 63\n", "network.switches.0.mtu", "", "64");
  sw("      mtu_counts_tag: on\n", "network.switches.0.mtu_counts_tag", "only with `mtu`", "");
  sw("      route: maybe\n", "network.switches.0.route", "", "");
  const auto link = [](const char* keys, const char* key, const char* message, const char* fix) {
    check_rows({{"delay: 1us,", ("delay: 1us, " + std::string(keys) + ",").c_str(), 18, key, message, fix}});
  };
  link("vlans: [0]", "network.links.1.vlans.0", "", "1");
  link("vlans: [4095]", "network.links.1.vlans.0", "", "4094");
  link("vlans: 10", "network.links.1.vlans", "list", "");
  link("untagged: off", "network.links.1.untagged", "only with `vlans`", "");
  link("vlans: [], untagged: off", "network.links.1.untagged", "no frame can pass", "add a VLAN");
}

TEST_CASE("missing ends") {
  check_rows(
      {{"ends: [tor, daq]", "ends: [tor, dac]", 18, "network.links.1.ends.1", "no switch, board", "`daq`?"},
       {"ends: [tor, daq]", "ends: [tor]", 18, "network.links.1.ends", "two ends", "[feb0, tor]"},
       {"ends: [tor, daq], ", "", 18, "network.links.1", "`ends` is missing", "ends: [feb0, tor]"},
       {"ends: [feb, tor]", "ends: [feb-0..feb-1, tor]", 20, "boards.0.name", "no link leads to \"feb-2\"",
        "add it to the `ends`"},
       {"ends: [feb, tor]", "ends: [feb-1..feb-0, tor]", 17, "network.links.0.ends.0", "does not come after",
        "in the order of the file"},
       {"ends: [feb, tor]", "ends: [feb-1..daqq, tor]", 17, "network.links.0.ends.0", "no switch, board",
        "`daq`?"},
       {kLast, "", 25, "receivers.0.name", "no link leads to \"daq\"", "`port`"},
       {"    - name: tor\n", "    - name: alone\n      buffer: 1MiB\n    - name: tor\n", 10,
        "network.switches.0.name", "no link leads to switch \"alone\"", "`ends`"},
       {"  - name: feb", "  - name: tor", 20, "boards.0.name", "the name \"tor\" is taken", "its own name"}});
}

TEST_CASE("a board has either a port or a link") {
  const auto found =
      lab_problems(kLabBase, {"ports=[{name: nic, device: net_null}]", "receivers.daq.port=nic"});
  REQUIRE(found.size() == 1);
  CHECK(to_string(found[0]).find("lab.yaml:18: network.links.1.ends.1: \"daq\" has a `port`; fix: remove") ==
        0);
}

TEST_CASE("invalid rates and times") {
  check_rows({{"[feb, tor], rate: 10Gb/s", "[feb, tor], rate: 0Gb/s", 17, "network.links.0.rate", "", ""},
              {"[feb, tor], rate: 10Gb/s", "[feb, tor], rate: 9000Gb/s", 17, "network.links.0.rate",
               "out of range for the rate of a link", ""},
              {"[feb, tor], rate: 10Gb/s, ", "[feb, tor], ", 17, "network.links.0", "`rate` is missing",
               "rate: 10Gb/s"},
              {"delay: 500ns", "delay: 2s", 17, "network.links.0.delay", "too long for the delay of a link",
               "at most 1s"},
              {"  duration: 1s", "  duration: 0", 5, "run.duration", "zero length", ""},
              {"    count: 3\n", "    count: 3\n    stop: 0\n", 22, "boards.0.stop", "before it starts",
               "later time"},
              {"    count: 3\n", "    count: 3\n    start: 2s\n", 22, "boards.0.start", "ended by then",
               "run.duration"},
              {"    count: 3\n", "    count: 3\n    link_rate: 11Gb/s\n", 22, "boards.0.link_rate",
               "exceeds the rate of its link", "remove it"}});
}

TEST_CASE("duplicate addresses") {
  check_rows(
      {{"ip: 10.0.0.101/24", "ip: 10.0.0.2/24", 27, "receivers.0.ip", "is already \"feb-1\"'s", "its own"},
       {"    ip: 10.0.0.101/24\n", "    ip: 10.0.0.101/24\n    mac: 02:fe:0a:00:00:01\n", 28,
        "receivers.0.mac", "is already \"feb-0\"'s", "its own MAC"}});
}

TEST_CASE("receivers without a path") {
  check_rows({{"ends: [tor, daq], ", "ends: [spine, daq], ", 18, "network.links.1.ends.0", "no switch", ""}});
  const auto found =
      lab_problems(kLabBase, {"network.switches.1={name: spine, buffer: 1MiB, pause: {xoff: 200KiB}}",
                              "network.links.1.ends=[spine, daq]", "lab.bottleneck=spine.daq"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].where.key == "boards.0.qps.0.to");
  CHECK(found[0].where.line == 24);
  CHECK(found[0].message.find("there is no path from \"feb-0\" to \"daq\"") != std::string::npos);
}

TEST_CASE("invalid switch settings") {
  check_rows(
      {{"buffer: 4MiB", "buffer: 4000B", 11, "network.switches.0.buffer", "is smaller than one frame",
        "4MiB"},
       {"buffer: 4MiB", "port_limit: 4MiB", 10, "network.switches.0", "`buffer` is missing", "4MiB"},
       {"buffer: 4MiB", "buffer: 1MiB\n      port_limit: 2MiB", 12, "network.switches.0.port_limit",
        "exceeds the `buffer` of 1MiB", "smaller"},
       {"kmin: 100KiB", "kmin: 500KiB", 12, "network.switches.0.ecn.kmin", "above `kmax`",
        "smaller one first"},
       {"kmin: 100KiB, ", "", 12, "network.switches.0.ecn", "`kmin` is missing", "kmin: 100KiB"},
       {"kmin: 100KiB, kmax: 400KiB", "kmin: 5MiB, kmax: 6MiB", 12, "network.switches.0.ecn",
        "never reaches `kmin`", "larger `buffer`"},
       {"xon: 500KiB", "xon: 600KiB", 15, "network.switches.0.pause.xon", "not below `xoff`",
        "less than 600KiB"},
       {"xoff: 600KiB", "xoff: 5MiB", 15, "network.switches.0.pause.xoff", "before it is reached",
        "less than"},
       {"headroom: 64KiB", "headroom: 5MiB", 15, "network.switches.0.pause.headroom", "exceeds the `buffer`",
        "enlarge"},
       {"headroom: 64KiB", "quanta: 3", 15, "network.switches.0.pause.quanta", "out of range", "from 64"},
       {"      pause: {xoff: 600KiB, xon: 500KiB, headroom: 64KiB}\n", "", 10, "network.switches.0.pause",
        "no thresholds", "flow_control: off"},
       {"lossless: true", "lossless: false", 13, "network.switches.0.queues", "no queue is lossless",
        "lossless: true"},
       {"        - {queue: 3,", "        - {queue: 3}\n        - {queue: 3,", 15,
        "network.switches.0.queues.1.queue", "given twice", "one element"},
       {"{queue: 3,", "{queue: 8,", 14, "network.switches.0.queues.0.queue", "out of range", "to 7"},
       {"      queues:\n", "      dscp_to_queue: {64: 1}\n      queues:\n", 13,
        "network.switches.0.dscp_to_queue.64", "out of range", "to 63"},
       {"      queues:\n", "      dynamic_alpha: 0.3\n      queues:\n", 13,
        "network.switches.0.dynamic_alpha", "not an alpha", "0.5"},
       {"      queues:\n", "      forge: {window: 1us}\n      queues:\n", 13, "network.switches.0.forge",
        "`threshold` is missing", "9Gb/s"},
       {"      queues:\n", "      forge: {threshold: 1Gb/s, window: 0}\n      queues:\n", 13,
        "network.switches.0.forge.window", "not a positive time", "50us"},
       {"      queues:\n", "      priorities: 9\n      queues:\n", 13, "network.switches.0.priorities",
        "out of range", "from 1 to 8"},
       {"      queues:\n", "      priorities: 3\n      queues:\n", 15, "network.switches.0.queues.0.queue",
        "3 is out of range", "from 0 to 2"},
       {"      queues:\n", "      priorities: 4\n      dscp_to_queue: {8: 4}\n      queues:\n", 14,
        "network.switches.0.dscp_to_queue.8", "out of range", "from 0 to 3"},
       {"      queues:\n", "      int: maybe\n      queues:\n", 13, "network.switches.0.int",
        "neither true nor false", ""},
       {"      queues:\n", "      int_id: 0\n      queues:\n", 13, "network.switches.0.int_id",
        "out of range", "from 1 to 65535"},
       {"    - name: tor\n",
        "    - {name: leaf, buffer: 1MiB, int: on, int_id: 7}\n    - name: tor\n"
        "      int: on\n      int_id: 7\n",
        13, "network.switches.1.int_id", "has the identifier of switch \"leaf\", 7", "its own `int_id`"},
       {"  switches:\n", "  worker: 2\n  switches:\n", 9, "network.worker", "no worker 2", "there are 2"}});
}

TEST_CASE("lab settings that cannot be evaluated") {
  check_rows(
      {{"bottleneck: tor.daq", "bottleneck: tor.dac", 2, "lab.bottleneck", "no switch port \"tor.dac\"",
        "tor.feb-0"},
       {"bottleneck: tor.daq", "bottleneck: daq.tor", 2, "lab.bottleneck", "no switch port", "SWITCH.PEER"},
       {"port_used: 95%", "port_user: 95%", 3, "lab.checks.port_user", "no check", "`port_used`?"},
       {"port_used: 95%", "port_used: 95", 3, "lab.checks.port_used", "", "99%"},
       {"port_used: 95%", "port_used: at most 95", 3, "lab.checks.port_used", "", "99%"},
       {"port_used: 95%", "port_used: at best 95%", 3, "lab.checks.port_used", "", "99%"},
       {"port_used: 95%", "convergence: 5", 3, "lab.checks.convergence", "no unit", ""},
       {"  bottleneck: tor.daq\n", "  sample_interval: 1us\n", 2, "lab.sample_interval", "too short", "10us"},
       {"  bottleneck: tor.daq\n", "  sweep: [{key: a.b}]\n", 2, "lab.sweep.0", "`values` is missing", ""},
       {"  bottleneck: tor.daq\n", "  botleneck: tor.daq\n", 2, "lab.botleneck", "unknown key",
        "`bottleneck`?"}});
}

TEST_CASE("topologies need softfeb lab, and other files softfeb run") {
  const auto run = problems(kLabBase);
  // no further problems are reported, although a run without boards would have some
  REQUIRE(run.size() == 2);
  CHECK(run[0].where.key == "lab");
  CHECK(run[1].where.key == "network");
  for (const Problem& p : run) CHECK(p.fix.find("softfeb lab") != std::string::npos);
  const auto lab = lab_problems(kBase);
  REQUIRE(lab.size() == 1);
  CHECK(lab[0].message.find("it is not a topology") != std::string::npos);
  CHECK(lab[0].fix.find("softfeb run") != std::string::npos);
}
