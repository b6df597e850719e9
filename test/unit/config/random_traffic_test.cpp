// SPDX-License-Identifier: BSD-3-Clause
#include "base/published_cdfs.hpp"
#include "config/load.hpp"
#include "expected_problem.hpp"
#include "lab_documents.hpp"
#include "support/temporary_directory.hpp"

#include <fstream>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Returns kBase with `keys` in its section `traffic`, and without the receiver's memory.
std::string with_traffic(const std::string& keys) {
  const std::string given =
      "        traffic:\n          message_size: 64KiB\n          rate: 1Gb/s\n          messages: 100\n";
  return replaced(replaced(kBase, given, "        traffic: {" + keys + "}\n"), "    memory: 1MiB\n", "");
}

const TrafficConfig& traffic_of(const RunConfig& config) { return config.boards[0].qps[0].traffic; }

/// Checks that with_traffic(keys) has exactly one problem, at `key` of the traffic, with this message and
/// fix.
void check_problem(const std::string& keys, const char* key, const char* message, const char* fix) {
  INFO(keys);
  const std::vector<Problem> found = problems(with_traffic(keys));
  REQUIRE(found.size() == 1);
  INFO(to_string(found[0]));
  CHECK(found[0].where.file == "test.yaml");
  CHECK(found[0].where.key == std::string("boards.0.qps.0.traffic") + key);
  CHECK(found[0].where.line > 0);
  CHECK(found[0].message.find(message) != std::string::npos);
  CHECK(found[0].fix.find(fix) != std::string::npos);
}

}  // namespace

TEST_CASE("lengths from a published distribution", "[random_traffic]") {
  const RunConfig config = load(with_traffic("lengths: hadoop"));
  const TrafficConfig& t = traffic_of(config);
  REQUIRE(t.lengths);
  CHECK(t.lengths->cdf->points() == hadoop_cdf().points());
  CHECK(t.message_size == 10'000'000);
  CHECK(t.mean_length() == Approx(120'420.75));
  CHECK(t.median_length() == 700);
  CHECK(t.random());
  CHECK_FALSE(t.arrivals);
  CHECK(config.receivers[0].memory == 10'000'000);
  CHECK(t.slots == 1);
  CHECK(traffic_of(load(with_traffic("lengths: web_search"))).message_size == 30'000'000);
  CHECK_FALSE(traffic_of(load(kBase)).random());
}

TEST_CASE("lengths from a file", "[random_traffic]") {
  const softfeb::test::TemporaryDirectory dir;
  const std::string path = dir.path() / "lengths.cdf";
  std::ofstream(path) << "1000 0.5\n2000 1\n";
  const RunConfig config = load(with_traffic("lengths: " + path + ", slots: 4"));
  const TrafficConfig& t = traffic_of(config);
  CHECK(t.message_size == 2000);
  CHECK(t.mean_length() == Approx(1250));
  std::ofstream(path) << "1000 0.5\n2000 0.4\n";
  const auto found = problems(with_traffic("lengths: " + path));
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].where.file == path);
  CHECK(found[0].where.line == 2);
}

