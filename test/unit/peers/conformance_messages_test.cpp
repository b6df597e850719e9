// SPDX-License-Identifier: BSD-3-Clause
#include "peers/conformance_messages.hpp"

#include "base/rng.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::peers;
using nlohmann::json;

namespace {

json target() {
  return json::parse(R"({"version": 1, "conformance": true, "ip": "10.77.0.2", "gid_index": 1,
    "mac": "52:54:00:77:00:02", "device": "rxe0", "driver": "rdma_rxe", "firmware": "0.0.0", "kernel": "6.1.0",
    "vendor_id": 16777215, "vendor_part_id": 4119, "active_mtu": 4096, "max_msg_sz": 8388608, "atomics": true,
    "guard": 4096, "limits": {"qps": 4096, "regions": 256, "memory": 67108864, "receives": 1024,
    "receive_size": 1048576, "completions": 16384, "max_dest_rd_atomic": 128, "pmtu": 2048, "read": 1048576,
    "line": 65536}})");
}

const char* const kCompletions =
    R"({"completions": [{"qpn": 18, "status": "success", "opcode": "recv", "byte_len": 60, "immediate": null},
        {"qpn": 19, "status": "success", "opcode": "recv_rdma_with_imm", "byte_len": 0, "immediate": 4294967295},
        {"qpn": 18, "status": "flushed", "opcode": null, "byte_len": null, "immediate": null}]})";

const std::vector<RegionRequest> kTwoRegions{{.size = 65536}, {.size = 10}};
const char* const kRegions =
    R"({"regions": [{"region": 4, "address": 18446744073709486080, "rkey": 4294967295,
                                              "size": 65536}, {"region": 5, "address": 1, "rkey": 2, "size": 10}]})";

struct Fault {
  int exit_code = 0;
  std::string what;
};

Fault fault_of(const std::function<void()>& decode) {
  try {
    decode();
    return {};
  } catch (const PeerError& error) {
    return {error.exit_code(), error.what()};
  }
}

}  // namespace

TEST_CASE("the first line of a conformance session", "[conformance]") {
  const std::string line = sink::encode_conformance_hello(*roce::IpAddress::parse("10.77.0.100"));
  CHECK(line.back() == '\n');
  CHECK(json::parse(line) == json::parse(R"({"version": 1, "conformance": true, "ip": "10.77.0.100"})"));
}

TEST_CASE("a device is described, every field", "[conformance]") {
  const TargetDevice d = sink::decode_target(target().dump());
  CHECK(d.name == "rxe0");
  CHECK(d.driver == "rdma_rxe");
  CHECK(d.firmware == "0.0.0");
  CHECK(d.kernel == "6.1.0");
  CHECK(d.vendor_id == 16777215);
  CHECK(d.vendor_part_id == 4119);
  CHECK(d.ip == roce::IpAddress::parse("10.77.0.2"));
  CHECK(d.mac == roce::parse_mac("52:54:00:77:00:02"));
  CHECK(d.active_mtu == 4096);
  CHECK(d.max_message == 8388608);
  CHECK(d.atomics);
  CHECK(d.guard == 4096);
  CHECK(d.limits.qps == 4096);
  CHECK(d.limits.regions == 256);
  CHECK(d.limits.memory == 67108864);
  CHECK(d.limits.receives == 1024);
  CHECK(d.limits.receive_size == 1048576);
  CHECK(d.limits.completions == 16384);
  CHECK(d.limits.max_dest_rd_atomic == 128);
  CHECK(d.limits.pmtu == 2048);
  CHECK(d.limits.read == 1048576);
  json without_mac = target();
  without_mac.erase("mac");
  CHECK_FALSE(sink::decode_target(without_mac.dump()).mac);
}

TEST_CASE("each member of a device's description is checked", "[conformance]") {
  const json whole = target();
  const json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (pointer == "/gid_index" || pointer == "/conformance" || pointer == "/limits/line") continue;
    json wrong = whole;
    wrong[json::json_pointer(pointer)] = json::array();
    const Fault fault = fault_of([&] { sink::decode_target(wrong.dump()); });
    const std::string key = pointer.substr(pointer.rfind('/') + 1);
    CHECK_THAT(fault.what, Catch::Contains("'" + key + "'"));
    CHECK(fault.exit_code == 1);
  }
  json wrong = whole;
  wrong["limits"]["read"] = 0;
  CHECK(fault_of([&] { sink::decode_target(wrong.dump()); }).exit_code == 1);
  wrong["version"] = 2;
  CHECK(fault_of([&] { sink::decode_target(wrong.dump()); }).exit_code == 2);
}

