// SPDX-License-Identifier: BSD-3-Clause
// Tests register accesses over RSSI on a network that loses, repeats and delays datagrams, in virtual time.
#include "../../support/frame_pattern.hpp"
#include "../../support/memory_bus.hpp"
#include "rssi_relay.hpp"
#include "srp/rssi_client.hpp"
#include "srp/rssi_server.hpp"
#include "srp/srp_client.hpp"
#include "srp/srp_server.hpp"
#include "srp/stream.hpp"

#include <unordered_map>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using namespace softfeb::test;

namespace {

/// 5 % of the datagrams are lost, 10 % are duplicated, and delays are 0.2 to 2.2 ms.
constexpr RelayConfig kBadNetwork{.loss = 0.05, .duplicate = 0.1, .jitter = 2 * kMillisecond};

/// A slow bus. It responds after a delay, which is measured on the network's clock.
struct SlowBus : Bus {
  explicit SlowBus(MemoryBus& behind) : memory(behind) {}
  void read(std::uint32_t address, MutableByteSpan out, Time now, Done done) override {
    memory.read(address, out, now, later(now, std::move(done)));
  }
  void write(std::uint32_t address, ByteSpan data, Time now, Done done) override {
    memory.write(address, data, now, later(now, std::move(done)));
  }
  Done later(Time now, Done done) {
    return [this, now, held = std::move(done)](const BusResult& result, Time) {
      pending = [held, result](Time t) { held(result, t); };
      due = now + 20 * kMicrosecond;
    };
  }
  void run(Time now) {
    if (!pending || now < due) return;
    const auto finish = std::move(pending);
    pending = nullptr;
    finish(std::max(now, due));
  }

  MemoryBus& memory;
  std::function<void(Time)> pending;
  Time due = kNever;
};

struct Network {
  explicit Network(Bus& bus, const RelayConfig& each_way = kBadNetwork, std::uint64_t seed = 1)
      : relay(seed),
        server_port(relay, kServer, each_way),
        client_port(relay, kClient, each_way),
        srp_server(bus),
        server({}, server_port, srp_server),
        client({}, kServer, client_port, srp) {
    srp_server.attach(server);
    srp.attach(client);
    relay.attach(kServer, server);
    relay.attach(kClient, client);
    client.connect(relay.now);
  }

  RelayNetwork relay;
  RelayNetwork::Port server_port;
  RelayNetwork::Port client_port;
  SrpServer srp_server;
  SrpClient srp;
  RssiServer server;
  RssiClient client;
};

/// Writes a few words at a time and reads them back. Compares the read data with a model of the memory.
struct Worker {
  Worker(Network& network, std::uint64_t accesses, std::size_t pipelined)
      : net(network), total(accesses), limit(pipelined), model(4096, 0) {}

  void begin_more(Time now) {
    while (begun < total && begun - ended < limit && net.client.open()) begin_one(now);
  }
  void begin_one(Time now) {
    ++begun;
    const auto words = static_cast<std::uint32_t>(random.chance(1U << 26) ? 512 : 1 + random.below(4));
    const auto first = static_cast<std::uint32_t>(random.below(model.size() - words + 1));
    if (random.chance(1U << 31)) return read(first, words, now);
    Bytes data(words * 4);
    for (std::uint32_t i = 0; i < words; ++i) {
      model[first + i] = static_cast<std::uint32_t>(random.next());
      store_le32(&data[4 * i], model[first + i]);
    }
    if (random.chance(1U << 29)) {
      if (!net.srp.post(first * 4, data, now)) ++wrong;
      ++ended;
      return;
    }
    const bool taken = net.srp.write(first * 4, data, now, [this, data](const SrpReply& r, Time) {
      if (r.outcome != SrpOutcome::kOk || !std::equal(r.data.begin(), r.data.end(), data.begin(), data.end()))
        ++wrong;
      ++ended;
    });
    if (!taken) ++wrong;
  }
  /// Requests are processed in order, so a read returns the data of all writes sent before it.
  void read(std::uint32_t first, std::uint32_t words, Time now) {
    const std::vector<std::uint32_t> expected(model.begin() + first, model.begin() + first + words);
    const bool taken = net.srp.read(first * 4, words * 4, now, [this, expected](const SrpReply& r, Time) {
      bool right = r.outcome == SrpOutcome::kOk && r.data.size() == expected.size() * 4;
      for (std::size_t i = 0; right && i < expected.size(); ++i)
        right = load_le32(&r.data[4 * i]) == expected[i];
      if (!right) ++wrong;
      ++ended;
    });
    if (!taken) ++wrong;
  }

