// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "documents.hpp"

#include <filesystem>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

TEST_CASE("every example loads and reads back as itself") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SOFTFEB_CONF_DIR)) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path());
    const RunConfig config = load_run(entry.path().string());
    CHECK(to_json(load_run_text(to_yaml(config), "again")) == to_json(config));
    ++files;
  }
  CHECK(files >= 9);
}

TEST_CASE("values are converted from their units") {
  const RunConfig config = load(kBase);
  REQUIRE(config.boards.size() == 1);
  REQUIRE(config.boards[0].qps.size() == 1);
  const QpConfig& qp = config.boards[0].qps[0];
  CHECK(config.run.duration == 10 * kSecond);
  CHECK(qp.traffic.rate == Rate{Rate::Unit::kPayloadBytes, 125'000'000});
  CHECK(qp.traffic.message_size == 65'536);
  CHECK(qp.traffic.slots == 16);
  CHECK(qp.pmtu == 4096);
  CHECK(config.ports[0].mtu == 4200U);
  CHECK(std::get<ReceiverTarget>(qp.to).receivers == std::vector<std::size_t>{0});
  CHECK(config.boards[0].endpoint.worker == 0);
  CHECK(config.receivers[0].endpoint.worker == 1);
  CHECK(config.receivers[0].endpoint.port == 1);
}

TEST_CASE("defaults that depend on other keys") {
  RunConfig config = load(replaced(kBase, "        pmtu: 4096\n", "        window: 100\n"));
  CHECK(config.boards[0].qps[0].pmtu == 4096);
  CHECK(config.boards[0].qps[0].send_queue == 100);
  CHECK(config.boards[0].qps[0].qpn == 0x100);
  config = load(replaced(kBase, "        pmtu: 4096\n", ""), {"ports.0.mtu=2200"});
  CHECK(config.boards[0].qps[0].pmtu == 2048);
  config = load(kBase, {"run.messages=7"});
  CHECK(config.boards[0].qps[0].traffic.messages == 7U);
  config = load(kBase, {"run.messages=700"});
  CHECK(config.boards[0].qps[0].traffic.messages == 100U);
  config = load(replaced(kBase, "    memory: 1MiB\n", ""), {"boards.0.qps.0.traffic.slots=3"});
  CHECK(config.receivers[0].memory == 3 * 65'536);
}

TEST_CASE("an MTU that just fits the path MTU is accepted") {
  CHECK(problems(kBase, {"ports.0.mtu=4160"}).empty());
  CHECK(problems(kBase, {"ports.0.mtu=4159"}).size() == 1);
  const std::vector<std::string> v6 = {"boards.0.ip=fd00::1/64", "receivers.0.ip=fd00::2/64"};
  CHECK(problems(kBase, {v6[0], v6[1], "ports.0.mtu=4180"}).empty());
  CHECK(problems(kBase, {v6[0], v6[1], "ports.0.mtu=4179"}).size() == 1);
}

TEST_CASE("replicated boards have consecutive addresses") {
  const RunConfig config =
      load(kBase, {"boards.0.count=3", "boards.0.mac=02:00:00:00:00:ff", "boards.0.udp_source_port=50000",
                   "boards.0.worker=[1, 0]", "receivers.0.ip=10.0.0.100/24"});
  REQUIRE(config.boards.size() == 3);
  CHECK(config.boards[2].endpoint.name == "feb0-2");
  CHECK(to_string(config.boards[2].endpoint.ip) == "10.0.0.3");
  CHECK(to_string(config.boards[2].endpoint.mac) == "02:00:00:00:01:01");
  CHECK(config.boards[2].udp_source_port.first == 50'002);
  CHECK(config.boards[1].endpoint.worker == 0);
  CHECK(config.boards[2].endpoint.worker == 1);
  CHECK(config.boards[2].qps[0].qpn == config.boards[0].qps[0].qpn);
}

TEST_CASE("replicated receivers are assigned round-robin") {
  const auto targets = [](const RunConfig& config, std::size_t board) {
    return std::get<ReceiverTarget>(config.boards[board].qps[0].to).receivers;
  };
  RunConfig config = load(kBase, {"receivers.0.count=4", "receivers.0.ip=10.0.0.100/24",
                                  "receivers.0.out=dir/a.bin", "boards.0.count=3", "boards.0.qps.0.count=2"});
  REQUIRE(config.receivers.size() == 4);
  CHECK(config.receivers[3].endpoint.name == "daq-3");
  CHECK(config.receivers[3].out == "dir/a-3.bin");
  // The QPs are numbered across the boards of the group: the QPs of board r have the numbers 2r and 2r + 1.
  // QP n sends to receiver n mod 4.
  CHECK(targets(config, 0) == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(targets(config, 1) == std::vector<std::size_t>{2, 3, 0, 1});
  CHECK(targets(config, 2) == std::vector<std::size_t>{0, 1, 2, 3});
  config = load(kBase,
                {"receivers.0.count=4", "receivers.0.ip=10.0.0.100/24", "boards.0.qps.0.to=[daq-2, daq-1]"});
  CHECK(targets(config, 0) == std::vector<std::size_t>{2, 1});
}

TEST_CASE("QPs of external receivers count up over the replicas") {
  const RunConfig config =
      load(kBase, {"boards.0.qps.0.to={ip: 10.0.0.9, qpn: 17, rkey: 5, address: 0x1000, length: 1MiB}",
                   "boards.0.count=2", "boards.0.qps.0.count=3", "receivers.0.ip=10.0.0.100/24"});
  const auto& to = std::get<AddressTarget>(config.boards[1].qps[0].to);
  CHECK(to.qpn == 20);
  CHECK(to.address == 0x1000 + (3ULL << 20));
}

TEST_CASE("automatic QPNs avoid configured ones") {
  std::set<std::uint32_t> seen;
  const RunConfig config =
      load(replaced(kBase, "        traffic:\n",
                    "        count: 5\n      - to: daq\n        qpn: 0x104\n        count: 3\n"
                    "      - to: daq\n        traffic:\n"));
  for (const QpConfig& qp : config.boards[0].qps) {
    for (std::uint32_t i = 0; i < qp.count; ++i) CHECK(seen.insert(qp.qpn + i).second);
  }
  CHECK(seen.size() == 9);
}

TEST_CASE("receivers by URL") {
  RunConfig config = load(kBase, {"boards.0.qps.0.to=perftest://host"});
  CHECK(std::get<PerftestTarget>(config.boards[0].qps[0].to).host == "host");
  CHECK(std::get<PerftestTarget>(config.boards[0].qps[0].to).port == 18515);
  config = load(kBase, {"boards.0.qps.0.to='sink://[fd00::1]:99'"});
  CHECK(std::get<SinkTarget>(config.boards[0].qps[0].to).host == "fd00::1");
  CHECK(std::get<SinkTarget>(config.boards[0].qps[0].to).port == 99);
  CHECK(config.boards[0].qps[0].to_text == "sink://[fd00::1]:99");
  CHECK(config.boards[0].qps[0].traffic.slots == 0);
}

TEST_CASE("an ib_write_bw server has one client") {
  CHECK(problems(kBase, {"boards.0.qps.0.to=perftest://host", "boards.0.qps.0.count=3"}).empty());
  const auto two =
      problems(kBase, {"boards.0.qps.0.to=perftest://host", "boards.0.count=2", "boards.0.ip=10.0.0.10/24"});
  REQUIRE(two.size() == 1);
  CHECK(two[0].where.key == "boards.0.qps.0.to");
  CHECK(two[0].message.find("board \"feb0-0\" already uses") != std::string::npos);
  const std::string entry = "      - to: perftest://host:18516\n        traffic: {message_size: 4KiB}\n";
  CHECK(problems(replaced(kBase, "      - to: daq\n", entry + "      - to: perftest://host\n")).empty());
}

TEST_CASE("later errors find the place of a key") {
  const RunConfig config = load(kBase, {"ports.1.mtu=4300"});
  CHECK(config.place(config.ports[0].where, "mtu").line == 8);
  CHECK(config.place(config.ports[1].where, "mtu").file == "--set");
  const Where none = config.place(config.ports[0].where, "tx_descriptors");
  CHECK(none.line == 6);
  CHECK(none.key == "ports.0.tx_descriptors");
}

TEST_CASE("YAML aliases") {
  const std::string text = replaced(replaced(kBase, "        traffic:\n", "        traffic: &t\n"),
                                    "receivers:\n", "      - to: daq\n        traffic: *t\nreceivers:\n");
  const RunConfig config = load(text);
  REQUIRE(config.boards[0].qps.size() == 2);
  CHECK(config.boards[0].qps[1].traffic.rate == config.boards[0].qps[0].traffic.rate);
}

TEST_CASE("byte order mark, CRLF, quotes in comments and letters beyond ASCII") {
  const std::string text =
      "\xef\xbb\xbf# \xc2\xb5 \"\r\nrun: # \"x\r\n  duration: \"10s\" # it's \xc2\xb5\r\nports:\r\n"
      "  - {name: \"a\", device: 'net_null'}\r\nreceivers:\r\n  - {name: \"\xc2\xb5:\\\"b\", port: a, ip: "
      "'10.0.0.1/24'}\r\n";
  const RunConfig config = load(text);
  CHECK(config.run.duration == 10 * kSecond);
  CHECK(config.receivers[0].endpoint.name == "\xc2\xb5:\"b");
  CHECK(problems(std::string("run:\0", 5)).at(0).message == "is not UTF-8 text");
}
