// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "engine/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// Counts delivered payload, which is the payload of complete messages that reached the receiver. Its rate
/// is the goodput. On RC, the receiver acknowledges the payload that it accepts, so the sender's completions
/// count this payload. On UC, a message completes when it is sent, so only the receiver can count delivered
/// payload.
namespace softfeb::stats {

/// Delivered payload. The two counts come from snapshots that may have been taken at different times.
struct Delivered {
  std::uint64_t acknowledged = 0;  ///< bytes delivered over RC, from the board's snapshot
  std::uint64_t received = 0;      ///< bytes delivered over UC, from the receiver's snapshot
  /// Time of the receiver's snapshot, or of the latest one if there are several receivers; 0 if UC is not
  /// used.
  Time received_at = 0;
  bool known = true;  ///< if false, some payload is sent over UC to an external receiver, and not counted

  Delivered& operator+=(const Delivered& o);
};

/// Goodput in bytes per second between two counts. `interval` is the number of seconds between the board's
/// snapshots. If `before` contains no receiver's snapshot (`before.received_at` is 0), the interval of the
/// receiver begins at `origin`, the start of traffic. Empty if the delivered payload is unknown.
std::optional<double> delivered_rate(const Delivered& before, const Delivered& now, double interval,
                                     Time origin);

/// Maps sending QPs to the receiving QPs of this process.
class DeliveryMap {
 public:
  DeliveryMap() = default;
  /// For each board, contains the configured QPs. If a receiver of this process acts as the host of the
  /// board's metadata bus, the QPs that this bus can create follow.
  DeliveryMap(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans);

  /// A receiving QP: indices into Sample::endpoints and EndpointSnapshot::receive_qps.
  struct Place {
    std::size_t endpoint = 0;
    std::size_t qp = 0;
  };
  /// Empty if the receiver is external.
  std::optional<Place> place_of(std::size_t board, std::size_t qp) const;

  /// Payload delivered by QP `qp` of board `board`.
  Delivered delivered(std::size_t board, std::size_t qp,
                      const std::vector<engine::EndpointSnapshot>& endpoints) const;
  /// Payload delivered by all QPs of the board.
  Delivered delivered(std::size_t board, const std::vector<engine::EndpointSnapshot>& endpoints) const;

 private:
  std::vector<std::vector<std::optional<Place>>> places_;  ///< indexed by board and QP
};

}  // namespace softfeb::stats