TEST_CASE("an rdma-sink without conformance sessions is recognized", "[conformance]") {
  // Releases of rdma-sink without conformance sessions answer with the first of these lines.
  for (const char* line :
       {R"({"error": "'transport' must be a string"})", R"({"version": 1, "ip": "10.77.0.2", "qps": []})"}) {
    const Fault fault = fault_of([&] { sink::decode_target(line); });
    CHECK(fault.exit_code == 2);
    CHECK_THAT(fault.what, Catch::Contains("no conformance sessions; fix: "));
  }
  const Fault busy = fault_of([] { sink::decode_target(R"({"error": "busy with another client"})"); });
  CHECK(busy.exit_code == 2);
  CHECK_THAT(busy.what, Catch::Contains("rdma-sink refuses: busy"));
}

TEST_CASE("regions are requested and returned", "[conformance]") {
  const std::vector<RegionRequest> requests{{.size = 1048576},
                                            {.size = 1, .access = RemoteAccess{false, true, false}},
                                            {.size = 2, .other_pd = true},
                                            {.size = 3, .access = RemoteAccess{}, .deregistered = true},
                                            {.size = 4, .access = RemoteAccess{false, false, false}}};
  CHECK(json::parse(sink::encode_regions(requests)) == json::parse(R"({"regions": [{"size": 1048576},
        {"size": 1, "access": ["read"]}, {"size": 2, "other_pd": true},
        {"size": 3, "access": ["write", "read", "atomic"], "deregistered": true}, {"size": 4, "access": []}]})"));
  CHECK(json::parse(sink::encode_free(3)) == json::parse(R"({"free": {"region": 3}})"));
  const auto regions = sink::decode_regions(kRegions, kTwoRegions);
  REQUIRE(regions.size() == 2);
  CHECK(regions[0].index == 4);
  CHECK(regions[0].address == 18446744073709486080U);
  CHECK(regions[0].rkey == 4294967295U);
  CHECK(regions[0].size == 65536);
  CHECK(regions[1].index == 5);
}

TEST_CASE("queue pairs are opened, moved and closed", "[conformance]") {
  OpenQp qp;
  qp.transport = roce::Transport::kUc;
  qp.pmtu = 2048;
  qp.psn = 256;
  qp.dest_qpn = 257;
  qp.ip = *roce::IpAddress::parse("10.77.0.100");
  CHECK(json::parse(sink::encode_open(qp)) ==
        json::parse(R"({"open": {"transport": "uc", "pmtu": 2048, "psn": 256,
        "dest_qpn": 257, "ip": "10.77.0.100", "receives": 0, "receive_size": 0, "max_dest_rd_atomic": 1,
        "state": "rts"}})"));
  qp.transport = roce::Transport::kRc;
  qp.access = RemoteAccess{true, false, false};
  qp.receives = 2;
  qp.receive_size = 64;
  qp.min_rnr_timer = 12;
  qp.max_dest_rd_atomic = 0;
  qp.state = QpState::kInit;
  CHECK(json::parse(sink::encode_open(qp)) ==
        json::parse(R"({"open": {"transport": "rc", "pmtu": 2048, "psn": 256,
        "dest_qpn": 257, "ip": "10.77.0.100", "access": ["write"], "receives": 2, "receive_size": 64,
        "min_rnr_timer": 12, "max_dest_rd_atomic": 0, "state": "init"}})"));
  const OpenedQp opened = sink::decode_open(R"({"qpn": 18, "ip": "fd00::2", "mac": "52:54:00:77:00:02"})");
  CHECK(opened.qpn == 18);
  CHECK(opened.ip == roce::IpAddress::parse("fd00::2"));
  CHECK(opened.mac == roce::parse_mac("52:54:00:77:00:02"));
  CHECK_FALSE(sink::decode_open(R"({"qpn": 18, "ip": "fd00::2"})").mac);
  for (const auto& [state, name] : {std::pair{QpState::kInit, "init"},
                                    {QpState::kRtr, "rtr"},
                                    {QpState::kRts, "rts"},
                                    {QpState::kErr, "err"}})
    CHECK(json::parse(sink::encode_modify(18, state)) == json{{"modify", {{"qpn", 18}, {"state", name}}}});
  CHECK(json::parse(sink::encode_state(18)) == json::parse(R"({"state": {"qpn": 18}})"));
  CHECK(sink::decode_state(R"({"state": "RTS"})") == "RTS");
  CHECK(json::parse(sink::encode_close(18)) == json::parse(R"({"close": {"qpn": 18}})"));
  CHECK(json::parse(sink::encode_receive(18, 7)) == json::parse(R"({"receive": {"qpn": 18, "count": 7}})"));
}

