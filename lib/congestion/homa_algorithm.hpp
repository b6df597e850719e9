// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/algorithm.hpp"
#include "congestion/homa_rules.hpp"

#include <optional>

namespace softfeb::congestion {

/// The algorithm that is called `homa` in a configuration. Sender and receiver must have the same parameters,
/// so the parameters cannot change at run time.
const Algorithm& homa_algorithm();

/// Returns the parameters for the receiver of queue pairs with these settings; nullopt if the settings belong
/// to another algorithm.
std::optional<HomaParameters> homa_parameters(const AlgorithmSettings& settings);

}  // namespace softfeb::congestion
