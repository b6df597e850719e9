// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "peers/peer.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

/// JSON lines of rdma-sink's exchange (doc/rdma-sink.md). Sans-I/O. Decoders throw PeerError, without the
/// peer's name, if a line is invalid.
namespace softfeb::peers::sink {

inline constexpr int kVersion = 1;

/// First line of the client: what it will send, and on which QPs.
std::string encode_hello(const LocalEndpoint& local);

/// The server's answer. Its {"error": …} becomes a PeerError (kConfiguration). `qps` is the number of QPs
/// requested.
RemoteEndpoint decode_welcome(std::string_view line, std::size_t qps);

/// Last line of the client.
std::string encode_end(const PeerResults& results);

/// The server's report; its {"error": …} becomes a PeerError.
nlohmann::json decode_report(std::string_view line);

}  // namespace softfeb::peers::sink