TEST_CASE("memory is filled, read and summed", "[conformance]") {
  const MemoryRange range{3, -4096, 64};
  CHECK(json::parse(sink::encode_fill(238)) == json::parse(R"({"fill": {"byte": 238}})"));
  CHECK(json::parse(sink::encode_fill(0, range)) ==
        json::parse(R"({"fill": {"byte": 0, "region": 3, "offset": -4096, "length": 64}})"));
  CHECK(json::parse(sink::encode_read(range)) ==
        json::parse(R"({"read": {"region": 3, "offset": -4096, "length": 64}})"));
  CHECK(json::parse(sink::encode_crc(range)) ==
        json::parse(R"({"crc": {"region": 3, "offset": -4096, "length": 64}})"));
  CHECK(sink::decode_data(R"({"data": "000fa5ff"})", 4) == std::vector<std::uint8_t>{0, 0x0f, 0xa5, 0xff});
  CHECK(sink::decode_data(R"({"data": ""})", 0).empty());
  CHECK(sink::decode_crc(R"({"crc": 4294967295})") == 4294967295U);
}

TEST_CASE("completions, events and counters are returned", "[conformance]") {
  CHECK(json::parse(sink::encode_completions()) == json{{"completions", true}});
  const auto completions = sink::decode_completions(kCompletions);
  REQUIRE(completions.size() == 3);
  CHECK(completions[0].qpn == 18);
  CHECK(completions[0].status == "success");
  CHECK(completions[0].opcode == "recv");
  CHECK(completions[0].byte_len == 60U);
  CHECK_FALSE(completions[0].immediate);
  CHECK(completions[1].immediate == 4294967295U);
  CHECK(completions[2].status == "flushed");
  CHECK_FALSE(completions[2].opcode);
  CHECK_FALSE(completions[2].byte_len);
  CHECK(json::parse(sink::encode_arm(EventTrigger::kSolicited)) == json{{"arm", "solicited"}});
  CHECK(json::parse(sink::encode_arm(EventTrigger::kAny)) == json{{"arm", "any"}});
  CHECK(json::parse(sink::encode_event()) == json{{"event", true}});
  CHECK(sink::decode_event(R"({"event": true})"));
  CHECK_FALSE(sink::decode_event(R"({"event": false})"));
  CHECK(json::parse(sink::encode_counters()) == json{{"counters", true}});
  CHECK(sink::decode_counters(R"({"hw_counters": {"rcvd_pkts": 7}, "counters": null})") ==
        json{{"hw_counters", {{"rcvd_pkts", 7}}}, {"counters", nullptr}});
  CHECK_NOTHROW(sink::decode_done(R"({"closed": 18})", "closed"));
}

