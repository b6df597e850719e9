// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/lab_config.hpp"
#include "endpoints/plan.hpp"
#include "simulator/parting.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::lab {

/// Links with a shorter delay than this are not cut, because the parts would have to exchange frames too
/// often.
inline constexpr Time kShortestDelay = 100 * kNanosecond;

/// How the network of a lab is cut into parts. Only links between switches are cut; stations belong to the
/// part of their switch. Links whose fault rules hold packets back (`delay`, `reorder`) are not cut either,
/// because a later packet decides when a held packet arrives.
struct PartPlan {
  simulator::Parting parting;
  std::vector<std::vector<std::uint32_t>> switches;  ///< switches of each part
  std::vector<double> load;  ///< share of each part in the expected work; the sum of all shares is 1
  std::size_t cut_links = 0;
  double work = 0;       ///< computing time in seconds of the busiest part for one window (Parting::window())
  double crossings = 0;  ///< expected number of frames that cross a cut in one window

  /// Share of the run time that is spent on the exchange, if an exchange without frames takes `exchange`
  /// seconds.
  double exchange_share(double exchange) const;
};

/// Plans the parts according to `network.parts`. With `auto`, there is one part for each of `processes`.
/// Chooses parts with similar expected loads (lab/network_load.hpp) and few frames between the parts. Throws
/// ConfigError if the network cannot be divided into the requested number of parts, if the parts in the file
/// would cut a link that must not be cut, or if there are fewer parts than processes.
PartPlan plan_parts(const config::LabConfig& config, const endpoints::Plans& plans, std::uint32_t processes);

/// Describes the plan to the user: the parts, the window, the share of the run time that the exchange is
/// expected to take, and the expected speed-up compared to one process, with advice if the speed-up is small.
/// `exchange` is explained at exchange_share(). The text ends with a newline.
std::string describe(const PartPlan& plan, const config::LabConfig& config, std::uint32_t processes,
                     double exchange);

}  // namespace softfeb::lab
