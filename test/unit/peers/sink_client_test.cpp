// SPDX-License-Identifier: BSD-3-Clause
#include "fake_server.hpp"
#include "peers/peer.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::peers;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

LocalEndpoint sink_qps() {
  LocalEndpoint local;
  local.ip = *roce::IpAddress::parse("10.77.0.100");
  local.transport = roce::Transport::kUc;
  local.pmtu = 2048;
  local.message_size = 16384;
  local.messages = 100;
  local.slots = 8;
  local.immediate = {{"kind", "channel"}, {"first", 1}};
  local.payload = {{"kind", "counter"}};
  local.qps = {{0x100, 0x20}, {0x101, 0xfffffe}};
  return local;
}

json welcome() {
  return {{"version", 1},
          {"ip", "10.77.0.2"},
          {"qps",
           {{{"qpn", 17}, {"psn", 1}, {"rkey", 0xffffffff}, {"address", 0x7f0000000000}, {"length", 1 << 20}},
            {{"qpn", 18}, {"psn", 2}, {"rkey", 5}, {"address", 0xffffffffffff0000}, {"length", 1 << 20}}}}};
}

PeerUrl sink_url(std::uint16_t port) { return {PeerKind::kSink, "127.0.0.1", port}; }

void expect_error(const std::string& answer, int exit_code, const std::vector<std::string>& words) {
  FakeServer server([&](FakeServer::Client& client) {
    client.read_line();
    client.write(answer);
  });
  try {
    connect(sink_url(server.port()), sink_qps(), {5s, 5s, 5s});
    FAIL("no error");
  } catch (const PeerError& error) {
    INFO(error.what());
    CHECK(error.exit_code() == exit_code);
    CHECK_THAT(error.what(), Catch::StartsWith("sink://127.0.0.1:"));
    for (const std::string& word : words) CHECK_THAT(error.what(), Catch::Contains(word));
  }
}

}  // namespace

TEST_CASE("an rdma-sink is served from connect to end", "[sink]") {
  std::string hello;
  std::string end;
  FakeServer server([&](FakeServer::Client& client) {
    hello = client.read_line();
    json answer = welcome();
    answer["mac"] = "52:54:00:77:00:02";
    answer["slots"] = 64;
    client.write(answer.dump() + "\n");
    end = client.read_line();
    client.write("{\"messages\": 200, \"bytes_wrong\": 0}\n");
  });
  const auto session = connect(sink_url(server.port()), sink_qps());
  const RemoteEndpoint& remote = session->remote();
  CHECK(remote.ip == roce::IpAddress::parse("10.77.0.2"));
  CHECK(remote.mac == roce::parse_mac("52:54:00:77:00:02"));
  CHECK(remote.slots == 64);
  CHECK_FALSE(remote.events);
  REQUIRE(remote.qps.size() == 2);
  CHECK(remote.qps[0].rkey == 0xffffffff);
  CHECK(remote.qps[1].qpn == 18);
  CHECK(remote.qps[1].psn == 2);
  CHECK(remote.qps[1].address == 0xffffffffffff0000);
  CHECK(remote.qps[1].length == 1 << 20);
  session->begin();
  PeerResults results;
  results.complete = true;
  results.messages = 200;
  results.messages_of_qp = {99, 101};
  results.payload_bytes = 200 * 16384;
  results.seconds = 0.5;
  CHECK(session->end(results)["messages"] == 200);
  server.join();

  const json said = json::parse(hello);
  CHECK(said["version"] == 1);
  CHECK(said["ip"] == "10.77.0.100");
  CHECK(said["transport"] == "uc");
  CHECK(said["pmtu"] == 2048);
  CHECK(said["message_size"] == 16384);
  CHECK(said["messages"] == 100);
  CHECK(said["slots"] == 8);
  CHECK_FALSE(said.contains("events"));
  CHECK(said["immediate"] == json{{"kind", "channel"}, {"first", 1}});
  CHECK(said["payload"] == json{{"kind", "counter"}});
  CHECK(said["qps"] == json::parse(R"([{"qpn": 256, "psn": 32}, {"qpn": 257, "psn": 16777214}])"));
  CHECK(json::parse(end)["end"]["messages"] == 200);
  CHECK(json::parse(end)["end"]["complete"] == true);
  CHECK_FALSE(json::parse(end)["end"].contains("events"));
  CHECK(json::parse(end)["end"]["qps"] == json::parse(R"([{"messages": 99}, {"messages": 101}])"));
}

