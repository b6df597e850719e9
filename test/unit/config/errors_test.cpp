// SPDX-License-Identifier: BSD-3-Clause
#include "expected_problem.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

void check_row(const Row& row) { check_row(row, "test.yaml", problems(replaced(kBase, row.from, row.to))); }

}  // namespace

TEST_CASE("the document that the rows change is valid") { CHECK(problems(kBase).empty()); }

TEST_CASE("malformed YAML") {
  const Row rows[] = {
      {"  duration: 10s", "\tduration: 10s", 2, "", "not YAML", "indentation"},
      {"    port: feb\n", "   port: feb\n", 14, "", "not YAML", "indentation"},
      {"    mtu: 4200\n  - name: nic", "    mtu: \"4200\n  - name: nic", 8, "", "a quote is not closed",
       "close it"},
      {"boards:", "boards: *nowhere", 12, "", "not YAML", ""},
      {"  count: 2", "  ? [a]\n  : 2", 4, "", "a key must be a plain word", "key: value"},
      {"  count: 2", "  count: 2\n  count: 2", 5, "count", "given twice, first at line 4", "remove"},
      {"  count: 2", "  count: &a [*a]", 4, "", "", ""},
      {"run:", "a: 1\n---\nrun:", 3, "", "second YAML document", "---"}};
  for (const Row& row : rows) {
    INFO(row.to);
    const auto found = problems(replaced(kBase, row.from, row.to));
    REQUIRE(found.size() == 1);
    INFO(to_string(found[0]));
    CHECK(found[0].where.line == row.line);
    CHECK(found[0].where.key == row.key);
    CHECK(found[0].message.find(row.message) != std::string::npos);
    CHECK(found[0].fix.find(row.fix) != std::string::npos);
  }
}

TEST_CASE("unknown keys suggest the nearest one") {
  const Row rows[] = {
      {"run:", "rum:", 1, "rum", "unknown key", "did you mean `run`?"},
      {"  duration: 10s", "  durration: 10s", 2, "run.durration", "unknown key", "did you mean `duration`?"},
      {"  count: 2", "  cpu: [1]", 4, "workers.cpu", "unknown key", "did you mean `cpus`?"},
      {"        pmtu: 4096", "        ptmu: 4096", 19, "boards.0.qps.0.ptmu", "unknown key",
       "did you mean `pmtu`?"},
      {"          rate: 1Gb/s", "          colour: red", 22, "boards.0.qps.0.traffic.colour", "unknown key",
       "keys here: arrivals"},
      {"    memory: 1MiB", "    memory: 1MiB\n    cnp:\n      intervall: 5us", 30,
       "receivers.0.cnp.intervall", "unknown key", "did you mean `interval`?"}};
  for (const Row& row : rows) check_row(row);
}

