// SPDX-License-Identifier: BSD-3-Clause
#include "fake_server.hpp"
#include "peers/peer.hpp"
#include "peers/perftest_messages.hpp"

#include <bit>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::peers;
using namespace std::chrono_literals;

namespace {

template <class Message>
std::string text_of(const Message& message) {
  return {message.begin(), message.end()};
}

/// The server side of perftest's protocol. Each function performs one step. Tests may change every field.
struct Server {
  std::string version = "6.06";
  std::string mtu = std::string("5\0", 2);
  std::string ip = "10.77.0.2";
  std::uint32_t cycle_buffer = 4096;
  unsigned qps = 2;
  bool done = true;    ///< whether to send "done" at the end, as perftest did until 6.16
  std::string seen{};  ///< all bytes that the client has sent
  std::vector<std::string> keys_seen{};

  std::string keys(unsigned qp) const {
    perftest::Keys keys;
    keys.qpn = 0x11 + qp;
    keys.psn = 0x1000 * qp;
    keys.rkey = 0xabcd0000 + qp;
    keys.address = 0x7f0000000000 + 0x100000 * qp;
    keys.gid = *roce::IpAddress::parse(ip);
    return text_of(perftest::encode_keys(keys));
  }
  void swap(FakeServer::Client& client, const std::string& ours) {
    seen += client.read(ours.size());
    client.write(ours);
  }
  void shake(FakeServer::Client& client, unsigned qp) {
    keys_seen.push_back(client.read(perftest::kKeysSize));
    client.write(keys(qp));
  }
  void parameters(FakeServer::Client& client) {
    swap(client, version + std::string(16 - version.size(), '\0'));
    swap(client, text_of(perftest::encode_int(cycle_buffer)));
    swap(client, text_of(perftest::encode_int(64)));
    swap(client, mtu);
  }
  void all_keys(FakeServer::Client& client) {
    for (unsigned qp = 0; qp < qps; ++qp) shake(client, qp);
  }
  void whole(FakeServer::Client& client) {
    parameters(client);
    all_keys(client);
    all_keys(client);
    shake(client, 0);  // both sides exchange keys again when all QPs are in RTR
    shake(client, 0);  // both sides exchange keys again at the end of the test
    for (int i = 0; i < 5; ++i) swap(client, "anything");
    shake(client, 0);
    if (done) client.write(text_of(perftest::kDone));
    seen += client.read(perftest::kDone.size());
  }
};

LocalEndpoint two_qps() {
  LocalEndpoint local;
  local.ip = *roce::IpAddress::parse("10.77.0.100");
  local.pmtu = 4096;
  local.message_size = 65536;
  local.messages = 5;
  local.qps = {{0x100, 0x20}, {0x101, 0xfffffe}};
  return local;
}

PeerUrl url_of(std::uint16_t port) { return {PeerKind::kPerftest, "127.0.0.1", port}; }

/// Connects a client to a server that runs the script, and calls begin(). Checks the exit code of the error
/// that this causes, and that its text contains `words`.
void expect_error(const FakeServer::Script& script, const LocalEndpoint& local, int exit_code,
                  const std::vector<std::string>& words) {
  FakeServer server(script);
  try {
    auto session = connect(url_of(server.port()), local, {5s, 5s, 5s});
    session->begin();
    FAIL("no error");
  } catch (const PeerError& error) {
    INFO(error.what());
    CHECK(error.exit_code() == exit_code);
    CHECK_THAT(error.what(), Catch::StartsWith("perftest://127.0.0.1:"));
    for (const std::string& word : words) CHECK_THAT(error.what(), Catch::Contains(word));
  }
}

}  // namespace

