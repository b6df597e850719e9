// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/datagram.hpp"
#include "control/rssi_closed.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::telemetry {

/// One RSSI link of a board's slow control, at this moment.
struct LinkView {
  std::size_t board = 0;  ///< into Scene::boards
  const char* link = "";  ///< registers, stream
  bool open = false;
  control::UdpPeer peer;          ///< of the open connection
  bool in_band = false;           ///< likewise: by the board's own address
  std::uint64_t connections = 0;  ///< opened so far
  const control::RssiHistory* history =
      nullptr;  ///< of the closed ones; valid until the link is driven again
};

/// Where the page and /metrics have them from.
class Links {
 public:
  virtual ~Links() = default;
  virtual std::vector<LinkView> links() const = 0;
};

}  // namespace softfeb::telemetry