TEST_CASE("invalid values are refused") {
  const Row rows[] = {
      {"rate: 1Gb/s", "rate: 10", 22, "boards.0.qps.0.traffic.rate", "\"10\" has no unit", "write 10Gb/s"},
      {"rate: 1Gb/s", "rate: 10Gbps", 22, "boards.0.qps.0.traffic.rate", "unknown unit \"Gbps\"",
       "write 10Gb/s"},
      {"message_size: 64KiB", "message_size: 64", 21, "boards.0.qps.0.traffic.message_size", "no unit",
       "64KiB"},
      {"message_size: 64KiB", "message_size: 3GiB", 21, "boards.0.qps.0.traffic.message_size",
       "exceeds the largest", "2GiB"},
      {"duration: 10s", "duration: 10", 2, "run.duration", "no unit", "10ms"},
      {"duration: 10s", "duration:", 2, "run.duration", "has no value", "after the colon"},
      {"duration: 10s", "duration: [1]", 2, "run.duration", "must be a single value", ""},
      {"pmtu: 4096", "pmtu: 1500", 19, "boards.0.qps.0.pmtu", "1500 is not a path MTU", "1024"},
      {"pmtu: 4096", "retry_count: 8", 19, "boards.0.qps.0.retry_count", "out of range", "0 to 7"},
      {"pmtu: 4096", "window: 0", 19, "boards.0.qps.0.window", "out of range", "1 to"},
      {"pmtu: 4096", "qpn: 1", 19, "boards.0.qps.0.qpn", "out of range", "from 2"},
      {"transport: RC", "transport: RD", 18, "boards.0.qps.0.transport", "unknown value", "RC, UC"},
      {"messages: 100", "verb: read", 23, "boards.0.qps.0.traffic.verb", "unknown value", "write, write_imm"},
      {"messages: 100", "payload: random", 23, "boards.0.qps.0.traffic.payload", "unknown value",
       "{file: PATH}"},
      {"messages: 100", "payload: {file: /no/such/file}", 23, "boards.0.qps.0.traffic.payload.file",
       "no file", "existing"},
      {"messages: 100", "payload: {repeat: 2}", 23, "boards.0.qps.0.traffic.payload", "`file` is missing",
       "add `file"},
      {"messages: 100", "messages: 0", 23, "boards.0.qps.0.traffic.messages", "out of range", "from 1"},
      {"messages: 100", "immediate: 7", 23, "boards.0.qps.0.traffic.immediate", "carries no immediate",
       "write_imm"},
      {"10.0.0.1/24", "10.0.0.1", 15, "boards.0.ip", "no prefix length", "10.0.0.1/24"},
      {"10.0.0.1/24", "10.0.0.400/24", 15, "boards.0.ip", "not an IP address", "10.0.0.1"},
      {"    port: feb\n", "    port: feb\n    mac: ff:ff:ff:ff:ff:ff\n", 15, "boards.0.mac", "multicast",
       "even"},
      {"    port: feb\n", "    port: feb\n    pcp: 3\n", 15, "boards.0.pcp", "requires a VLAN", "vlan"},
      {"    port: feb\n", "    port: feb\n    udp_source_port: [5, 4]\n", 15, "boards.0.udp_source_port",
       "before it starts", ""},
      {"    port: feb\n", "    port: feb\n    udp_source_port: [5]\n", 15, "boards.0.udp_source_port",
       "not a range", "[FIRST"},
      {"    port: feb\n", "    port: feb\n    neighbours: {10.0.0.2: x}\n", 15,
       "boards.0.neighbours.10.0.0.2", "not a MAC", ""},
      {"    port: feb\n", "    port: feb\n    neighbours: {here: 02:00:00:00:00:01}\n", 15,
       "boards.0.neighbours.here", "not an IP", ""},
      {"  - name: feb0", "  - count: 1", 13, "boards.0", "`name` is missing", "add `name"},
      {"      - to: daq\n        transport: RC", "      - count: 1\n        transport: RC", 17,
       "boards.0.qps.0", "`to` is missing", ""},
      {"to: daq", "to: http://x", 17, "boards.0.qps.0.to", "unknown kind of receiver", "perftest://"},
      {"to: daq", "to: perftest://", 17, "boards.0.qps.0.to", "no host", ""},
      {"to: daq", "to: perftest://h:99999", 17, "boards.0.qps.0.to", "out of range", ""},
      {"to: daq", "to: {ip: 10.0.0.2, qpn: 17, address: 0, length: 1MiB}", 17, "boards.0.qps.0.to",
       "`rkey` is missing", ""},
      {"    memory: 1MiB", "    receives: many", 28, "receivers.0.receives", "not a whole number",
       "unlimited"},
      {"    memory: 1MiB", "    receives: {count: 5, rate: 1Gb/s}", 28, "receivers.0.receives.rate",
       "not a number of receive requests", "1000msg/s"},
      {"    memory: 1MiB", "    windows: {ring: 2, depth: 3}", 28, "receivers.0.windows.depth", "3 windows",
       "at most `ring`"},
      {"    memory: 1MiB", "    memory: 1MiB\n    windows: {}", 28, "receivers.0.memory",
       "determines the memory", "windows.ring"},
      {"messages: 100", "segment: 4KiB", 23, "boards.0.qps.0.traffic.segment", "only transfers",
       "transfer: SIZE"},
      {"messages: 100", "transfer: 1MiB", 21, "boards.0.qps.0.traffic.message_size",
       "determines the messages", "remove"},
      {"message_size: 64KiB", "transfer: 4MiB\n          segment: 2KiB", 21,
       "boards.0.qps.0.traffic.transfer", "2048 segments", "larger segments"},
      {"    memory: 1MiB", "    registration: {mask_bits: 2000}", 28, "receivers.0.registration.mask_bits",
       "out of range", "1 to 1024"},
      {"    memory: 1MiB", "    ordering_timeout: 1ms", 28, "receivers.0.ordering_timeout", "nothing waits",
       "ordering: any"},
      {"    memory: 1MiB", "    check: all", 28, "receivers.0.check", "unknown value", "payload, none"},
      {"    mtu: 4200\n  - name: nic", "    faults: {tx_drop: 1}\n  - name: nic", 8, "ports.0.faults.tx_drop",
       "may be a percentage", "1%"},
      {"    mtu: 4200\n  - name: nic", "    capture: {packets: 5}\n  - name: nic", 8, "ports.0.capture",
       "`file` is missing", ""},
      {"    mtu: 4200\n  - name: nic", "    flow_control: some\n  - name: nic", 8, "ports.0.flow_control",
       "unknown value", "leave"},
      {"  count: 2", "  cpus: [1, x]", 4, "workers.cpus.1", "not a whole number", ""},
      {"  count: 2", "  cpus: 1", 4, "workers.cpus", "is not a list", "- "},
      {"  count: 2", "  cpus: [1]\n  count: 2", 5, "workers.count", "names 1 CPUs", "remove `count`"},
      {"  duration: 10s", "  start_at: tomorrow", 2, "run.start_at", "ISO 8601", "2026-05-04T12:00:00Z"},
      {"run:\n  duration: 10s", "run: 5", 1, "run", "is not a section", "indented"}};
  for (const Row& row : rows) check_row(row);
}

