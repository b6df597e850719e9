// SPDX-License-Identifier: BSD-3-Clause
#include "peers/conformance_client.hpp"

#include "fake_server.hpp"

#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::peers;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

const roce::IpAddress kIp = *roce::IpAddress::parse("10.77.0.100");
const PeerTimeouts kPatience{5s, 5s, 5s};

PeerUrl url_of(const FakeServer& server) { return {PeerKind::kSink, "127.0.0.1", server.port()}; }

/// Returns the line in which a server describes its device. `read` is the largest number of bytes in an
/// answer to the request `read`.
std::string device_line(std::uint32_t read = 16, const char* ip = "10.77.0.2") {
  json line =
      json::parse(R"({"version": 1, "conformance": true, "device": "rxe0", "driver": "", "firmware": "",
    "kernel": "6.1.0", "vendor_id": 0, "vendor_part_id": 0, "active_mtu": 4096, "max_msg_sz": 8388608,
    "atomics": true, "guard": 4096, "limits": {"qps": 1, "regions": 1, "memory": 1, "receives": 1,
    "receive_size": 1, "completions": 1, "max_dest_rd_atomic": 1, "pmtu": 4096}})");
  line["limits"]["read"] = read;
  line["ip"] = ip;
  return line.dump() + '\n';
}

/// Returns a script that answers the first line with device_line(), and then each request with the next of
/// `answers`. The script stores the requests in `requests`.
FakeServer::Script script(std::vector<std::string> answers, std::vector<json>& requests) {
  return [answers = std::move(answers), &requests](FakeServer::Client& client) {
    client.read_line();
    client.write(device_line());
    for (const std::string& answer : answers) {
      requests.push_back(json::parse(client.read_line(), nullptr, false));
      client.write(answer + '\n');
    }
  };
}

void expect_error(int exit_code, const std::vector<std::string>& words, const std::function<void()>& call) {
  try {
    call();
    FAIL("no error");
  } catch (const PeerError& error) {
    INFO(error.what());
    CHECK(error.exit_code() == exit_code);
    for (const std::string& word : words) CHECK_THAT(error.what(), Catch::Contains(word));
  }
}

}  // namespace

TEST_CASE("a conformance session from its first line to its last", "[conformance]") {
  std::vector<json> requests;
  FakeServer server(
      script({R"({"regions": [{"region": 0, "address": 4096, "rkey": 5, "size": 65536}]})",
              R"({"qpn": 18, "ip": "10.77.0.2"})", R"({"filled": 1})", R"({"filled": 2})", R"({"crc": 77})",
              R"({"posted": 3})", R"({"armed": "any"})", R"({"event": true})", R"({"completions": []})",
              R"({"state": "RTR"})", R"({"state": "ERR"})", R"({"hw_counters": null, "counters": null})",
              R"({"closed": 18})", R"({"freed": 0})"},
             requests));
  {
    ConformanceSession session(url_of(server), kIp, kPatience);
    CHECK(session.device().name == "rxe0");
    CHECK(session.device().limits.read == 16);
    const auto regions = session.regions({{}});
    REQUIRE(regions.size() == 1);
    CHECK(session.open({}).qpn == 18);
    session.fill(1);
    session.fill(regions[0], 2);
    CHECK(session.crc({0, 0, 65536}) == 77);
    session.receive(18, 3);
    session.arm(EventTrigger::kAny);
    CHECK(session.event());
    CHECK(session.completions().empty());
    CHECK(session.state(18) == "RTR");
    CHECK(session.modify(18, QpState::kErr) == "ERR");
    CHECK(session.counters()["hw_counters"].is_null());
    session.close(18);
    session.free(regions[0]);
  }
  server.join();
  std::vector<std::string> kinds;
  for (const json& request : requests) kinds.push_back(request.begin().key());
  CHECK(kinds == std::vector<std::string>{"regions", "open", "fill", "fill", "crc", "receive", "arm", "event",
                                          "completions", "state", "modify", "counters", "close", "free"});
  CHECK(requests[3] == json::parse(R"({"fill": {"byte": 2, "region": 0, "offset": 0, "length": 65536}})"));
}

TEST_CASE("long ranges are read in parts", "[conformance]") {
  std::vector<json> requests;
  FakeServer server(
      script({R"({"data": ")" + std::string(32, '1') + R"("})", R"({"data": "2222"})"}, requests));
  ConformanceSession session(url_of(server), kIp, kPatience);
  std::vector<std::uint8_t> expected(16, 0x11);
  expected.insert(expected.end(), 2, 0x22);
  CHECK(session.read({1, -8, 18}) == expected);
  server.join();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0] == json::parse(R"({"read": {"region": 1, "offset": -8, "length": 16}})"));
  CHECK(requests[1] == json::parse(R"({"read": {"region": 1, "offset": 8, "length": 2}})"));
}

TEST_CASE("a conformance session continues after a refusal", "[conformance]") {
  std::vector<json> requests;
  FakeServer server(script({R"({"error": "there is no queue pair 7"})", R"({"state": "RTS"})"}, requests));
  ConformanceSession session(url_of(server), kIp, kPatience);
  expect_error(2, {"sink://127.0.0.1:", "rdma-sink refuses: there is no queue pair 7"},
               [&] { session.state(7); });
  CHECK(session.state(18) == "RTS");
}

TEST_CASE("a conformance session that ends early names the peer", "[conformance]") {
  std::vector<json> requests;
  FakeServer server(script({R"({"state": 1})"}, requests));
  ConformanceSession session(url_of(server), kIp, kPatience);
  expect_error(1, {"sink://127.0.0.1:", "'state'"}, [&] { session.state(7); });
  expect_error(1, {"sink://127.0.0.1:", "closed the connection", "see rdma-sink's output"},
               [&] { session.crc({}); });
}

TEST_CASE("receivers without conformance sessions are distinguished from others", "[conformance]") {
  const auto answer = [](const std::string& line, int exit_code, const std::vector<std::string>& words) {
    FakeServer server([&](FakeServer::Client& client) {
      client.read_line();
      client.write(line);
    });
    expect_error(exit_code, words, [&] { ConformanceSession(url_of(server), kIp, kPatience); });
  };
  answer("{\"error\": \"'transport' must be a string\"}\n", 2, {"no conformance sessions", "this release"});
  answer("{\"error\": \"busy with another client\"}\n", 2, {"rdma-sink refuses: busy"});
  answer("{}\n", 1, {"'version'"});
  answer(device_line(16, "fd00::2"), 2, {"fd00::2", "10.77.0.100", "GID index"});
  answer("", 3, {"closed the connection"});
  expect_error(2, {"perftest://there:1", "use rdma-sink"}, [] {
    ConformanceSession({PeerKind::kPerftest, "there", 1}, kIp, kPatience);
  });
  expect_error(3, {"start rdma-sink there"}, [] {
    ConformanceSession({PeerKind::kSink, "127.0.0.1", unused_port()}, kIp, kPatience);
  });
}