  Network& net;
  std::uint64_t total;
  std::size_t limit;
  std::vector<std::uint32_t> model;
  Rng random{7};
  std::uint64_t begun = 0, ended = 0, wrong = 0;
};

void run_accesses(Network& net, std::uint64_t accesses, std::size_t pipelined, SlowBus* slow = nullptr) {
  Worker worker(net, accesses, pipelined);
  const auto done = [&] {
    if (slow != nullptr) slow->run(net.relay.now);
    worker.begin_more(net.relay.now);
    return worker.ended == worker.total;
  };
  REQUIRE(net.relay.run_until(done, 3600 * kSecond));
  CHECK(worker.wrong == 0);
  CHECK(net.server.status().reconnects == 1);
  CHECK(net.srp.counters().timeouts == 0);
  CHECK(net.srp.counters().foreign == 0);
}

}  // namespace

TEST_CASE("100,000 register accesses over a bad network, none wrong, none lost", "[srp][network]") {
  MemoryBus bus;
  Network net(bus);
  run_accesses(net, 100'000, 200);
  CHECK(net.server.status().retransmitted > 1000);
  CHECK(net.client.status().retransmitted > 1000);
}

TEST_CASE("one register access at a time over a bad network", "[srp][network]") {
  MemoryBus bus;
  Network net(bus, kBadNetwork, 2);
  run_accesses(net, 5'000, 1);
}

TEST_CASE("register accesses that take time, over a bad network", "[srp][network]") {
  MemoryBus memory(64 * 1024);
  SlowBus bus(memory);
  Network net(bus, kBadNetwork, 3);
  run_accesses(net, 5'000, 300, &bus);
}

TEST_CASE("260 pipelined reads pass through a window of 16", "[srp][network]") {
  MemoryBus bus;
  Network net(bus, {});
  REQUIRE(net.relay.run_until([&] { return net.client.open() && net.server.open(); }, kSecond));
  const Time begin = net.relay.now;
  unsigned ended = 0;
  for (std::uint32_t i = 0; i < 260; ++i)
    REQUIRE(net.srp.read(i * 64, 64, net.relay.now, [&](const SrpReply& r, Time) {
      CHECK(r.outcome == SrpOutcome::kOk);
      ++ended;
    }));
  REQUIRE(net.relay.run_until([&] { return ended == 260; }, kSecond));
  // The responses fill 17 windows, each of which takes a round trip of 0.4 ms. No retransmission timeout adds
  // to this.
  CHECK(net.relay.now - begin < 20 * kMillisecond);
  CHECK(net.client.status().retransmitted + net.server.status().retransmitted == 0);
}

TEST_CASE("a stream over a bad network is complete", "[stream][network]") {
  PatternSource source(50'000);
  source.frames_left = 200;
  PatternCheck check;
  RelayNetwork relay(5);
  RelayNetwork::Port server_port(relay, kServer, kBadNetwork);
  RelayNetwork::Port client_port(relay, kClient, kBadNetwork);
  StreamServer stream(source, {});
  StreamClient receiver([&](ByteSpan frame, const FrameTags&, Time) { check.take(frame); });
  RssiServer server({.local = {.max_outstanding = 32, .max_segment = 8192}}, server_port, stream);
  RssiClient client({.proposal = {.max_outstanding = 32, .max_segment = 8964}}, kServer, client_port,
                    receiver);
  stream.attach(server);
  receiver.attach(client);
  relay.attach(kServer, server);
  relay.attach(kClient, client);
  client.connect(relay.now);
  REQUIRE(relay.run_until([&] { return check.frames == 200; }, 600 * kSecond));
  CHECK(check.wrong == 0);
  CHECK(receiver.dropped() == 0);
  CHECK(server.status().reconnects == 1);
}
