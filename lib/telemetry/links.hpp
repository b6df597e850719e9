// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/datagram.hpp"
#include "srp/rssi_closed.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::telemetry {

/// Current state of one RSSI link of a board's slow control.
struct LinkView {
  std::size_t board = 0;  ///< index into RunInfo::boards
  const char* link = "";  ///< "registers" or "stream"
  bool open = false;
  srp::UdpPeer peer;                          ///< of the open connection
  bool in_band = false;                       ///< the open connection uses the board's own address
  std::uint64_t connections = 0;              ///< opened so far
  const srp::RssiHistory* history = nullptr;  ///< closed connections; valid until the link is driven again
};

/// Provides the links for the page and /metrics.
class Links {
 public:
  virtual ~Links() = default;
  virtual std::vector<LinkView> links() const = 0;
};

}  // namespace softfeb::telemetry
