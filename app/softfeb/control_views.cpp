// SPDX-License-Identifier: BSD-3-Clause
#include "control_views.hpp"

namespace softfeb::app {

std::vector<telemetry::LinkView> ControlViews::links() const {
  std::vector<telemetry::LinkView> views;
  for (const auto& board : service_.boards()) {
    for (std::size_t i = 0; i < BoardControl::kLinkNames.size(); ++i) {
      const ControlLink& link = board->link(i);
      const control::RssiServer& server = link.server();
      views.push_back({.board = board->board(),
                       .link = BoardControl::kLinkNames[i],
                       .open = server.open(),
                       .peer = server.status().peer,
                       .in_band = link.in_band(),
                       .connections = server.status().reconnects,
                       .history = &link.history()});
    }
  }
  return views;
}

}  // namespace softfeb::app
