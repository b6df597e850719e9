// SPDX-License-Identifier: BSD-3-Clause
#include "documents.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Returns kBase with a queue pair of the given transport, and with `keys` in its section `traffic`.
std::string with_traffic(const std::string& keys, const std::string& transport = "UC") {
  const std::string given =
      "        traffic:\n          message_size: 64KiB\n          rate: 1Gb/s\n          messages: 100\n";
  return replaced(replaced(kBase, given, "        traffic: {" + keys + "}\n"), "transport: RC",
                  "transport: " + transport);
}

const TrafficConfig& traffic_of(const RunConfig& config) { return config.boards[0].qps[0].traffic; }

/// Checks that `text` has exactly one problem, at `key` of boards.0.qps.0, with this message and fix.
void check_only(const std::string& text, const char* key, const char* message, const char* fix) {
  INFO(text);
  const std::vector<Problem> found = problems(text);
  std::string all;
  for (const Problem& p : found) all += to_string(p) + '\n';
  INFO(all);
  REQUIRE(found.size() == 1);
  CHECK(found[0].where.file == "test.yaml");
  CHECK(found[0].where.key == std::string("boards.0.qps.0.") + key);
  CHECK(found[0].where.line > 0);
  CHECK(found[0].message.find(message) != std::string::npos);
  CHECK(found[0].fix.find(fix) != std::string::npos);
}

void check_problem(const std::string& keys, const char* key, const char* message, const char* fix) {
  check_only(with_traffic(keys), (std::string("traffic") + key).c_str(), message, fix);
}

}  // namespace

