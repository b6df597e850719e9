// SPDX-License-Identifier: BSD-3-Clause
#include "lab/conservation.hpp"

#include "endpoints/memory.hpp"
#include "lab/totals.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;
using namespace softfeb::endpoints;
using namespace softfeb::stats;

namespace {

/// A network with two boards and a receiver (endpoints 0, 1 and 3). Endpoint 2 is outside the network and
/// uses a port of its own.
struct Quiet {
  std::vector<engine::EndpointSnapshot> endpoints{4};
  fabric::NetworkSnapshot network;
  Stations stations{1, 1, 0, 1};

  Quiet() {
    endpoints[0].endpoint.tx_frames = 10;
    endpoints[1].endpoint.tx_frames = 20;
    endpoints[2].endpoint.tx_frames = 1000;
    endpoints[3].endpoint.tx_frames = 5;
    endpoints[0].endpoint.rx_frames = 5;
    endpoints[3].endpoint.rx_frames = 28;
    network.totals.entered = 35;
    network.totals.made = 4;
    network.totals.duplicated = 1;
    network.totals.delivered = 33;
    network.totals.consumed = 3;
    network.totals.dropped_buffer = 2;
    network.totals.dropped_fault = 1;
    network.totals.in_network = 1;
  }
  Sample sample() const { return {0, 0, &endpoints, &network}; }
};

struct Counter : roce::PayloadStream {
  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override {
    REQUIRE(length <= 256);
    return room.data() + offset % 256;
  }
  std::array<std::uint8_t, 512> room{};
  Counter() {
    for (std::size_t i = 0; i < room.size(); ++i) room[i] = static_cast<std::uint8_t>(i);
  }
};

}  // namespace

TEST_CASE("packets are accounted for, or a balance fails", "[lab]") {
  Quiet q;
  for (const Balance& b : packet_balances(q.sample(), q.stations)) {
    INFO(b.name);
    CHECK(b.holds());
  }
  q.network.totals.in_network = 0;
  q.endpoints[0].endpoint.tx_frames = 12;
  q.endpoints[3].endpoint.rx_frames = 27;
  const auto lost = packet_balances(q.sample(), q.stations);
  REQUIRE(lost.size() == 3);
  CHECK(lost[0].difference() == 1);
  CHECK(lost[1].difference() == 2);
  CHECK(lost[2].difference() == 1);
  q.network.totals.in_network = 1;
  for (const Balance& b : packet_balances(q.sample(), q.stations, {0, 0, 2, 1})) CHECK(b.holds());
  CHECK(packet_balances({0, 0, &q.endpoints, nullptr}, q.stations).empty());
}

TEST_CASE("bytes written equal the lengths of the messages", "[lab]") {
  std::vector<engine::EndpointSnapshot> e(2);
  e[0].send_qps.resize(1);
  e[1].receive_qps.resize(1);
  auto& send = e[0].send_qps[0];
  auto& receive = e[1].receive_qps[0].responder;
  send.completed_payload_bytes = 3000;
  send.requester.payload_bytes = 3000;
  receive.payload_bytes = 3000;
  receive.messages = 3;
  const Sample sample{0, 0, &e, nullptr};
  std::vector<PayloadAccount> accounts{{{0, 0, 1, 0, true, true}, true, 1000}};
  CHECK(payload_balance(sample, accounts).holds());
  receive.payload_bytes = 2999;
  CHECK(payload_balance(sample, accounts).difference() == 1);
  // Two messages have failed: the acknowledgement of one was lost, and half of the other was lost.
  send.requester.messages_failed = 2;
  send.requester.payload_bytes = 5000;
  receive.messages = 4;
  receive.payload_bytes = 4500;
  CHECK(payload_balance(sample, accounts).holds());
  receive.payload_bytes = 3900;
  CHECK(payload_balance(sample, accounts).difference() == 100);
  receive.payload_bytes = 5001;
  CHECK(payload_balance(sample, accounts).difference() == 1);
}

TEST_CASE("memory holds only the last messages of its slots", "[lab]") {
  const Counter stream;
  std::vector<std::uint8_t> memory(2048, 0);
  // Six messages of 500 bytes use four slots, so messages 4 and 5 overwrite messages 0 and 1.
  for (std::uint64_t n = 0; n < 6; ++n) {
    for (std::size_t i = 0; i < 500; ++i)
      memory[n % 4 * 500 + i] = static_cast<std::uint8_t>((n * 500 + i) % 256);
  }
  WrittenMemory w{memory, &stream, board::MessagePlan::endless(500), 256, 4, 6};
  CHECK(bytes_out_of_place(w) == 0);
  memory[700] ^= 1;
  memory[2000] = 7;
  memory[2047] = 7;
  CHECK(bytes_out_of_place(w) == 3);
  w.messages = 5;  // with 5 messages, slot 1 should contain message 1, not 5
  CHECK(bytes_out_of_place(w) > 400);
}

TEST_CASE("unused slots are empty", "[lab]") {
  const Counter stream;
  std::vector<std::uint8_t> memory(1000, 0);
  WrittenMemory w{memory, &stream, board::MessagePlan::endless(500), 256, 2, 0};
  CHECK(bytes_out_of_place(w) == 0);
  memory[0] = 1;
  CHECK(bytes_out_of_place(w) == 1);
  CHECK(bytes_not_zero({}) == 0);
}

TEST_CASE("totals are sums over endpoints and ports", "[lab]") {
  Quiet q;
  q.endpoints[0].send_qps.resize(2);
  q.endpoints[0].send_qps[0].requester.retransmitted_packets = 2;
  q.endpoints[0].send_qps[1].requester.retransmitted_packets = 3;
  q.endpoints[0].endpoint.rx_pause = 7;
  q.endpoints[3].endpoint.rx_pause = 1;
  q.endpoints[3].receive_qps.resize(1);
  q.endpoints[3].receive_qps[0].bytes_wrong = 4;
  q.network.ports.resize(2);
  q.network.ports[0].pause_tx = 5;
  q.network.ports[1].pause_tx = 6;
  const Totals t = totals_of(q.sample(), 2);
  CHECK(t.retransmitted == 5);
  CHECK(t.bytes_wrong == 4);
  CHECK(t.pause_tx == 11);
  CHECK(t.pause_rx == 8);
  CHECK(t.dropped == 2);
  CHECK(t.lost == 3);
}

TEST_CASE("behind a short message, its slot still holds longer, earlier ones", "[lab]") {
  const Counter stream;
  const Cdf cdf({{0, 0.0}, {500, 1.0}});
  const MessageLengths lengths{&cdf, 3};
  std::vector<std::uint8_t> memory(1000, 0);
  for (std::uint64_t n = 0; n < 9; ++n) {
    for (std::size_t i = 0; i < lengths.at(n); ++i)
      memory[n % 2 * 500 + i] = static_cast<std::uint8_t>((n * 500 + i) % 256);
  }
  WrittenMemory w{memory, &stream, board::MessagePlan::endless(500), 256, 2, 9, lengths};
  CHECK(bytes_out_of_place(w) == 0);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{250}, std::size_t{499}, std::size_t{500}, std::size_t{999}}) {
    memory[at] ^= 1;
    CHECK(bytes_out_of_place(w) == 1);
    memory[at] ^= 1;
  }
}
