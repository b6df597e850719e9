// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../dataplane/support.hpp"
#include "board/payload.hpp"
#include "dataplane/port.hpp"
#include "engine/board.hpp"
#include "slowcontrol/in_band.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_ethdev.h>

/// A port queue with a board at one end of a ring pair, the slow control's client at the other.
namespace softfeb::slowcontrol::test {

using namespace softfeb::dataplane;
using softfeb::dataplane::test::bytes_of;
using softfeb::dataplane::test::random_bytes;

using Bytes = std::vector<std::uint8_t>;

inline engine::Identity identity(std::uint8_t last) {
  engine::Identity id;
  id.mac = {2, 0, 0, 0, 0, last};
  id.ip = roce::IpAddress::parse("10.0.0.0")->plus(last);
  id.vlan = roce::VlanTag{9, 3};
  return id;
}

/// Number of UC queue pairs without pacing; with any, every iteration has RoCE packets.
inline engine::BoardConfig board_config(std::uint32_t qps, const board::PayloadSource& payload) {
  engine::BoardConfig c;
  c.identity = identity(1);
  for (std::uint32_t i = 0; i < qps; ++i) {
    engine::SendQpConfig qp;
    qp.requester.transport = roce::Transport::kUc;
    qp.requester.qpn = qp.requester.dest_qpn = 0x100 + i;
    qp.requester.pmtu = 256;
    qp.path.source_mac = c.identity.mac;
    qp.path.source_ip = c.identity.ip;
    qp.path.dest_ip = identity(2).ip;
    qp.peer_mac = identity(2).mac;
    qp.payload = &payload;
    qp.traffic.plan = payload.plan();
    c.qps.push_back(qp);
  }
  return c;
}

struct Bench {
  static constexpr std::uint32_t kMtu = 4180;

  Mempools pools;
  Arena arena{1U << 16};
  DeviceFactory factory;
  std::unique_ptr<Device> devices[2];
  std::unique_ptr<Port> ports[2];
  std::unique_ptr<board::PayloadSource> payload =
      board::make_payload({.kind = board::PayloadKind::kZero, .message_length = 256, .pmtu = 256});
  std::unique_ptr<engine::Board> board;
  PortMap map{1};
  ControlExchange exchange;
  std::unique_ptr<TxBuilder> builder;
  std::unique_ptr<InBandPort> in_band;
  std::unique_ptr<PortQueue> port_queue;
  rte_mempool* client_pool;
  std::vector<Bytes> arrived;
  Time now = kMicrosecond;

  explicit Bench(std::uint32_t qps = 0) {
    PortConfig config;
    config.rx_descriptors = config.tx_descriptors = 256;
    config.rx_held = 1024;
    config.mtu = kMtu;
    for (int i = 0; i < 2; ++i) {
      devices[i] = factory.attach(parse_device("net_ring:inband"), {1, 4300, 256});
      ports[i] = std::make_unique<Port>(*devices[i], config, pools);
    }
    payload->fill(arena.allocate(payload->arena_bytes()));
    board = std::make_unique<engine::Board>(board_config(qps, *payload));
    map.add(*board, 0);
    TxBuilderConfig b;
    b.frame_bytes = 4300;
    b.descriptors = b.held = 256;
    builder = std::make_unique<TxBuilder>(b, &arena, pools);
    in_band = std::make_unique<InBandPort>(InBandConfig{kMtu, 256, 1, -1}, exchange, pools);
    PortQueue::Deps parts;
    parts.map = &map;
    parts.builder = builder.get();
    parts.control = &exchange.received();
    parts.control_frames = &exchange.to_send();
    PortQueueConfig port_queue_config;
    port_queue_config.port = ports[0]->id();
    port_queue_config.rx_queues = {0};
    port_queue_config.burst = 16;
    port_queue = std::make_unique<PortQueue>(port_queue_config, parts);
    client_pool = pools.create("client", 1024, 4300);
  }

  InBandLink& serve(std::uint16_t port = 8192) {
    return in_band->serve(0, board->identity(), port,
                          [](const roce::IpAddress& ip) { return ip.v4() >> 24 == 10; });
  }

  /// The client sends a datagram, which the port queue receives. `parts`: number of mbufs of the frame.
  void send(const engine::Identity& from, ByteSpan datagram, std::uint16_t port = 8192,
            std::size_t parts = 1) {
    Bytes frame(engine::control_frame_overhead(from) + datagram.size());
    engine::write_control_frame(from, {board->identity().mac, board->identity().ip, port, 40'000}, datagram,
                                1, frame.data());
    rte_mbuf* first = nullptr;
    for (std::size_t p = 0; p < parts; ++p) {
      rte_mbuf* const m = rte_pktmbuf_alloc(client_pool);
      REQUIRE(m != nullptr);
      const std::size_t begin = frame.size() * p / parts;
      const std::size_t end = frame.size() * (p + 1) / parts;
      std::copy(frame.data() + begin, frame.data() + end, rte_pktmbuf_mtod(m, std::uint8_t*));
      m->data_len = static_cast<std::uint16_t>(end - begin);
      m->pkt_len = m->data_len;
      if (first == nullptr) {
        first = m;
      } else {
        REQUIRE(rte_pktmbuf_chain(first, m) == 0);
      }
    }
    REQUIRE(rte_eth_tx_burst(ports[1]->id(), 0, &first, 1) == 1);
    port_queue->run(now);
  }

  /// Appends what the client has received since the last call to `arrived`; returns the number.
  std::size_t receive() {
    std::size_t total = 0;
    for (rte_mbuf* m = nullptr; rte_eth_rx_burst(ports[1]->id(), 0, &m, 1) == 1; ++total) {
      arrived.push_back(bytes_of(m));
      rte_pktmbuf_free(m);
    }
    return total;
  }
};

}  // namespace softfeb::slowcontrol::test