TEST_CASE("malformed answers are protocol errors that name the member", "[conformance]") {
  const auto regions = [](const std::string& line) {
    return [line] { sink::decode_regions(line, kTwoRegions); };
  };
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::vector<std::pair<std::function<void()>, std::string>> wrong{
      {[] { sink::decode_target("SSH-2.0"); }, "not a JSON object"},
      {regions("{}"), "'regions'"},
      {regions(R"({"regions": [{}]})"), "has 1 regions, but 2 were requested"},
      {regions(R"({"regions": [1, 2]})"), "region that is not an object"},
      {regions(replaced(kRegions, "4294967295", "4294967296")), "'rkey'"},
      {regions(replaced(kRegions, "65536", "65535")), "65535 bytes, but 65536 were requested"},
      {regions(replaced(kRegions, "\"address\": 1,", "\"address\": -1,")), "'address'"},
      {[] { sink::decode_open(R"({"qpn": 16777216, "ip": "10.77.0.2"})"); }, "'qpn'"},
      {[] { sink::decode_open(R"({"qpn": 18})"); }, "'ip'"},
      {[] { sink::decode_open(R"({"qpn": 18, "ip": "10.77.0.2", "mac": 1})"); }, "'mac'"},
      {[] { sink::decode_state(R"({"state": 3})"); }, "'state'"},
      {[] { sink::decode_data(R"({"data": "00"})", 2); }, "2 digits of 'data' for 2 bytes"},
      {[] { sink::decode_data(R"({"data": "000"})", 1); }, "'data'"},
      {[] { sink::decode_data(R"({"data": "0G"})", 1); }, "hexadecimal"},
      {[] { sink::decode_data(R"({"data": "A0"})", 1); }, "hexadecimal"},
      {[] { sink::decode_crc(R"({"crc": 4294967296})"); }, "'crc'"},
      {[] { sink::decode_completions(R"({"completions": 3})"); }, "'completions'"},
      {[] { sink::decode_completions(R"({"completions": [3]})"); }, "completion"},
      {[] { sink::decode_completions(R"({"completions": [{"qpn": 1}]})"); }, "'status'"},
      {[&] { sink::decode_completions(replaced(kCompletions, "60", "\"60\"")); }, "'byte_len'"},
      {[&] { sink::decode_completions(replaced(kCompletions, "\"recv\"", "1")); }, "'opcode'"},
      {[&] { sink::decode_completions(replaced(kCompletions, "\"immediate\": null", "\"x\": 1")); },
       "'immediate'"},
      {[] { sink::decode_event(R"({"event": 1})"); }, "'event'"},
      {[] { sink::decode_counters(R"({"hw_counters": null})"); }, "'counters'"},
      {[] { sink::decode_counters(R"({"hw_counters": {"a": -1}, "counters": null})"); }, "'a'"},
      {[] { sink::decode_done(R"({"opened": 18})", "closed"); }, "'closed'"}};
  for (const auto& [decode, words] : wrong) {
    const Fault fault = fault_of(decode);
    CHECK_THAT(fault.what, Catch::Contains(words));
    CHECK(fault.exit_code == 1);
  }
}

TEST_CASE("a refusal of any request is a configuration error", "[conformance]") {
  const std::string line = R"({"error": "no room"})";
  const std::vector<std::function<void()>> decoders{
      [&] { sink::decode_target(line); },      [&] { sink::decode_regions(line, {}); },
      [&] { sink::decode_open(line); },        [&] { sink::decode_state(line); },
      [&] { sink::decode_data(line, 0); },     [&] { sink::decode_crc(line); },
      [&] { sink::decode_completions(line); }, [&] { sink::decode_event(line); },
      [&] { sink::decode_counters(line); },    [&] { sink::decode_done(line, "error"); }};
  for (const auto& decode : decoders) {
    const Fault fault = fault_of(decode);
    CHECK(fault.exit_code == 2);
    CHECK_THAT(fault.what, Catch::Contains("rdma-sink refuses: no room"));
  }
}

TEST_CASE("any answer is decoded or refused", "[conformance]") {
  const std::vector<std::pair<std::string, std::function<void(const std::string&)>>> answers{
      {target().dump(), [](const std::string& l) { sink::decode_target(l); }},
      {kRegions, [](const std::string& l) { sink::decode_regions(l, kTwoRegions); }},
      {kCompletions, [](const std::string& l) { sink::decode_completions(l); }},
      {R"({"data": "0011"})", [](const std::string& l) { sink::decode_data(l, 2); }},
      {R"({"hw_counters": {"a": 1}, "counters": null})",
       [](const std::string& l) { sink::decode_counters(l); }}};
  Rng rng(7);
  std::size_t taken = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto& [whole, decode] = answers[rng.next() % answers.size()];
    std::string line = whole;
    for (std::uint64_t n = rng.next() % 3 + 1; n > 0; --n)
      line[rng.next() % line.size()] = static_cast<char>(rng.next());
    try {
      decode(line);
      ++taken;
    } catch (const PeerError&) {
    }
  }
  CHECK(taken > 0);
}
