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

/// Parameters of both ends of a connection. If `sink` is set, an rdma-sink provides the host's parameters.
struct ConnectOptions {
  std::string sink;  ///< HOST[:PORT] of an rdma-sink; empty if there is none
  // Parameters of the host.
  std::string host_ip;
  std::uint16_t host_port = 4791;
  std::uint32_t qpn = 0;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  /// PSN of the board's first packet. If empty, the PSN is random with a sink, and 0 without a sink.
  std::optional<std::uint32_t> psn;
  std::uint32_t rq_psn = 0;
  // Parameters of the messages.
  std::uint32_t size = 4096;
  std::uint32_t slots = 0;  ///< number of slots; if 0, as many as fit into the host's memory
  std::uint32_t pmtu = 4096;
  std::uint32_t retry = 3;
  std::uint32_t rnr_retry = 3;
  std::uint32_t min_rnr_timer = 1;
  std::uint32_t ack_timeout = 14;
  // Parameters of the board.
  std::optional<std::uint32_t> pd;  ///< handler of an existing protection domain
  /// RoCE address of the board; needed only if the registers of UdpEngine do not contain it.
  std::string board_ip;
  double metadata_timeout = 5;
};

/// An established connection.
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

/// Sets up the whole connection. Creates the protection domain, memory region and queue pair, sets the
/// host's address, moves the queue pair through INIT and RTR to RTS, and writes the dispatcher's registers.
/// On failure, frees everything that was created.
Connection make_connection(Context& context, const ConnectOptions& options);

/// Frees the board's resources and clears SQpn and LKey of the dispatcher. Returns a description of each
/// refused step.
std::vector<std::string> end_connection(Context& context, const BoardResources& board,
                                        double metadata_timeout);

std::string connection_text(const Connection& connection);
nlohmann::json connection_json(const Connection& connection);

}  // namespace softfeb::febctl
