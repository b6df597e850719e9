// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board_builder.hpp"
#include "dpdk_rig.hpp"
#include "filled_payload.hpp"
#include "mbufs.hpp"
#include "slowcontrol/in_band.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_mbuf.h>

namespace softfeb::test {

/// Returns the identity of station `n`, in a VLAN.
inline engine::Identity tagged_identity(std::uint32_t n) {
  engine::Identity id = identity(n);
  id.vlan = roce::VlanTag{9, 3};
  return id;
}

/// A board with its port queue at one end of a ring, and its slow-control client at the other end. The
/// board's UC QPs, if any, are not paced, so every iteration sends RoCE packets.
struct InBandFixture {
  static constexpr std::uint32_t kMtu = 4180;

  DpdkRig rig;
  std::unique_ptr<RigPort> ports[2];  ///< the board's port and the client's port
  std::unique_ptr<board::PayloadSource> payload =
      board::make_payload({.kind = board::PayloadKind::kZero, .message_length = 256, .pmtu = 256});
  std::unique_ptr<engine::Board> board;
  dataplane::ControlExchange exchange;
  std::unique_ptr<slowcontrol::InBandPort> in_band;
  std::unique_ptr<dataplane::PortQueue> port_queue;
  rte_mempool* client_pool;
  std::vector<Bytes> arrived;
  Time now = kMicrosecond;

  explicit InBandFixture(std::uint32_t qps = 0) {
    RigPortConfig config{.device = "net_ring:inband"};
    config.port.rx_held = 1024;
    config.port.mtu = kMtu;
    for (auto& port : ports) port = std::make_unique<RigPort>(rig, config);
    payload->fill(rig.arena.allocate(payload->arena_bytes()));
    BoardBuilder builder(tagged_identity(1));
    for (std::uint32_t i = 0; i < qps; ++i) {
      engine::SendQpConfig& qp = builder.qp(tagged_identity(2), *payload, 256);
      qp.requester.transport = roce::Transport::kUc;
    }
    board = builder.build();
    ports[0]->add(*board);
    in_band = std::make_unique<slowcontrol::InBandPort>(slowcontrol::InBandConfig{kMtu, 256, 1, -1}, exchange,
                                                        rig.pools);
    RigPort::Queue queue{.burst = 16};
    queue.parts.control = &exchange.received();
    queue.parts.control_frames = &exchange.to_send();
    port_queue = ports[0]->make_queue(queue);
    client_pool = rig.pools.create("client", 1024, 4300);
  }

  slowcontrol::InBandLink& serve(std::uint16_t port = 8192) {
    return in_band->serve(0, board->identity(), port,
                          [](const roce::IpAddress& ip) { return ip.v4() >> 24 == 10; });
  }

  /// Sends a datagram from the client in a frame of `parts` mbufs. Then runs the port queue, so that the
  /// board receives the datagram.
  void send(const engine::Identity& from, ByteSpan datagram, std::uint16_t port = 8192,
            std::size_t parts = 1) {
    Bytes frame(engine::control_frame_overhead(from) + datagram.size());
    engine::write_control_frame(from, {board->identity().mac, board->identity().ip, port, 40'000}, datagram,
                                1, frame.data());
    rte_mbuf* const m = packet(client_pool, frame, parts);
    REQUIRE(m != nullptr);
    REQUIRE(rte_pktmbuf_pkt_len(m) == frame.size());
    REQUIRE(test::send(ports[1]->id(), m));
    port_queue->run(now);
  }

  /// Appends to `arrived` the datagrams that the client has received since the last call. Returns their
  /// number.
  std::size_t receive() {
    std::vector<Bytes> frames = receive_all(ports[1]->id());
    std::move(frames.begin(), frames.end(), std::back_inserter(arrived));
    return frames.size();
  }
};

}  // namespace softfeb::test