TEST_CASE("a perftest server is served from connect to end", "[perftest]") {
  Server script;
  script.done = GENERATE(true, false);
  FakeServer server([&](FakeServer::Client& client) { script.whole(client); });
  const auto session = connect(url_of(server.port()), two_qps());
  const RemoteEndpoint& remote = session->remote();
  CHECK(remote.ip == roce::IpAddress::parse("10.77.0.2"));
  CHECK(remote.software == "perftest 6.06");
  REQUIRE(remote.qps.size() == 2);
  CHECK(remote.qps[1].qpn == 0x12);
  CHECK(remote.qps[1].psn == 0x1000);
  CHECK(remote.qps[1].rkey == 0xabcd0001);
  CHECK(remote.qps[1].address == 0x7f0000100000);
  CHECK(remote.qps[1].length == 65536);

  session->begin();
  PeerResults results;
  results.complete = true;
  results.messages = 10;
  results.payload_bytes = 10 << 20;
  results.seconds = 2;
  const nlohmann::json report = session->end(results);
  CHECK(report["version"] == "6.06");
  CHECK(report["reported"]["mib_per_s"] == 5.0);
  server.join();

  CHECK(script.seen.starts_with("6.06"));
  // softfeb's client announces a cycle buffer of 64 KiB and a cache line of 64 bytes.
  CHECK(script.seen.substr(16, 8) == std::string("\0\1\0\0\0\0\0\x40", 8));
  CHECK(script.seen.substr(24, 2) == std::string("5\0", 2));
  CHECK(script.seen.substr(26, 16) == std::string("\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\x0a", 16));
  CHECK(script.seen.substr(50, 8) == text_of(perftest::encode_report(5.0)));
  CHECK(script.seen.substr(58, 8) == text_of(perftest::encode_report(5e-6)));
  CHECK(script.seen.ends_with(std::string("done\0", 5)));
  REQUIRE(script.keys_seen.size() == 7);
  perftest::KeysMessage last;
  std::copy(script.keys_seen[3].begin(), script.keys_seen[3].end(), last.begin());
  CHECK(perftest::decode_keys(last)->qpn == 0x101);
  CHECK(perftest::decode_keys(last)->psn == 0xfffffe);
  CHECK(perftest::decode_keys(last)->gid == two_qps().ip);
}

TEST_CASE("the memory of a QP is the larger side's buffer", "[perftest]") {
  Server script;
  script.cycle_buffer = 1 << 20;
  script.qps = 1;
  FakeServer server([&](FakeServer::Client& client) {
    script.parameters(client);
    script.all_keys(client);
  });
  LocalEndpoint local = two_qps();
  local.qps.pop_back();
  local.message_size = 5000;
  CHECK(connect(url_of(server.port()), local)->remote().qps[0].length == 1 << 20);
  server.join();
  CHECK(script.seen.substr(16, 4) == std::string("\0\0\x20\0", 4));  // 5000, rounded up to a power of two
}

TEST_CASE("no server", "[perftest]") {
  try {
    connect(url_of(unused_port()), two_qps());
    FAIL("no error");
  } catch (const PeerError& error) {
    CHECK(error.exit_code() == 3);
    CHECK(error.nobody_there());
    CHECK_THAT(error.what(), Catch::Contains("connection refused") && Catch::Contains("start 'ib_write_bw"));
  }
}

TEST_CASE("an unknown host", "[perftest]") {
  try {
    connect({PeerKind::kPerftest, "no-such-host.invalid", 1}, two_qps());
    FAIL("no error");
  } catch (const PeerError& error) {
    CHECK(error.exit_code() == 3);
    CHECK_THAT(error.what(), Catch::Contains("no-such-host.invalid"));
  }
}

TEST_CASE("an unsupported server version", "[perftest]") {
  const std::string version = GENERATE("5.60", "5.91", "6.30", "7.00");
  Server script;
  script.version = version;
  expect_error([&](auto& client) { script.parameters(client); }, two_qps(), 2,
               {"perftest " + version, "6.06", "5.92 to 6.29", "install"});
}

TEST_CASE("a server that is not perftest", "[perftest]") {
  expect_error(
      [](auto& client) {
        client.read(16);
        client.write("HTTP/1.1 400 Bad Request\r\n");
      },
      two_qps(), 1, {"'HTTP/1.1 400 Bad'", "check that this is an ib_write_bw server"});
}

