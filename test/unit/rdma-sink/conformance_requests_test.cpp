// SPDX-License-Identifier: BSD-3-Clause
#include "conformance_requests.hpp"

#include "base/rng.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sink;
using nlohmann::json;

namespace {

ConformanceRequest parse(const std::string& line) { return parse_conformance_request(parse_line(line)); }

template <class Request>
Request parsed(const std::string& line) {
  return std::get<Request>(parse(line));
}

/// Returns the refusal of a request; empty if it is accepted.
std::string refusal_of(const json& line) {
  try {
    parse(line.dump());
    return "";
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
}

/// A valid request of each kind, with all members.
const std::vector<std::string>& valid() {
  static const std::vector<std::string> lines{
      R"({"regions": [{"size": 1048576}, {"access": "read"}, {"access": ["write", "atomic"], "other_pd": true},
                      {"deregistered": true}]})",
      R"({"free": {"region": 3}})",
      R"({"open": {"transport": "rc", "pmtu": 1024, "psn": 256, "dest_qpn": 257, "ip": "10.77.0.100",
                   "access": ["write"], "receives": 2, "receive_size": 64, "min_rnr_timer": 12,
                   "max_dest_rd_atomic": 4, "state": "rtr"}})",
      R"({"modify": {"qpn": 18, "state": "err"}})",
      R"({"state": {"qpn": 18}})",
      R"({"close": {"qpn": 18}})",
      R"({"receive": {"qpn": 18, "count": 1}})",
      R"({"fill": {"byte": 238, "region": 1, "offset": -4096, "length": 8}})",
      R"({"read": {"region": 1, "offset": 0, "length": 64}})",
      R"({"crc": {"region": 1, "offset": 0, "length": 64}})",
      R"({"completions": true})",
      R"({"arm": "solicited"})",
      R"({"event": true})",
      R"({"counters": true})"};
  return lines;
}

json minimal_open() {
  return json::parse(
      R"({"open": {"transport": "rc", "pmtu": 4096, "psn": 0, "dest_qpn": 1, "ip": "fd00::1"}})");
}

/// Returns the refusal of `line` with `value` at `pointer`.
std::string refusal_with(json line, const char* pointer, const json& value) {
  line[json::json_pointer(pointer)] = value;
  return refusal_of(line);
}

}  // namespace

TEST_CASE("each kind of request is parsed", "[conformance]") {
  REQUIRE(valid().size() == std::variant_size_v<ConformanceRequest>);
  for (std::size_t i = 0; i < valid().size(); ++i) CHECK(parse(valid()[i]).index() == i);
}

TEST_CASE("regions are parsed, every field", "[conformance]") {
  const auto regions = parsed<RegionsRequest>(valid()[0]).regions;
  REQUIRE(regions.size() == 4);
  CHECK(regions[0].size == 1048576);
  CHECK_FALSE(regions[0].access);
  CHECK_FALSE(regions[0].other_pd);
  CHECK_FALSE(regions[0].deregistered);
  CHECK(regions[1].size == kDefaultRegion);
  REQUIRE(regions[1].access);
  CHECK_FALSE(regions[1].access->write);
  CHECK(regions[1].access->read);
  CHECK_FALSE(regions[1].access->atomic);
  CHECK(regions[2].access->write);
  CHECK_FALSE(regions[2].access->read);
  CHECK(regions[2].access->atomic);
  CHECK(regions[2].other_pd);
  CHECK(regions[3].deregistered);
  CHECK(parsed<FreeRequest>(valid()[1]).region == 3);
  const auto none = parsed<RegionsRequest>(R"({"regions": [{"access": []}]})").regions.at(0).access;
  REQUIRE(none);
  CHECK_FALSE((none->write || none->read || none->atomic));
}

TEST_CASE("a queue pair is parsed, every field", "[conformance]") {
  const auto open = parsed<OpenRequest>(valid()[2]);
  CHECK(open.transport == roce::Transport::kRc);
  CHECK(open.pmtu == 1024);
  CHECK(open.psn == 256);
  CHECK(open.dest_qpn == 257);
  CHECK(open.ip == roce::IpAddress::parse("10.77.0.100"));
  REQUIRE(open.access);
  CHECK(open.access->write);
  CHECK_FALSE(open.access->read);
  CHECK(open.receives == 2);
  CHECK(open.receive_size == 64);
  CHECK(open.min_rnr_timer == std::uint8_t{12});
  CHECK(open.max_dest_rd_atomic == 4);
  CHECK(open.state == QpState::kRtr);
}

TEST_CASE("optional fields of a queue pair", "[conformance]") {
  const auto open = parsed<OpenRequest>(minimal_open().dump());
  CHECK_FALSE(open.ip.is_v4());
  CHECK_FALSE(open.access);
  CHECK(open.receives == 0);
  CHECK(open.receive_size == 0);
  CHECK_FALSE(open.min_rnr_timer);
  CHECK(open.max_dest_rd_atomic == 1);
  CHECK(open.state == QpState::kRts);
  for (const char* key : {"transport", "pmtu", "psn", "dest_qpn", "ip"}) {
    json line = minimal_open();
    line["open"].erase(key);
    CHECK_THAT(refusal_of(line), Catch::Contains(std::string("'") + key + "'"));
  }
}

