// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"
#include "peers/peer.hpp"
#include "queue_pair.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace softfeb::febctl {

/// Both sides of a connection, as far as the command line gives them. With `sink` the host's come from an
/// rdma-sink.
struct ConnectOptions {
  std::string sink;  ///< HOST[:PORT]
  // The host.
  std::string host_ip;
  std::uint16_t host_port = 4791;
  std::uint32_t qpn = 0;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::optional<std::uint32_t> psn;  ///< of the board's first packet. Default with a sink: chosen at random
  std::uint32_t rq_psn = 0;
  // What will be sent.
  std::uint32_t size = 4096;
  std::uint32_t slots = 0;  ///< 0: as many as the host's memory holds
  std::uint32_t pmtu = 4096;
  std::uint32_t retry = 3;
  std::uint32_t rnr_retry = 3;
  std::uint32_t min_rnr_timer = 1;
  std::uint32_t ack_timeout = 14;
  // The board.
  std::optional<std::uint32_t> pd;  ///< handler of one that is there
  std::string board_ip;             ///< its RoCE address, where UdpEngine does not tell
  double metadata_timeout = 5;
};

/// A connection that is up.
struct Connection {
  BoardResources board;
  QpParameters qp;
  roce::IpAddress host_ip;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::uint32_t slots = 0;
  std::unique_ptr<peers::PeerSession> sink;  ///< null without a sink
};

/// The whole way: PD, region, queue pair, the host's address, INIT, RTR, RTS, the dispatcher's registers.
/// Whatever fails, what had been made is freed again.
Connection make_connection(Context& context, const ConnectOptions& options);

/// Frees what the board gave, and forgets it in the dispatcher's registers. What was refused, in words.
std::vector<std::string> end_connection(Context& context, const BoardResources& board,
                                        double metadata_timeout);

std::string connection_text(const Connection& connection);
nlohmann::json connection_json(const Connection& connection);

}  // namespace softfeb::febctl
