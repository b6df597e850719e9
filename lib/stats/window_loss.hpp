// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "endpoints/endpoints.hpp"
#include "stats/outcome.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::stats {

/// Loss of a receiver with windows.
struct WindowLoss {
  std::uint64_t messages = 0;  ///< number of messages of closed windows that were sent
  std::uint64_t missing = 0;   ///< number of these messages that did not arrive before their window closed
  /// Number of messages of closed windows that were never sent, because their stream stopped earlier than
  /// other streams. The bitmaps show these messages as missing, but they are not lost.
  std::uint64_t not_sent = 0;

  double share() const {
    return messages == 0 ? 0 : static_cast<double>(missing) / static_cast<double>(messages);
  }
};

/// Returns the loss of a receiver with windows. Its windows must be closed (endpoints::close_maps).
WindowLoss window_loss(const endpoints::Plans& plans, const Outcome& o, const endpoints::Endpoints& endpoints,
                       std::size_t receiver);

/// Goodput of a receiver with windows, in Gb/s: payload of the messages that set a bit in the bitmap of an
/// open window in the measured time, divided by that time. The part of a message that arrived before the
/// measured time is not counted, so the goodput never exceeds the rate on the wire. std::nullopt if nothing
/// was measured.
std::optional<double> window_goodput_gbps(const Outcome& o, std::size_t boards, std::size_t receiver);

}  // namespace softfeb::stats
