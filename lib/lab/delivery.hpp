// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "engine/snapshot.hpp"
#include "lab/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// Goodput: the payload of whole messages that reached the receiver. The receiver acknowledges what it takes
/// on RC, so the sender's completions count it. UC completes a message when it is sent, so only the receiver
/// can count it.
namespace softfeb::lab {

/// Payload that has been delivered, each part with the time of the snapshot that counts it.
struct Delivered {
  std::uint64_t acknowledged = 0;  ///< bytes, RC, as of the board's snapshot
  std::uint64_t received = 0;      ///< bytes, UC, as of the receiver's snapshot
  Time received_at = 0;  ///< when that snapshot was taken, the latest of several receivers; 0: no UC
  bool known = true;     ///< false: some of it goes over UC to a receiver that is not ours

  Delivered& operator+=(const Delivered& o);
};

/// Bytes per second between two counts. `interval`: seconds between the board's snapshots. `origin`: when
/// traffic began, for a `before` that was never counted. None where it is not known.
std::optional<double> delivered_rate(const Delivered& before, const Delivered& now, double interval,
                                     Time origin);

/// Which receiving QP of this process takes what a sending QP sends.
class DeliveryMap {
 public:
  DeliveryMap() = default;
  /// QPs of the configuration, then the slots of the boards' metadata buses that a receiver of ours serves.
  DeliveryMap(const config::RunConfig& config, const std::vector<QpPlan>& plans);

  /// Places in Sample::endpoints and EndpointSnapshot::receive_qps.
  struct Place {
    std::size_t endpoint = 0;
    std::size_t qp = 0;
  };
  /// None: the receiver is not ours.
  std::optional<Place> place_of(std::size_t board, std::size_t qp) const;

  /// What QP `qp` of board `board` has delivered.
  Delivered delivered(std::size_t board, std::size_t qp,
                      const std::vector<engine::EndpointSnapshot>& endpoints) const;
  /// What all QPs of the board have.
  Delivered delivered(std::size_t board, const std::vector<engine::EndpointSnapshot>& endpoints) const;

 private:
  std::vector<std::vector<std::optional<Place>>> places_;  ///< by board and QP
};

}  // namespace softfeb::lab