TEST_CASE("beamlets have a period and numbers", "[beamlets]") {
  const RunConfig config = load(with_traffic("kind: beamlets, message_size: 16KiB, period: 20.97152ms"));
  const TrafficConfig& t = traffic_of(config);
  CHECK(t.rate == Rate::every(20'971'520'000));
  REQUIRE(t.beamlets);
  CHECK(t.beamlets->phase == 0);
  CHECK_FALSE(t.beamlets->spread);
  CHECK(t.verb == roce::WrOpcode::kWriteImm);
  CHECK(t.immediate.kind == ImmediateConfig::Kind::kCounter);
  CHECK(t.message_size == 16'384);
  CHECK_FALSE(t.random());
  CHECK(t.rate.messages_per_second() * t.message_size * 8 == Approx(6.25e6).epsilon(1e-12));
}

TEST_CASE("beamlets may repeat what their kind implies", "[beamlets]") {
  const RunConfig config =
      load(with_traffic("kind: beamlets, verb: write_imm, immediate: counter, period: 1ms, phase: 300us, "
                        "messages: 7, slots: 2"));
  const TrafficConfig& t = traffic_of(config);
  CHECK(t.beamlets->phase == 300 * kMicrosecond);
  CHECK(t.messages == 7U);
  CHECK(t.slots == 2);
  CHECK(traffic_of(load(with_traffic("kind: beamlets, period: 1ms, phase: spread"))).beamlets->spread);
  CHECK_FALSE(traffic_of(load(with_traffic("kind: messages, rate: 10msg/s"))).beamlets);
  CHECK_FALSE(traffic_of(load(kBase)).beamlets);
}

TEST_CASE("beamlets suit a receiver with windows", "[beamlets]") {
  const std::string text = replaced(with_traffic("kind: beamlets, period: 1ms, message_size: 16KiB"),
                                    "    memory: 1MiB\n", "    windows: {ring: 8, depth: 2}\n");
  CHECK(traffic_of(load(text)).slots == 8);
}

TEST_CASE("beamlets are written as they were read", "[beamlets]") {
  for (const char* phase : {"0", "20.971519999ms", "spread"}) {
    const std::string text =
        with_traffic(std::string("kind: beamlets, message_size: 16KiB, period: 20.97152ms, phase: ") + phase);
    const std::string written = to_yaml(load(text));
    CHECK(to_yaml(load(written)) == written);
    const RunConfig first = load(text), again = load(written);
    CHECK(traffic_of(again).rate == traffic_of(first).rate);
    CHECK(traffic_of(again).beamlets->phase == traffic_of(first).beamlets->phase);
    CHECK(traffic_of(again).beamlets->spread == traffic_of(first).beamlets->spread);
  }
  CHECK_FALSE(traffic_of(load(to_yaml(load(kBase)))).beamlets);
}

TEST_CASE("beamlets with keys that contradict them are refused", "[beamlets]") {
  const std::string b = "kind: beamlets, period: 1ms, ";
  check_problem(b + "rate: 1Gb/s", ".rate", "`period` determines", "remove it, or write `kind: messages`");
  check_problem(b + "rate: 10msg/s", ".rate", "`period` determines", "`kind: messages`");
  check_problem(b + "arrivals: {rate: 5msg/s}", ".arrivals", "`period` determines", "`kind: messages`");
  check_problem(b + "lengths: hadoop", ".lengths", "one size", "`kind: messages`");
  check_problem(b + "transfer: 1MiB", ".transfer", "not parts of transfers", "`kind: messages`");
  check_problem(b + "burst: 2", ".burst", "paced by message", "`kind: messages`");
  check_problem(b + "verb: write", ".verb", "WRITEs with immediate", "`verb: write_imm`");
  check_problem(b + "verb: write, immediate: counter", ".verb", "WRITEs with immediate", "`verb: write_imm`");
  check_problem(b + "immediate: channel", ".immediate", "number them", "`immediate: counter`");
  check_problem(b + "verb: write_imm, immediate: 7", ".immediate", "number them", "`immediate: counter`");
  check_problem("kind: beamlets", "", "`period` is missing", "add `period: 20.97152ms`");
}

TEST_CASE("wrong periods, phases and kinds are refused", "[beamlets]") {
  check_problem("kind: beamlets, period: 0", ".period", "out of range for a period", "from 1ns to 1h");
  check_problem("kind: beamlets, period: 2h", ".period", "out of range for a period", "from 1ns to 1h");
  check_problem("kind: beamlets, period: 0.3ps", ".period", "not a whole number of picoseconds", "round");
  check_problem("kind: beamlets, period: 21", ".period", "no unit", "ms");
  check_problem("kind: beamlets, period: 1ms, phase: 2h", ".phase", "out of range for a phase",
                "or write spread");
  check_problem("kind: beamlets, period: 1ms, phase: even", ".phase", "", "or write spread");
  check_problem("kind: beamlet, period: 1ms, phase: 0", ".kind", "unknown value", "messages, beamlets");
  check_problem("period: 1ms", ".period", "only beamlets have it", "add `kind: beamlets`");
  check_problem("kind: messages, phase: spread", ".phase", "only beamlets have it", "add `kind: beamlets`");
}

TEST_CASE("beamlets need UC", "[beamlets]") {
  const std::string keys = "kind: beamlets, period: 1ms";
  check_only(with_traffic(keys, "RC"), "transport", "sent over UC", "write `transport: UC`");
  const std::string none = replaced(with_traffic(keys), "        transport: UC\n", "");
  check_only(none, "transport", "sent over UC", "write `transport: UC`");
}

TEST_CASE("the load of beamlets decides about workers", "[beamlets]") {
  const auto board = [](const char* name, const char* ip, const char* traffic) {
    return std::string("  - name: ") + name + "\n    port: feb\n    ip: " + ip +
           "/24\n    qps:\n      - to: daq\n        transport: UC\n        traffic: {" + traffic + "}\n";
  };
  // 64 KiB per 100 µs are 5.2 Gb/s. One link of 3 Gb/s cannot carry this rate, but two boards with such a
  // link can.
  const std::string beamlets = board("beam", "10.0.0.9", "kind: beamlets, period: 100us");
  const std::string others = board("x", "10.0.0.10", "rate: 3Gb/s") + board("y", "10.0.0.11", "rate: 3Gb/s");
  const std::string receiver = "    memory: 1MiB\n";
  const RunConfig config = load(replaced(replaced(kBase, "receivers:\n", beamlets + others + "receivers:\n"),
                                         receiver, receiver + "    worker: 0\n"),
                                {"workers.count=3"});
  std::vector<std::size_t> workers;
  for (const BoardConfig& b : config.boards) workers.push_back(b.endpoint.worker);
  CHECK(workers == std::vector<std::size_t>{1, 1, 2, 2});
}