TEST_CASE("requests about queue pairs are parsed", "[conformance]") {
  const auto modify = parsed<ModifyRequest>(valid()[3]);
  CHECK(modify.qpn == 18);
  CHECK(modify.state == QpState::kErr);
  CHECK(parsed<StateRequest>(valid()[4]).qpn == 18);
  CHECK(parsed<CloseRequest>(valid()[5]).qpn == 18);
  const auto receive = parsed<ReceiveRequest>(valid()[6]);
  CHECK(receive.qpn == 18);
  CHECK(receive.count == 1);
  CHECK(parsed<ArmRequest>(valid()[11]).solicited);
  CHECK_FALSE(parsed<ArmRequest>(R"({"arm": "any"})").solicited);
}

TEST_CASE("requests about memory are parsed", "[conformance]") {
  const auto fill = parsed<FillRequest>(valid()[7]);
  CHECK(fill.byte == 238);
  CHECK(fill.region == 1U);
  REQUIRE(fill.range);
  CHECK(fill.range->region == 1);
  CHECK(fill.range->offset == -4096);
  CHECK(fill.range->length == 8);
  const auto all = parsed<FillRequest>(R"({"fill": {"byte": 0}})");
  CHECK_FALSE(all.region);
  CHECK_FALSE(all.range);
  CHECK_FALSE(parsed<FillRequest>(R"({"fill": {"byte": 0, "region": 2}})").range);
  const auto read = parsed<ReadRequest>(R"({"read": {"offset": 5, "length": 64}})").range;
  CHECK(read.region == 0);
  CHECK(read.offset == 5);
  CHECK(read.length == 64);
  CHECK(parsed<CrcRequest>(valid()[9]).range.region == 1);
}

TEST_CASE("malformed requests are refused by name", "[conformance]") {
  using Catch::Contains;
  const json open = minimal_open();
  const std::vector<std::pair<std::string, std::string>> wrong{
      {refusal_with(open, "/open", 3), "'open' must be an object"},
      {refusal_with(open, "/open/transport", "ud"), "'transport'"},
      {refusal_with(open, "/open/pmtu", 1500), "'pmtu'"},
      {refusal_with(open, "/open/psn", 1 << 24), "'psn'"},
      {refusal_with(open, "/open/dest_qpn", -1), "'dest_qpn'"},
      {refusal_with(open, "/open/ip", "10.77.0"), "'ip'"},
      {refusal_with(open, "/open/access", "execute"), "'access'"},
      {refusal_with(open, "/open/access", json{"write", 3}), "'access'"},
      {refusal_with(open, "/open/access", nullptr), "'access'"},
      {refusal_with(open, "/open/receives", kMaxReceives + 1), "'receives'"},
      {refusal_with(open, "/open/receive_size", kMaxReceiveSize + 1), "'receive_size'"},
      {refusal_with(open, "/open/min_rnr_timer", 32), "'min_rnr_timer'"},
      {refusal_with(open, "/open/max_dest_rd_atomic", 256), "'max_dest_rd_atomic'"},
      {refusal_with(open, "/open/state", "RTS"), "'state'"},
      {refusal_with(open, "/open/state", "reset"), "'state'"},
      {refusal_with(open, "/open/state", 3), "'state'"},
      {refusal_with(open, "/open/acces", "write"), "unknown member 'acces'; known ones are transport"},
      {refusal_of({{"regions", 3}}), "'regions' must be a list"},
      {refusal_of({{"regions", json::array()}}), "'regions'"},
      {refusal_of({{"regions", json(kMaxRegions + 1, json::object())}}), "'regions'"},
      {refusal_of({{"regions", {7}}}), "'regions'"},
      {refusal_of({{"regions", {{{"size", 0}}}}}), "'size'"},
      {refusal_of({{"regions", {{{"size", kMaxRegion + 1}}}}}), "'size'"},
      {refusal_of({{"regions", {{{"size", 1.5}}}}}), "'size'"},
      {refusal_of({{"regions", {{{"other_pd", 1}}}}}), "'other_pd'"},
      {refusal_of({{"regions", {{{"deregistered", "yes"}}}}}), "'deregistered'"},
      {refusal_of({{"regions", {{{"length", 1}}}}}), "'length'"},
      {refusal_of({{"free", {{"region", -1}}}}), "'region'"},
      {refusal_of({{"modify", {{"qpn", 18}}}}), "'state'"},
      {refusal_of({{"state", {{"qpn", 1 << 24}}}}), "'qpn'"},
      {refusal_of({{"close", json::object()}}), "'qpn'"},
      {refusal_of({{"close", {18}}}), "'close'"},
      {refusal_of({{"receive", {{"qpn", 18}, {"count", 0}}}}), "'count'"},
      {refusal_of({{"receive", {{"qpn", 18}, {"count", kMaxReceives + 1}}}}), "'count'"},
      {refusal_of({{"fill", {{"byte", 256}}}}), "'byte'"},
      {refusal_of({{"fill", {{"byte", 1}, {"offset", 0}, {"length", 1}}}}), "'region'"},
      {refusal_of({{"fill", {{"byte", 1}, {"region", 0}, {"offset", 0}}}}), "'length'"},
      {refusal_of({{"read", {{"offset", 0}, {"length", kMaxRead + 1}}}}), "'length'"},
      {refusal_of({{"read", {{"offset", -4097}, {"length", 1}}}}), "'offset'"},
      {refusal_of({{"read", {{"offset", std::uint64_t{1} << 63}, {"length", 1}}}}), "'offset'"},
      {refusal_of({{"read", {{"offset", -0.5}, {"length", 1}}}}), "'offset'"},
      {refusal_of({{"crc", {{"length", 1}}}}), "'offset'"},
      {refusal_of({{"completions", 1}}), "'completions'"},
      {refusal_of({{"event", false}}), "'event'"},
      {refusal_of({{"counters", nullptr}}), "'counters'"},
      {refusal_of({{"arm", true}}), "'arm'"},
      {refusal_of(json::object()), "exactly one request: regions, free, open"},
      {refusal_of({{"status", true}}), "exactly one request"},
      {refusal_of({{"event", true}, {"counters", true}}), "exactly one request"}};
  for (const auto& [text, words] : wrong) CHECK_THAT(text, Contains(words));
}

