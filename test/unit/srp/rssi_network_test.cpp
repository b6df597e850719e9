// SPDX-License-Identifier: BSD-3-Clause
// Tests client and server over a network that loses, repeats, delays, reorders and forges datagrams.
#include "rssi_relay.hpp"
#include "srp/packetizer.hpp"

#include <memory>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using namespace softfeb::test;

namespace {

/// Responds to every request as a register server does: immediately if its link has room, and otherwise as
/// soon as there is room.
struct Answerer : Recorder {
  bool on_segment(ByteSpan payload, Time now) override {
    if (link->room() == 0) return false;
    ++answered;
    return link->send(payload, now);
  }
  void on_room(Time now) override { link->resume(now); }

  RssiLink* link = nullptr;
  std::uint64_t answered = 0;
};

/// Sends as many numbered requests as its link accepts. Checks that each response arrives once and in order.
struct Asker : Recorder {
  void on_open(Time now) override {
    ++opened;
    next = expected;  // send requests again if the previous connection has lost their responses
    ask(now);
  }
  bool on_segment(ByteSpan payload, Time now) override {
    if (payload.size() < 8 || load_be64(payload.data()) != expected)
      ++wrong;
    else
      ++expected;
    ask(now);
    return true;
  }
  void on_room(Time now) override { ask(now); }
  void ask(Time now) {
    Bytes question(size);
    while (next < total && link->room() > 0) {
      store_be64(question.data(), next);
      if (!link->send(question, now)) return;
      ++next;
    }
  }
  bool done() const { return expected == total; }

  RssiLink* link = nullptr;
  std::uint64_t total = 1000, next = 0, expected = 0, wrong = 0;
  std::size_t size = 40;
};

struct Link {
  explicit Link(const RelayConfig& up, const RelayConfig& down, std::uint64_t seed = 1,
                const RssiServerConfig& config = {})
      : network(seed),
        server_port(network, kServer, down),
        client_port(network, kClient, up),
        server(std::make_unique<RssiServer>(config, server_port, answerer)),
        client(std::make_unique<RssiClient>(RssiClientConfig{}, kServer, client_port, asker)) {
    answerer.link = server.get();
    asker.link = client.get();
    network.attach(kServer, *server);
    network.attach(kClient, *client);
    client->connect(network.now);
  }
  bool finish(Time limit) {
    return network.run_until([&] { return asker.done(); }, limit);
  }
  void restart_server() {
    network.detach(kServer);
    server = std::make_unique<RssiServer>(RssiServerConfig{}, server_port, answerer);
    answerer.link = server.get();
    network.attach(kServer, *server);
  }
  void restart_client() {
    network.detach(kClient);
    client = std::make_unique<RssiClient>(RssiClientConfig{}, kServer, client_port, asker);
    asker.link = client.get();
    asker.next = asker.expected;
    network.attach(kClient, *client);
    client->connect(network.now);
  }

  RelayNetwork network;
  RelayNetwork::Port server_port, client_port;
  Answerer answerer;
  Asker asker;
  std::unique_ptr<RssiServer> server;
  std::unique_ptr<RssiClient> client;
};

constexpr RelayConfig kGood{};
constexpr RelayConfig kBad{.loss = 0.05, .duplicate = 0.10, .jitter = 3 * kMillisecond};
constexpr RelayConfig kWorse{.loss = 0.05, .duplicate = 0.10, .jitter = 3 * kMillisecond, .reorder = true};

}  // namespace

TEST_CASE("a good network needs no retransmission", "[rssi][network]") {
  Link link(kGood, kGood);
  link.asker.total = 20'000;
  REQUIRE(link.finish(10 * kSecond));
  CHECK(link.asker.wrong == 0);
  CHECK(link.client->status().retransmitted == 0);
  CHECK(link.server->status().retransmitted == 0);
}

TEST_CASE("5 % loss, 10 % duplication and jitter: nothing lost, repeated or out of order, no reset",
          "[rssi][network]") {
  const std::uint64_t seed = GENERATE(1, 2, 3);
  const RelayConfig config = GENERATE(kBad, kWorse);
  Link link(config, config, seed);
  link.asker.total = seed == 1 ? 100'000 : 20'000;
  REQUIRE(link.finish(2000 * kSecond));
  CHECK(link.asker.wrong == 0);
  CHECK(link.answerer.answered == link.asker.total);
  CHECK(link.asker.opened == 1);
  CHECK(link.answerer.opened == 1);
  CHECK(link.client->status().retransmitted > 500);
}