TEST_CASE("the events of boards are described to rdma-sink, and its layout is returned", "[sink]") {
  const detector::BuilderLayout layout{{.boards = 2, .builders = 3, .slots = 16, .slot = 4096, .piece = 1000},
                                       1};
  const json described =
      json::parse(R"({"boards": 2, "slots": 16, "slot": 4096, "piece": 1000, "builders": 3, "builder": 1})");
  std::string hello;
  std::string end;
  FakeServer server([&](FakeServer::Client& client) {
    hello = client.read_line();
    json answer = welcome();
    answer["events"] = described;
    client.write(answer.dump() + "\n");
    end = client.read_line();
    client.write("{}\n");
  });
  LocalEndpoint local = sink_qps();
  local.qps[0].ip = local.ip;
  local.qps[1].ip = roce::IpAddress::parse("10.77.0.101");
  local.events = layout;
  const auto session = connect(sink_url(server.port()), local);
  REQUIRE(session->remote().events);
  CHECK(compare_layouts(layout, *session->remote().events).empty());
  PeerResults results;
  results.events = 1234;
  session->end(results);
  server.join();
  CHECK(json::parse(hello)["events"] == described);
  CHECK(json::parse(hello)["qps"] ==
        json::parse(R"([{"qpn": 256, "psn": 32}, {"qpn": 257, "psn": 16777214, "ip": "10.77.0.101"}])"));
  CHECK(json::parse(end)["end"]["events"] == 1234);
}

TEST_CASE("rdma-sink's refusal is passed on", "[sink]") {
  expect_error("{\"error\": \"not enough memory for 2 queue pairs\"}\n", 2,
               {"rdma-sink refuses", "not enough memory for 2"});
}

TEST_CASE("invalid responses", "[sink]") {
  expect_error("\n", 1, {"not a JSON object"});
  expect_error("SSH-2.0-OpenSSH_9.2\r\n", 1,
               {"not a JSON object", "SSH-2.0", "check that it is an rdma-sink"});
  expect_error("[1]\n", 1, {"not a JSON object"});
  expect_error("{}\n", 1, {"'version'"});
  expect_error("{\"version\": 1", 3, {"closed the connection"});
  expect_error("", 3, {"closed the connection"});
}

TEST_CASE("responses with a wrong field", "[sink]") {
  const auto with = [](const char* pointer, const json& value) {
    json answer = welcome();
    answer[json::json_pointer(pointer)] = value;
    return answer.dump() + "\n";
  };
  expect_error(with("/version", 2), 2, {"version 2", "version 1", "same release"});
  expect_error(with("/ip", "here"), 1, {"'ip'", "here"});
  expect_error(with("/ip", 7), 1, {"'ip'"});
  expect_error(with("/ip", "fd00::2"), 2, {"fd00::2", "10.77.0.100"});
  expect_error(with("/mac", "52:54"), 1, {"'mac'", "52:54"});
  expect_error(with("/slots", -1), 1, {"'slots'"});
  expect_error(with("/events", 3), 1, {"'events'"});
  expect_error(with("/events", {{"boards", 2}}), 1, {"'slots'"});
  json layout{{"boards", 2}, {"slots", 1}, {"slot", 1}, {"piece", 1}, {"builders", 1}, {"builder", 0}};
  for (const char* key : {"boards", "slots", "slot", "piece", "builders", "builder"}) {
    json wrong = layout;
    wrong[key] = -1;
    expect_error(with("/events", wrong), 1, {key});
    wrong[key] = "2";
    expect_error(with("/events", wrong), 1, {key});
  }
  layout["boards"] = std::uint64_t{1} << 32;
  expect_error(with("/events", layout), 1, {"'boards'"});
  expect_error(with("/qps", 3), 1, {"'qps'"});
  expect_error(with("/qps/2", json::object()), 1, {"3 queue pairs", "2 were requested"});
  expect_error(with("/qps/1", 3), 1, {"queue pair"});
  expect_error(with("/qps/1/qpn", 0x1000000), 1, {"'qpn'"});
  expect_error(with("/qps/1/psn", -1), 1, {"'psn'"});
  expect_error(with("/qps/1/rkey", "5"), 1, {"'rkey'"});
  expect_error(with("/qps/1/address", nullptr), 1, {"'address'"});
  expect_error(with("/qps/1/length", 1.5), 1, {"'length'"});
}

TEST_CASE("an rdma-sink that stops responding or does not exist", "[sink]") {
  FakeServer server([](FakeServer::Client& client) {
    while (!client.read_line().empty()) {
    }
  });
  const auto code = [](std::uint16_t port) {
    try {
      connect(sink_url(port), sink_qps(), {5s, 200ms, 200ms});
      return 0;
    } catch (const PeerError& error) {
      return error.exit_code();
    }
  };
  CHECK(code(server.port()) == 3);
  CHECK(code(unused_port()) == 3);
}

TEST_CASE("the report of an rdma-sink may be an error", "[sink]") {
  FakeServer server([&](FakeServer::Client& client) {
    client.read_line();
    client.write(welcome().dump() + "\n");
    client.read_line();
    client.write("{\"error\": \"the file is full\"}\n");
  });
  const auto session = connect(sink_url(server.port()), sink_qps());
  CHECK_THROWS_WITH(session->end({}), Catch::Contains("the file is full"));
}