TEST_CASE("a server that disconnects", "[perftest]") {
  Server script;
  expect_error([](auto& client) { client.read(16); }, two_qps(), 3,
               {"closed the connection", "version", "forwarded", "--dont_xchg_versions"});
  expect_error([](auto& client) { client.write("6.0"); }, two_qps(), 3, {"closed the connection", "version"});
  expect_error(
      [&](auto& client) {
        script.parameters(client);
        client.read(perftest::kKeysSize);
        client.write(script.keys(0).substr(0, 80));
      },
      two_qps(), 1, {"closed the connection", "queue pairs"});
  expect_error(
      [&](auto& client) {
        script.parameters(client);
        script.all_keys(client);
        client.read(perftest::kKeysSize);
      },
      two_qps(), 1, {"closed the connection", "RTR", "ARP"});
}

TEST_CASE("a server that stops responding", "[perftest]") {
  Server script;
  const unsigned steps = GENERATE(0U, 1U, 2U);
  FakeServer server([&](FakeServer::Client& client) {
    if (steps > 0) script.parameters(client);
    if (steps > 1) script.all_keys(client);
    while (!client.read(4096).empty()) {
    }
  });
  try {
    connect(url_of(server.port()), two_qps(), {5s, 200ms, 200ms})->begin();
    FAIL("no error");
  } catch (const PeerError& error) {
    CHECK(error.exit_code() == 3);
    CHECK_THAT(error.what(), Catch::Contains("no response in time"));
  }
}

TEST_CASE("invalid keys", "[perftest]") {
  Server script;
  expect_error(
      [&](auto& client) {
        script.parameters(client);
        client.read(perftest::kKeysSize);
        client.write(std::string(perftest::kKeysSize, '\x01'));
      },
      two_qps(), 1, {"\\x01\\x01", "instead of perftest's QPN"});
}

TEST_CASE("a server on InfiniBand", "[perftest]") {
  Server script;
  expect_error(
      [&](auto& client) {
        script.parameters(client);
        client.read(perftest::kShortKeysSize);
        client.write(std::string("0003:0001:000011:13d241:00000204:0000555b80d62000:00000000\0", 59));
      },
      two_qps(), 2, {"has no GID", "-d"});
}

TEST_CASE("server settings that do not match ours", "[perftest]") {
  Server script;
  const auto parameters = [&](auto& client) { script.parameters(client); };
  const auto keys = [&](auto& client) {
    script.parameters(client);
    for (unsigned i = 0; i < 4; ++i) script.shake(client, i % script.qps);
  };
  SECTION("its MTU is smaller") {
    script.mtu = std::string("3\0", 2);
    expect_error(parameters, two_qps(), 2, {"1024", "4096", "-m 4096"});
  }
  SECTION("its MTU is invalid") {
    script.mtu = "9x";
    expect_error(parameters, two_qps(), 1, {"'9x'", "MTU"});
  }
  SECTION("its GID is of the other kind") {
    script.ip = "fe80::5054:ff:fe77:2";
    expect_error(keys, two_qps(), 2, {"fe80::5054:ff:fe77:2", "10.77.0.100", "-x"});
  }
  SECTION("its GID is our address") {
    script.ip = "10.77.0.100";
    expect_error(keys, two_qps(), 2, {"10.77.0.100", "board's own address", "`ip`"});
  }
  SECTION("it has fewer queue pairs") {
    script.qps = 1;
    expect_error(keys, two_qps(), 2, {"1 queue pairs", "-q 2"});
  }
  SECTION("it has more queue pairs") {
    script.qps = 3;
    expect_error(keys, two_qps(), 2, {"more queue pairs", "-q 2"});
  }
}

TEST_CASE("messages that perftest cannot receive are refused before connecting", "[perftest]") {
  LocalEndpoint local = two_qps();
  const auto refused = [&](const char* word) {
    try {
      connect(url_of(unused_port()), local);
      FAIL("no error");
    } catch (const PeerError& error) {
      CHECK(error.exit_code() == 2);
      CHECK_THAT(error.what(), Catch::Contains(word));
    }
  };
  SECTION("immediates") {
    local.immediate = true;
    refused("posts no receives");
  }
  SECTION("more than a GiB") {
    local.message_size = (1U << 30) + 1;
    refused("message_size");
  }
  SECTION("no queue pairs") {
    local.qps.clear();
    refused("queue pair");
  }
  SECTION("an invalid path MTU") {
    local.pmtu = 1500;
    refused("path MTU");
  }
}
