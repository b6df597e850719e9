// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/datagram.hpp"
#include "srp/rssi_closed.hpp"
#include "telemetry/run_info.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// The RSSI links of the boards' slow control, for the page, /metrics and the result (doc/result.md).
namespace softfeb::telemetry {

/// Current state of one RSSI link of a board's slow control.
struct LinkView {
  std::size_t board = 0;  ///< index into RunInfo::boards
  const char* link = "";  ///< "registers" or "stream"
  bool open = false;
  srp::UdpPeer peer;              ///< peer of the open connection
  bool in_band = false;           ///< the open connection uses the board's own address
  std::uint64_t connections = 0;  ///< number of connections opened so far
  /// Records of closed connections. The pointer is valid until the link's next event.
  const srp::RssiHistory* history = nullptr;
};

/// Provides the links for the page and /metrics.
class Links {
 public:
  virtual ~Links() = default;
  virtual std::vector<LinkView> links() const = 0;
};

/// Formats one closed connection.
nlohmann::ordered_json closed_json(const srp::RssiClosed& closed);
/// Formats the most recently closed connections, oldest first.
nlohmann::ordered_json closed_json(const srp::RssiHistory& history);
/// Formats the number of closed connections by reason. Reasons with a count of 0 are omitted.
nlohmann::ordered_json reasons_json(const srp::RssiHistory& history);
nlohmann::ordered_json reasons_json(const srp::RssiHistory::Counts& counts);

/// Returns the open connections, the number of closed connections by reason, and the last kListed closed
/// connections of all links, newest first. Used for event `links` and /api/links.
std::string links_json(const RunInfo& info, const std::vector<LinkView>& links);
inline constexpr std::size_t kListed = 64;

/// Formats a time as UTC with milliseconds, for example 2026-05-01T12:00:00.123Z; empty for 0.
std::string utc(std::int64_t unix_ns);

}  // namespace softfeb::telemetry