TEST_CASE("missing and duplicate names are refused") {
  const Row rows[] = {
      {"port: feb\n", "port: fbe\n", 14, "boards.0.port", "no port \"fbe\"", "did you mean `feb`?"},
      {"port: feb\n", "port: elsewhere\n", 14, "boards.0.port", "no port", "write one of feb, nic"},
      {"to: daq", "to: dqa", 17, "boards.0.qps.0.to", "no receiver \"dqa\"", "did you mean `daq`?"},
      {"name: nic", "name: feb", 9, "ports.1.name", "is taken", "own name"},
      {"name: daq", "name: feb0", 25, "receivers.0.name", "is taken", "own name"},
      {"port: feb\n", "port: feb\n    worker: 2\n", 15, "boards.0.worker", "no worker 2", "there are 2"}};
  for (const Row& row : rows) check_row(row);
}

TEST_CASE("impossible combinations") {
  const Row rows[] = {
      {"message_size: 64KiB", "transfer: 1MiB\n          notify: sender", 17, "boards.0.qps.0.window",
       "must wait", "window: 1"},
      {"        traffic:\n          message_size: 64KiB",
       "        count: 2\n        traffic:\n          transfer: 1000000B", 21,
       "boards.0.qps.0.traffic.segment", "must have one size", "divides"},
      {"    memory: 1MiB", "    windows: {}", 18, "boards.0.qps.0.transport", "made of UC streams",
       "transport: UC"},
      {"    memory: 1MiB", "    ordering: any", 18, "boards.0.qps.0.transport", "RC packets arrive in order",
       "transport: UC"},
      {"    memory: 1MiB", "    windows: {}", 20, "boards.0.qps.0.traffic.immediate", "number the messages",
       "immediate: counter"},
      {"    memory: 1MiB\n", "    memory: 1MiB\n  - {name: node, port: nic, ip: 10.0.0.3/24, windows: {}}\n",
       29, "receivers.1.windows", "no queue pair sends", "`to`"},
      {"memory: 1MiB", "memory: 4KiB", 21, "boards.0.qps.0.traffic.message_size",
       "the memory region has 4096", "memory"},
      {"messages: 100", "slots: 17", 23, "boards.0.qps.0.traffic.slots", "slots need", "at most 16"},
      {"    mtu: 4200\n  - name: nic", "    mtu: 1500\n  - name: nic", 19, "boards.0.qps.0.pmtu",
       "above the MTU 1500 of port \"feb\"", "at least 4160"},
      {"    mtu: 4200\nboards:", "    mtu: 1500\nboards:", 19, "boards.0.qps.0.pmtu", "of port \"nic\"",
       "at least 4160"},
      {"transport: RC", "transport: UC\n        ack_every: 4", 19, "boards.0.qps.0.ack_every",
       "UC has no acknowledgements", "transport: RC"},
      {"transport: RC", "transport: UC\n        window: 4", 19, "boards.0.qps.0.window",
       "UC has no acknowledgements", ""},
      {"transport: RC", "send_queue: 4", 17, "boards.0.qps.0.window", "cannot fill a window", "send_queue"},
      {"transport: RC", "signaled: none", 18, "boards.0.qps.0.signaled", "do not request acknowledgements",
       "ack_every"},
      {"transport: RC", "signaled: last", 18, "boards.0.qps.0.signaled", "do not request acknowledgements",
       "ack_every"},
      {"transport: RC", "qpn: 0xffffff\n        count: 2", 18, "boards.0.qps.0.qpn", "24 bits", ""},
      {"transport: RC", "qpn: 5\n      - to: daq\n        qpn: 5", 20, "boards.0.qps.1.qpn", "overlap",
       "count"},
      {"10.0.0.2/24", "10.0.0.1/24", 27, "receivers.0.ip", "already \"feb0\"'s", "own address"},
      {"10.0.0.2/24", "10.0.1.2/24", 17, "boards.0.qps.0.to", "cannot reach", "gateway"},
      {"10.0.0.2/24", "10.0.0.255/24", 27, "receivers.0.ip", "broadcast address", "a single host"},
      {"10.0.0.2/24", "10.0.0.0/24", 27, "receivers.0.ip", "network address of its prefix, /24",
       "a single host"},
      {"10.0.0.2/24", "fd00::2/64", 17, "boards.0.qps.0.to", "cannot reach", ""},
      {"10.0.0.2/24", "10.0.0.2/24\n    vlan: 5", 17, "boards.0.qps.0.to", "different VLANs", "same `vlan`"},
      {"10.0.0.2/24", "10.0.0.2/24\n    mac: 02:fe:0a:00:00:01", 28, "receivers.0.mac", "already \"feb0\"'s",
       "own MAC"},
      {"10.0.0.2/24", "10.0.0.2/24\n    gateway: 10.9.0.1", 28, "receivers.0.gateway",
       "not on the same subnet", "inside this prefix"},
      {"10.0.0.2/24", "10.0.0.2/24\n    neighbours: {fd00::1: 02:00:00:00:00:09}", 28,
       "receivers.0.neighbours", "other IP version", ""},
      {"10.0.0.2/24", "10.0.0.254/24\n    count: 3", 28, "receivers.0.count", "leaves the prefix", "shorter"},
      {"10.0.0.2/24", "10.0.0.2/24\n    mac: 02:00:00:ff:ff:ff\n    count: 2", 28, "receivers.0.mac",
       "last three bytes", ""},
      {"port: nic", "port: feb", 17, "boards.0.qps.0.to", "does not receive its own packets", "another port"},
      {"    device: net_ring:link\n    mtu: 4200\nboards:",
       "    device: net_ring:other\n    mtu: 4200\nboards:", 10, "ports.1.device", "has 1 end",
       "exactly two"},
      {"    device: net_ring:link\n    mtu: 4200\nboards:",
       "    device: net_ring:link\n  - name: third\n    device: net_ring:link\nboards:", 12, "ports.2.device",
       "has 3 ends", "exactly two"},
      {"    mtu: 4200\nboards:",
       "    mtu: 4200\n  - {name: a, device: net_tap:x}\n  - {name: b, device: net_tap:x}\nboards:", 13,
       "ports.3.device", "two ports use one device", "remove"},
      {"    mtu: 4200\nboards:",
       "    mtu: 4200\n    capture: {file: x}\n  - {name: a, device: net_null, capture: {file: x}}\nboards:",
       13, "ports.2.capture.file", "written twice", "another"},
      {"duration: 10s", "duration: 10s\n  warmup: 10s", 3, "run.warmup", "leaves no time", "shorter"},
      {"duration: 10s", "duration: 0s", 2, "run.duration", "sends nothing", "10s"},
      {"duration: 10s", "start_at: 2025-12-31T23:59:59Z", 2, "run.start_at", "in the past", "later"},
      {"count: 2", "cpus: [1, 1]", 4, "workers.cpus", "twice", "own CPU"},
      {"count: 2", "cpus: [1, 2]\n  main_cpu: 1\n  idle: spin", 5, "workers.main_cpu", "spinning", "sleep"},
      {"message_size: 64KiB", "message_size: 0", 22, "boards.0.qps.0.traffic.rate", "no payload rate",
       "msg/s"},
      {"to: daq\n        transport: RC", "to: perftest://h\n        transport: UC", 18,
       "boards.0.qps.0.transport", "only over RC", "RC"},
      {"to: daq\n        transport: RC", "to: {ip: 10.9.0.2, qpn: 17, rkey: 1, address: 0, length: 1MiB}", 17,
       "boards.0.qps.0.to", "outside the board's prefix", "gateway"}};
  for (const Row& row : rows) check_row(row);
  CHECK(problems(replaced(kBase, "transport: RC", "signaled: none\n        ack_every: 4")).empty());
  CHECK(problems(replaced(replaced(kBase, "10.0.0.1/24", "10.0.0.0/31"), "10.0.0.2/24", "10.0.0.1/31"))
            .empty());
}