TEST_CASE("arrivals at a rate and at a load", "[random_traffic]") {
  const RunConfig rate = load(with_traffic("arrivals: {rate: 2000msg/s}"));
  REQUIRE(traffic_of(rate).arrivals);
  CHECK(traffic_of(rate).arrivals->rate == 2000);
  CHECK(traffic_of(rate).arrivals->queue == ArrivalsConfig::Queue::kQp);
  const std::string text =
      replaced(with_traffic("lengths: hadoop, arrivals: {load: 80%, queue: group}, seed: 9"),
               "    ip: 10.0.0.1/24\n", "    ip: 10.0.0.1/24\n    link_rate: 10Gb/s\n");
  const RunConfig load_config = load(text);
  const TrafficConfig& t = traffic_of(load_config);
  // Ethernet, IPv4, UDP, BTH, iCRC, FCS, preamble and inter-packet gap add 82 bytes to the payload.
  CHECK(t.arrivals->rate == Approx(0.8 * 1.25e9 * 4096 / 4178 / 120'420.75));
  CHECK(t.arrivals->queue == ArrivalsConfig::Queue::kGroup);
  CHECK(t.seed == 9U);
}

TEST_CASE("a board of the lab has the rate of its link", "[random_traffic]") {
  const LabConfig config = softfeb::config::test::load_lab(
      replaced(kLabBase, "      - to: daq\n",
               "      - to: daq\n        traffic: {message_size: 4096B, arrivals: {load: 50%}}\n"));
  for (const BoardConfig& board : config.run.boards)
    CHECK(board.qps[0].traffic.arrivals->rate == Approx(0.5 * 1.25e9 / 4178));
}

TEST_CASE("random traffic is written as it was read", "[random_traffic]") {
  const std::string text = with_traffic(
      "lengths: web_search, arrivals: {rate: 30msg/s, queue: group}, seed: 18446744073709551615");
  const std::string written = to_yaml(load(text));
  CHECK(written.find("message_size") == std::string::npos);
  CHECK(to_yaml(load(written)) == written);
  const RunConfig again = load(written);
  const TrafficConfig& t = traffic_of(again);
  CHECK(t.lengths->text == "web_search");
  CHECK(t.arrivals->rate == 30);
  CHECK(t.arrivals->queue == ArrivalsConfig::Queue::kGroup);
  CHECK(t.seed == UINT64_MAX);
}

TEST_CASE("random traffic that makes no sense is refused", "[random_traffic]") {
  check_problem("lengths: hadop", ".lengths", "no distribution or file", "did you mean `hadoop`?");
  check_problem("lengths: ./absent.cdf", ".lengths", "no distribution or file",
                "write web_search, hadoop, or");
  check_problem("lengths: hadoop, message_size: 1KiB", ".message_size", "`lengths` determines", "remove");
  check_problem("lengths: hadoop, payload: {file: /etc/hostname}", ".lengths", "one size",
                "payload: counter");
  check_problem("arrivals: {}", ".arrivals", "neither a load nor a rate", "`rate: 1000msg/s`");
  check_problem("arrivals: {load: 0%}", ".arrivals.load", "sends nothing", "50%");
  check_problem("arrivals: {load: 120%}", ".arrivals.load", "", "50%");
  check_problem("arrivals: {rate: 1Gb/s}", ".arrivals.rate", "not a rate of messages", "1000msg/s");
  check_problem("arrivals: {load: 50%, rate: 5msg/s}", ".arrivals.rate", "`load` determines", "remove one");
  check_problem("arrivals: {rate: 5msg/s, queue: board}", ".arrivals.queue", "unknown value", "qp, group");
  check_problem("arrivals: {rate: 5msg/s, burst: 2}", ".arrivals.burst", "unknown key", "");
  check_problem("arrivals: {load: 50%}", ".arrivals.load", "no link rate", "link_rate");
  check_problem("arrivals: {rate: 5msg/s}, rate: 3msg/s", ".rate", "`arrivals` determines", "Gb/s or pps");
  check_problem("arrivals: {load: 50%}, message_size: 0", ".arrivals", "no load", "rate");
  check_problem("seed: 4", ".seed", "nothing of this traffic is random", "`lengths` or `arrivals`");
}

TEST_CASE("random traffic needs acknowledgements", "[random_traffic]") {
  const std::string text = with_traffic("lengths: hadoop");
  const auto uc = problems(replaced(text, "transport: RC", "transport: UC"));
  REQUIRE(uc.size() == 1);
  CHECK(uc[0].where.key == "boards.0.qps.0.traffic.lengths");
  CHECK(uc[0].fix == "write `transport: RC`");
  const auto last = problems(replaced(text, "transport: RC\n", "ack_every: 4\n        signaled: last\n"));
  REQUIRE(last.size() == 1);
  CHECK(last[0].fix == "write `signaled: all`");
  const auto small = problems(text + "    memory: 1MiB\n");
  REQUIRE(small.size() == 1);
  CHECK(small[0].where.key == "boards.0.qps.0.traffic.lengths");
  CHECK(small[0].message == "a message has 10000000 bytes, but the memory region has 1048576");
  const auto sink = problems(replaced(text, "to: daq", "to: sink://10.0.0.9"));
  REQUIRE(sink.size() == 1);
  CHECK(sink[0].message.find("sink://10.0.0.9 expects messages of one size") != std::string::npos);
}
