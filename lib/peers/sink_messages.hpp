// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "peers/peer.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

/// JSON lines of rdma-sink's exchange (doc/rdma-sink.md). Sans-I/O. Decoders throw PeerError, without the
/// peer's name, if a line is invalid.
namespace softfeb::peers::sink {

/// Encodes the client's first line: the traffic it will send, and its QPs.
std::string encode_hello(const LocalEndpoint& local);

/// Decodes the server's answer. An answer of the form {"error": …} becomes a PeerError (kConfiguration).
/// `qps` is the number of QPs requested.
RemoteEndpoint decode_welcome(std::string_view line, std::size_t qps);

/// Encodes the client's last line.
std::string encode_end(const PeerResults& results);

/// Decodes the server's report. A report of the form {"error": …} becomes a PeerError.
nlohmann::json decode_report(std::string_view line);

}  // namespace softfeb::peers::sink