TEST_CASE("a damaged header counts as loss", "[rssi][network]") {
  RelayConfig config = kBad;
  config.corrupt = 0.05;
  Link link(config, config, 5);
  link.asker.total = 20'000;
  REQUIRE(link.finish(1000 * kSecond));
  CHECK(link.asker.wrong == 0);
  CHECK(link.asker.opened == 1);
  CHECK(link.client->status().dropped > 100);
}

TEST_CASE("the server restarts", "[rssi][network]") {
  const RelayConfig config = GENERATE(kGood, kBad);
  Link link(config, config);
  link.asker.total = 1'000'000;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t before = link.asker.expected;
    REQUIRE(link.network.run_until([&] { return link.asker.expected > before + 500; }, 20 * kSecond));
    link.restart_server();
  }
  CHECK(link.asker.wrong == 0);
  CHECK(link.asker.opened == 10);
}

TEST_CASE("the client restarts, on the same port", "[rssi][network]") {
  const RelayConfig config = GENERATE(kGood, kBad);
  Link link(config, config);
  link.asker.total = 1'000'000;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t before = link.asker.expected;
    REQUIRE(link.network.run_until([&] { return link.asker.expected > before + 500; }, 20 * kSecond));
    link.restart_client();
    REQUIRE(link.network.run_until([&] { return link.client->open(); }, kSecond));
  }
  CHECK(link.asker.wrong == 0);
}

TEST_CASE("a client that disappears leaves the server free", "[rssi][network]") {
  Link link(kGood, kGood);
  link.network.run(100 * kMillisecond);
  REQUIRE(link.server->open());
  link.network.detach(kClient);
  link.network.run(2 * kSecond);
  CHECK(!link.server->open());
  CHECK(link.answerer.why.has_value());
  CHECK(link.server->deadline() == kNever);
}

TEST_CASE("an idle connection stays", "[rssi][network]") {
  const RelayConfig config = GENERATE(kGood, kWorse);
  Link link(config, config);
  link.asker.total = 0;
  link.network.run(600 * kSecond);
  CHECK(link.client->open());
  CHECK(link.asker.opened == 1);
  CHECK(link.answerer.opened == 1);
}

TEST_CASE("clients one after the other", "[rssi][network]") {
  Link link(kGood, kGood);
  link.asker.total = 100;
  for (int i = 0; i < 20; ++i) {
    link.asker.expected = link.asker.next = 0;
    REQUIRE(link.finish(kSecond));
    link.client->close(link.network.now);
    link.network.run(10 * kMillisecond);
    CHECK(link.server->status().state == RssiState::kListen);
    link.client->connect(link.network.now);
  }
  CHECK(link.asker.opened >= 20);
  CHECK(link.asker.wrong == 0);
}