TEST_CASE("more next hops than a board supports are refused, with the place and the fix") {
  const auto with = [](const std::string& to, const std::string& receiver) {
    std::string text = replaced(kBase, "10.0.0.1/24", "10.0.0.1/8");
    text = replaced(text, "to: daq", to);
    return problems(replaced(text, "10.0.0.2/24", "10.0.0.2/8\n" + receiver));
  };
  CHECK(with("to: daq\n        count: 16384", "    count: 16384").empty());
  CHECK(with("to: daq\n        count: 100000", "    count: 16384").empty());
  CHECK(with("to: daq\n        count: 16384", "    count: 16385").empty());
  const auto found = with("to: daq\n        count: 16385", "    count: 16385");
  REQUIRE(found.size() == 1);
  CHECK(found[0].where.line == 17);
  CHECK(found[0].where.key == "boards.0.qps.0.to");
  CHECK(found[0].message.find("more than the 16384 next hops") != std::string::npos);
  CHECK(found[0].fix.find("gateway") != std::string::npos);
}

TEST_CASE("files as payload") {
  const auto directory = std::filesystem::temp_directory_path();
  const std::string empty = (directory / ("softfeb-config-empty-" + std::to_string(::getpid()))).string();
  const std::string full = (directory / ("softfeb-config-full-" + std::to_string(::getpid()))).string();
  std::ofstream(empty).flush();
  std::ofstream(full) << std::string(200'001, 'x');
  const auto with = [](const std::string& traffic, const std::string& receiver) {
    return replaced(replaced(kBase, "messages: 100", traffic), "    memory: 1MiB\n", receiver);
  };

  auto found = problems(with("payload: {file: " + empty + "}", ""));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.find("is empty") != std::string::npos);

  RunConfig config = load(with("payload: {file: " + full + ", repeat: 3}", ""));
  const TrafficConfig& traffic = config.boards[0].qps[0].traffic;
  CHECK(traffic.payload.file_size == 200'001);
  CHECK(traffic.messages == 4 * 3);
  CHECK(traffic.slots == 4);
  CHECK(config.receivers[0].memory == 4 * 65'536);

  found = problems(with("payload: {file: " + full + "}", "    memory: 128KiB\n    out: o.bin\n"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.find("does not fit") != std::string::npos);
  CHECK(found[0].where.line == 23);

  found = problems(replaced(with("payload: {file: " + full + "}", ""),
                            "message_size: 64KiB\n          rate: 1Gb/s", "message_size: 0"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.find("never send the file") != std::string::npos);
  std::filesystem::remove(empty);
  std::filesystem::remove(full);
}

TEST_CASE("several problems are reported together, in the order of the file") {
  const auto found =
      problems(replaced(replaced(kBase, "duration: 10s", "duration: 10"), "rate: 1Gb/s", "rate: x"));
  REQUIRE(found.size() == 2);
  CHECK(found[0].where.line == 2);
  CHECK(found[1].where.line == 22);
}

TEST_CASE("messages as people read them") {
  CHECK(to_string(Problem{{"a.yaml", 3, "run.seed"}, "is odd", "write 2"}) ==
        "a.yaml:3: run.seed: is odd; fix: write 2");
  CHECK(to_string(Problem{{"--set", 0, "run.seed"}, "is odd", "write 2"}) ==
        "--set run.seed: is odd; fix: write 2");
  CHECK(to_string(Problem{{"a.yaml", 0, ""}, "is odd", ""}) == "a.yaml: is odd");
}

TEST_CASE("missing files are reported") {
  CHECK_THROWS_AS(load_run("/no/such/file.yaml"), ConfigError);
  CHECK_THROWS_AS(load_run("/"), ConfigError);
  CHECK_THROWS_AS(load_run("/dev/null"), ConfigError);
}
