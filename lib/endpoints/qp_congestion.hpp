// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "engine/congestion.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

/// Congestion control of queue pairs, from their configuration.
namespace softfeb::endpoints {

/// The QP's own congestion control parameters or, if it has none, those of its board.
const config::CongestionConfig& congestion_config_of(const config::BoardConfig& board,
                                                     const config::QpConfig& qp);
engine::CongestionSettings congestion_of(const config::CongestionConfig& d);
/// Congestion control for the QPs of the metadata bus: always the firmware's algorithm, with the board's
/// parameters if the board itself uses this algorithm.
dcqcn::FirmwareSettings bus_congestion(const config::BoardConfig& board);

/// Assigns a number to each CongestionControl object that several QPs of a board share.
class CongestionGroups {
 public:
  /// Returns the number of the QP's object; std::nullopt if the QP does not share its object. `c` is the
  /// result of congestion_config_of().
  std::optional<std::uint32_t> of(const QpPlan& plan, const config::CongestionConfig& c);

 private:
  std::map<std::tuple<std::size_t, const config::CongestionConfig*, roce::IpAddress>, std::uint32_t> numbers_;
};

}  // namespace softfeb::endpoints
