// SPDX-License-Identifier: BSD-3-Clause
// Tests the configuration of traffic generators and ports of boards, and of streams of receivers.
#include "config/emit.hpp"
#include "config/load.hpp"
#include "documents.hpp"
#include "expected_problem.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;
using Mode = board::TrafficGenSettings::Mode;

namespace {

const std::string kCard = R"(ports:
  - {name: p0, device: net_null0, mtu: 9000}
  - {name: p1, device: net_null1, mtu: 9000}
  - {name: g, device: net_null2, mtu: 9000}
boards:
  - name: feb
    ports: [p0, p1]
    ip: 10.0.0.1/24
    control: {profile: softfeb-2026.12}
    traffic_gen: {start: true, mode: udp, packet_size: 1KiB, packet_count: 7, gap: 3, streams: 4, to: [a, b]}
receivers:
  - {name: a, port: g, ip: 10.0.0.101/24, streams: {first_port: 6000}}
  - {name: b, port: g, ip: 10.0.0.102/24}
)";

void refuses(const std::string& from, const std::string& to, const std::string& key, const std::string& fix) {
  CAPTURE(to);
  const auto found = problems(replaced(kCard, from, to));
  REQUIRE(found.size() == 1);
  CHECK(found[0].where.key == key);
  CHECK(found[0].fix.find(fix) != std::string::npos);
}

}  // namespace

TEST_CASE("each port of a board has a generator that sends to one receiver", "[traffic-gen]") {
  const RunConfig config = load(kCard);
  REQUIRE(config.boards.size() == 2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const BoardConfig& board = config.boards[i];
    CHECK(board.endpoint.name == "feb." + std::to_string(i));
    CHECK(board.endpoint.port == i);
    CHECK(board.ports == 2);
    CHECK(board.on_port == i);
    CHECK(board.control.has_value() == (i == 0));
    REQUIRE(board.traffic_gen);
    CHECK(board.traffic_gen->start);
    const board::TrafficGenSettings& r = board.traffic_gen->registers;
    CHECK(r.mode == Mode::kUdp);
    CHECK(r.packet_size == 1024);
    CHECK(r.packet_count == 7);
    CHECK(r.gap == 3);
    CHECK(r.dest_ip == 0x0a000065 + i);
    REQUIRE(board.qps.size() == 1);
    CHECK(board.qps[0].count == 4);
    CHECK(board.qps[0].pmtu == 4096);
    CHECK(board.qps[0].traffic.messages == 0U);
    CHECK(std::get<ReceiverTarget>(board.qps[0].to).receivers == std::vector<std::size_t>{i});
  }
  REQUIRE(config.receivers[0].streams);
  CHECK(config.receivers[0].streams->buffers.size == 65'536);
  CHECK(config.receivers[0].memory == 8 * 9216);
  CHECK(load(to_json(config).dump()).boards.size() == 2);
}

TEST_CASE("a profile with traffic generators gives every port one", "[traffic-gen]") {
  const RunConfig config =
      load(replaced(kCard,
                    "traffic_gen: {start: true, mode: udp, packet_size: 1KiB, packet_count: 7, gap: 3, "
                    "streams: 4, to: [a, b]}",
                    "qps: [{to: a}]"));
  REQUIRE(config.boards[1].traffic_gen);
  CHECK_FALSE(config.boards[1].traffic_gen->given);
  CHECK_FALSE(config.boards[1].traffic_gen->start);
  CHECK_FALSE(load(kBase).boards[0].traffic_gen);
}

TEST_CASE("wrong traffic generators and streams are refused", "[traffic-gen]") {
  refuses("ports: [p0, p1]", "port: p0\n    ports: [p0, p1]", "boards.0.ports", "either");
  refuses("ports: [p0, p1]", "ports: [p0, p0, p0, p0, p0]", "boards.0.ports", "1 to 4");
  refuses("ports: [p0, p1]", "ports: [p0, p9]", "boards.0.ports", "p0");
  refuses("packet_size: 1KiB", "packet_size: 9000B", "boards.0.traffic_gen.packet_size", "8972");
  refuses("to: [a, b]}", "to: [a, c]}", "boards.0.traffic_gen.to", "a");
  refuses(", to: [a, b]}", "}", "boards.0.traffic_gen.dest_ip", "IPv4");
  refuses("mode: udp", "mode: tcp", "boards.0.traffic_gen.mode", "udp");
  refuses("traffic_gen:", "qps: [{to: a}]\n    traffic_gen:", "boards.0.qps", "traffic_gen");
  refuses("{first_port: 6000}", "{first_port: 4790}", "receivers.0.streams.first_port", "6000");
  refuses("{first_port: 6000}", "{first_port: 65535}", "receivers.0.streams.first_port", "lower");
  refuses("{first_port: 6000}", "{timeout: 0}", "receivers.0.streams.timeout", "100us");
  refuses("{first_port: 6000}", "{size: 1GiB}", "receivers.0.streams.size", "smaller");
}

TEST_CASE("a board with traffic generators has at most 256 next hops", "[traffic-gen]") {
  std::string text = replaced(kCard, "10.0.0.1/24", "10.0.0.1/16");
  text = replaced(text, "  - {name: b, port: g, ip: 10.0.0.102/24}\n",
                  "  - {name: b, port: g, ip: 10.0.1.1/16, count: COUNT}\n");
  text = replaced(text, "10.0.0.101/24", "10.0.0.101/16");
  text = replaced(
      text,
      "traffic_gen: {start: true, mode: udp, packet_size: 1KiB, packet_count: 7, gap: 3, streams: 4, "
      "to: [a, b]}",
      "qps: [{to: b, count: 1000}]");
  CHECK(problems(replaced(text, "COUNT", "256")).empty());
  const auto found = problems(replaced(text, "COUNT", "257"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].where.key == "boards.0.qps.0.to");
  CHECK(found[0].message.find("256 next hops") != std::string::npos);
  CHECK(found[0].fix.find("gateway") != std::string::npos);
}