TEST_CASE("two competing clients alternate", "[rssi][network]") {
  constexpr RelayConfig kFar{.delay = 5 * kMillisecond};
  Link link(kFar, kFar);
  const UdpPeer address = udp_peer("192.168.2.100", 40'001);
  Asker asker;
  RelayNetwork::Port port(link.network, address, kFar);
  RssiClient second({}, kServer, port, asker);
  asker.link = &second;
  link.asker.total = asker.total = 1'000'000'000;
  link.network.attach(address, second);
  second.connect(link.network.now);
  link.network.run(20 * kSecond);
  CHECK(link.asker.wrong + asker.wrong == 0);
  CHECK(link.asker.expected > 5'000);
  CHECK(asker.expected > 5'000);
  CHECK(link.answerer.opened >= 5);
  CHECK(link.answerer.opened <= 21);
  link.network.detach(address);
}

TEST_CASE("a transfer to a slow reader: BUSY, no retransmissions and no loss", "[rssi][network]") {
  struct Slow : Recorder {
    bool on_segment(ByteSpan payload, Time) override {
      if (budget == 0) return false;
      --budget;
      wrong += load_be64(payload.data()) != taken;
      ++taken;
      return true;
    }
    std::uint64_t budget = 0, taken = 0, wrong = 0;
  } slow;
  const RelayConfig config = GENERATE(kGood, kBad, kWorse);
  RelayNetwork network(9);
  RelayNetwork::Port server_port(network, kServer, config), client_port(network, kClient, config);
  Asker sender;
  RssiServer server({}, server_port, slow);
  RssiClient client({}, kServer, client_port, sender);
  sender.link = &client;
  sender.total = 3'000;
  sender.size = 1000;
  network.attach(kServer, server);
  network.attach(kClient, client);
  client.connect(network.now);
  for (int i = 0; i < 20'000 && slow.taken < sender.total; ++i) {
    network.run(10 * kMillisecond);
    slow.budget = 2;
    server.resume(network.now);
  }
  CHECK(slow.taken == sender.total);
  CHECK(slow.wrong == 0);
  CHECK(sender.opened == 1);
}

TEST_CASE("frames of many segments through packetizers and a bad network", "[rssi][network]") {
  struct Reader : Recorder {
    bool on_segment(ByteSpan payload, Time) override {
      if (depacketizer.push(payload) != Depacketizer::Result::kFrame) return true;
      const ByteSpan f = depacketizer.frame();
      frames.emplace_back(f.begin(), f.end());
      return true;
    }
    Depacketizer depacketizer{1 << 20};
    std::vector<Bytes> frames;
  } reader;
  RelayNetwork network(11);
  RelayNetwork::Port server_port(network, kServer, kWorse), client_port(network, kClient, kWorse);
  Recorder nobody;
  RssiServer server({}, server_port, nobody);
  RssiClient client({}, kServer, client_port, reader);
  network.attach(kServer, server);
  network.attach(kClient, client);
  client.connect(network.now);
  REQUIRE(network.run_until([&] { return server.open(); }, kSecond));

  Rng rng(13);
  std::vector<Bytes> sent;
  Packetizer packetizer;
  for (const std::size_t size : {1U, 999U, 1000U, 1001U, 131'072U, 77'777U}) {
    Bytes frame(size);
    for (auto& byte : frame) byte = static_cast<std::uint8_t>(rng.next());
    for (std::size_t at = 0; at < size;) {
      REQUIRE(network.run_until([&] { return server.room() > 0; }, 10 * kSecond));
      Bytes packet(server.max_payload());
      const std::size_t n = std::min(size - at, Packetizer::payload_room(packet.size()));
      packet.resize(packetizer.write(packet, ByteSpan(frame).subspan(at, n), at + n == size));
      REQUIRE(server.send(packet, network.now));
      at += n;
    }
    sent.push_back(std::move(frame));
  }
  REQUIRE(network.run_until([&] { return reader.frames.size() == sent.size(); }, 10 * kSecond));
  CHECK(reader.frames == sent);
  CHECK(reader.depacketizer.dropped() == 0);
}

TEST_CASE("garbage from strangers and mutated datagrams do not affect a connection", "[rssi][network]") {
  Link link(kGood, kGood);
  link.asker.total = 50'000;
  Rng rng(17);
  const UdpPeer stranger = udp_peer("10.9.9.9", 1234);
  link.network.run(20 * kMillisecond);
  while (!link.asker.done()) {
    REQUIRE(link.network.step(link.network.now + kSecond));
    Bytes bytes(rng.below(80));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
    if (rng.below(2) == 0) {
      bytes = segment(static_cast<std::uint8_t>(rng.next() & ~0x80U), static_cast<std::uint8_t>(rng.next()),
                      static_cast<std::uint8_t>(rng.next()));
    }
    link.server->on_datagram(stranger, bytes, link.network.now);
    link.client->on_datagram(stranger, bytes, link.network.now);
    // Forge damaged datagrams from the peers' addresses.
    Bytes damaged = segment(rssi::kAck, 1, 2, bytes);
    damaged[rng.below(8)] ^= static_cast<std::uint8_t>(1 + rng.below(255));
    link.server->on_datagram(kClient, damaged, link.network.now);
    link.client->on_datagram(kServer, damaged, link.network.now);
  }
  CHECK(link.asker.wrong == 0);
  CHECK(link.asker.opened == 1);
}