TEST_CASE("UC queue pairs have no READs and atomics", "[conformance]") {
  json line = minimal_open();
  line["open"]["transport"] = "uc";
  CHECK(refusal_of(line).empty());
  CHECK(refusal_with(line, "/open/access", "write").empty());
  CHECK_THAT(refusal_with(line, "/open/access", "read"), Catch::Contains("UC"));
  CHECK_THAT(refusal_with(line, "/open/access", "atomic"), Catch::Contains("UC"));
}

TEST_CASE("the first line selects the kind of session", "[conformance]") {
  const json line = json::parse(R"({"version": 1, "conformance": true, "ip": "10.77.0.100"})");
  CHECK(wants_conformance(line));
  CHECK(parse_conformance_hello(line).ip == roce::IpAddress::parse("10.77.0.100"));
  CHECK_FALSE(wants_conformance({{"version", 1}}));
  CHECK_FALSE(wants_conformance({{"version", 1}, {"conformance", false}}));
  CHECK_THROWS_AS(wants_conformance({{"conformance", 1}}), Refusal);
  for (const char* key : {"version", "ip"}) {
    json other = line;
    other.erase(key);
    CHECK_THROWS_WITH(parse_conformance_hello(other), Catch::Contains(key));
  }
  json other = line;
  other["version"] = 2U;
  CHECK_THROWS_WITH(parse_conformance_hello(other), Catch::Contains("same release"));
  other = line;
  other["qps"] = json::array();
  CHECK_THROWS_WITH(parse_conformance_hello(other), Catch::Contains("unknown member 'qps'"));
}

TEST_CASE("any request is parsed or refused", "[conformance]") {
  Rng rng(5);
  std::size_t taken = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 40000; ++i) {
    std::string line = valid()[rng.next() % valid().size()];
    for (std::uint64_t n = rng.next() % 3 + 1; n > 0; --n)
      line[rng.next() % line.size()] = static_cast<char>(rng.next());
    if (rng.next() % 8 == 0) line.resize(rng.next() % line.size());
    try {
      parse(line);
      ++taken;
    } catch (const Refusal& refusal) {
      CHECK_FALSE(std::string(refusal.what()).empty());
      ++refused;
    }
  }
  CHECK(taken > 0);
  CHECK(refused > 0);
}

TEST_CASE("each value of a request may be replaced by any other", "[conformance]") {
  const std::array<json, 12> others{json(nullptr),
                                    json(true),
                                    json(-1),
                                    json(1.5),
                                    json(""),
                                    json("write"),
                                    json(json::array()),
                                    json(json::object()),
                                    json(std::uint64_t{1} << 63),
                                    json("\xff"),
                                    json({{"qpn", json::array({json::array()})}}),
                                    json(1e300)};
  for (const std::string& text : valid()) {
    const json flat = json::parse(text).flatten();
    for (const auto& [pointer, value] : flat.items()) {
      for (const json& other : others) {
        json line = json::parse(text);
        line[json::json_pointer(pointer)] = other;
        try {
          parse(line.dump(-1, ' ', false, json::error_handler_t::replace));
        } catch (const Refusal&) {
        }
      }
    }
  }
  SUCCEED();
}
