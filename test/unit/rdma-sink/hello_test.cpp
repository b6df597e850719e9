// SPDX-License-Identifier: BSD-3-Clause
#include "hello.hpp"

#include "base/rng.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sink;
using nlohmann::json;

namespace {

json good() {
  return {{"version", 1},
          {"ip", "10.77.0.100"},
          {"transport", "uc"},
          {"pmtu", 2048},
          {"message_size", 16384},
          {"messages", 100},
          {"immediate", {{"kind", "counter"}, {"first", 7}}},
          {"payload", {{"kind", "prbs31"}, {"seed", 5}, {"origin", 32768}}},
          {"qps", {{{"qpn", 256}, {"psn", 16777215}}, {{"qpn", 257}, {"psn", 0}}}}};
}

/// Replaces the member at `pointer` of a valid hello by `value`. Returns the text of the refusal, or an empty
/// text if the hello is accepted.
std::string refusal(const char* pointer, const json& value) {
  json line = good();
  line[json::json_pointer(pointer)] = value;
  try {
    parse_hello(parse_line(line.dump()));
    return "";
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
}

}  // namespace

TEST_CASE("a hello is parsed, every field", "[rdma-sink]") {
  const Hello hello = parse_hello(parse_line(good().dump()));
  CHECK(hello.ip == roce::IpAddress::parse("10.77.0.100"));
  CHECK(hello.transport == roce::Transport::kUc);
  CHECK(hello.pmtu == 2048);
  CHECK(hello.message_size == 16384);
  CHECK(hello.messages == 100);
  CHECK(hello.slots == 0);
  CHECK(hello.immediate.kind == ImmediateRule::Kind::kCounter);
  CHECK(hello.immediate.first == 7);
  CHECK(hello.payload.kind == board::PayloadKind::kPrbs31);
  CHECK(hello.payload.seed == 5);
  CHECK(hello.payload.origin == 32768);
  REQUIRE(hello.qps.size() == 2);
  CHECK(hello.qps[0].qpn == 256);
  CHECK(hello.qps[0].psn == 0xffffff);
  CHECK(hello.qps[0].ip == hello.ip);
  CHECK_FALSE(hello.events);
}

TEST_CASE("queue pairs may have addresses of their own", "[rdma-sink]") {
  json line = good();
  line["qps"][1]["ip"] = "10.77.0.101";
  const Hello hello = parse_hello(parse_line(line.dump()));
  CHECK(hello.qps[0].ip == hello.ip);
  CHECK(hello.qps[1].ip == roce::IpAddress::parse("10.77.0.101"));
  CHECK_THAT(refusal("/qps/1/ip", "fd00::1"), Catch::Contains("IPv4, or all must be IPv6"));
  CHECK_THAT(refusal("/qps/1/ip", 7), Catch::Contains("'ip'"));
  CHECK_THAT(refusal("/qps/1/ip", "10.77.0"), Catch::Contains("'ip'"));
}

TEST_CASE("a client may describe the layout of its events", "[rdma-sink]") {
  const json layout{{"boards", 2},   {"slots", 8},    {"slot", 4096},
                    {"piece", 1000}, {"builders", 3}, {"builder", 2}};
  json line = good();
  line["events"] = layout;
  const Hello hello = parse_hello(parse_line(line.dump()));
  REQUIRE(hello.events);
  CHECK(hello.events->layout.boards == 2);
  CHECK(hello.events->layout.slots == 8);
  CHECK(hello.events->layout.slot == 4096);
  CHECK(hello.events->layout.piece == 1000);
  CHECK(hello.events->layout.builders == 3);
  CHECK(hello.events->builder == 2);
  CHECK(refusal("/events", nullptr).empty());
  CHECK_THAT(refusal("/events", true), Catch::Contains("'events'"));
  for (const auto& [key, value] : layout.items()) {
    for (const json& wrong : {json(-1), json("8"), json(1.5), json(nullptr), json(std::uint64_t{1} << 32)}) {
      json other = layout;
      other[key] = wrong;
      CHECK_THAT(refusal("/events", other), Catch::Contains('\'' + key + '\''));
    }
    json other = layout;
    other[key] = 0;
    CHECK(refusal("/events", other).empty() == (key == "builder"));
    other.erase(key);
    CHECK_THAT(refusal("/events", other), Catch::Contains("missing"));
  }
  json other = layout;
  other["builder"] = 3;
  CHECK_THAT(refusal("/events", other), Catch::Contains("'builder'"));
  other = layout;
  other["boards"] = 3;
  CHECK_THAT(refusal("/events", other), Catch::Contains("3 boards, but 2 queue pairs; fix: "));
}

TEST_CASE("optional fields of a hello", "[rdma-sink]") {
  json line = good();
  for (const char* key : {"messages", "immediate", "payload"}) line.erase(key);
  line["gid"] = "fd00::1";
  line.erase("ip");
  const Hello hello = parse_hello(parse_line(line.dump()));
  CHECK_FALSE(hello.ip.is_v4());
  CHECK(hello.messages == 0);
  CHECK_FALSE(hello.immediate.present());
  CHECK_FALSE(hello.payload.kind.has_value());
  line["immediate"] = true;
  CHECK(parse_hello(parse_line(line.dump())).immediate.kind == ImmediateRule::Kind::kAny);
  line["immediate"] = {{"kind", "channel"}};
  CHECK(parse_hello(parse_line(line.dump())).immediate.first == 1);
}

TEST_CASE("wrong fields are refused by name", "[rdma-sink]") {
  using Catch::Contains;
  CHECK_THAT(refusal("/version", 2), Contains("same release"));
  CHECK_THAT(refusal("/ip", 5), Contains("'ip'"));
  CHECK_THAT(refusal("/ip", "10.77.0"), Contains("'ip'"));
  CHECK_THAT(refusal("/transport", "ud"), Contains("rc"));
  CHECK_THAT(refusal("/pmtu", 1500), Contains("256, 512"));
  CHECK_THAT(refusal("/pmtu", 128), Contains("256, 512"));
  CHECK_THAT(refusal("/message_size", -1), Contains("'message_size'"));
  CHECK_THAT(refusal("/message_size", 0x80000001U), Contains("'message_size'"));
  CHECK_THAT(refusal("/messages", "7"), Contains("'messages'"));
  CHECK_THAT(refusal("/slots", 1.5), Contains("'slots'"));
  CHECK_THAT(refusal("/qps", json::array()), Contains("'qps'"));
  CHECK_THAT(refusal("/qps/0", 3), Contains("'qps'"));
  CHECK_THAT(refusal("/qps/1/qpn", 1 << 24), Contains("'qpn'"));
  CHECK_THAT(refusal("/immediate", 3), Contains("'immediate'"));
  CHECK_THAT(refusal("/immediate/kind", "odd"), Contains("counter"));
  CHECK_THAT(refusal("/payload", "counter"), Contains("'payload'"));
  CHECK_THAT(refusal("/payload/kind", "noise"), Contains("prbs31"));
  CHECK_THAT(refusal("/payload", {{"kind", "file"}}), Contains("'size'"));
  CHECK_THAT(refusal("/payload", {{"kind", "file"}, {"size", 0}}), Contains("'size'"));
  CHECK(refusal("/payload", nullptr).empty());
  CHECK_THAT(refusal("/payload/origin", "any"), Contains("only with a payload of kind counter"));
  CHECK(refusal("/payload", {{"kind", "counter"}, {"origin", "any"}}).empty());
  CHECK_THAT(refusal("/payload", {{"kind", "counter"}, {"origin", "one"}}), Contains("'origin'"));
}

TEST_CASE("an end, and receives to post", "[rdma-sink]") {
  const End end = parse_end(json::parse(R"({"end": {"complete": true, "messages": 12, "seconds": 0.25,
                                            "qps": [{"messages": 5}, {"messages": 7}]}})"));
  CHECK(end.complete);
  CHECK(end.messages == 12);
  CHECK(end.seconds == 0.25);
  CHECK(end.messages_of_qp == std::vector<std::uint64_t>{5, 7});
  CHECK(end.counted);
  CHECK_FALSE(parse_end(json::parse(R"({"end": {}})")).complete);
  CHECK_FALSE(parse_end(json::parse(R"({"end": {}})")).counted);
  CHECK_FALSE(parse_end(json::parse(R"({"end": {}})")).events);
  CHECK(parse_end(json::parse(R"({"end": {"events": 7}})")).events == 7);
  CHECK_THROWS_AS(parse_end(json::parse(R"({"end": 3})")), Refusal);
  CHECK_THROWS_AS(parse_end(json::parse(R"({"end": {"qps": [3]}})")), Refusal);
  CHECK(parse_post_receives(json::parse(R"({"post_receives": 9})")).count == 9);
  CHECK(parse_post_receives(json::parse(R"({"post_receives": 9, "qp": 2})")).qp == 2U);
  CHECK_THROWS_AS(parse_post_receives(json::parse(R"({"post_receives": "all"})")), Refusal);
}

TEST_CASE("any line is parsed or refused", "[rdma-sink]") {
  json line_with_all = good();
  line_with_all["qps"][0]["ip"] = "10.77.0.101";
  line_with_all["events"] = {{"boards", 2}, {"slots", 8},    {"slot", 4096},
                             {"piece", 99}, {"builders", 3}, {"builder", 2}};
  const std::string whole = line_with_all.dump();
  Rng rng(3);
  std::size_t taken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string line = whole;
    for (std::uint64_t n = rng.next() % 3 + 1; n > 0; --n)
      line[rng.next() % line.size()] = static_cast<char>(rng.next());
    if (rng.next() % 8 == 0) line.resize(rng.next() % line.size());
    try {
      parse_hello(parse_line(line));
      ++taken;
    } catch (const Refusal&) {
    }
  }
  CHECK(taken > 0);
}
