// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/peer.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

/// The JSON lines of rdma-sink's exchange (doc/rdma-sink.md). Sans-I/O; decoders throw PeerError where a line
/// is not what it must be, without the peer's name.
namespace softfeb::control::sink {

inline constexpr int kVersion = 1;

/// The client's first line: what it will send, and with which QPs.
std::string encode_hello(const LocalEndpoint& local);

/// The server's answer, or its {"error": …} as a PeerError (kConfiguration). `qps` is the number that was
/// asked for.
RemoteEndpoint decode_welcome(std::string_view line, std::size_t qps);

/// The client's last line.
std::string encode_end(const PeerResults& results);

/// The server's report, or its error.
nlohmann::json decode_report(std::string_view line);

}  // namespace softfeb::control::sink
