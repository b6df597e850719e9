// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/dcqcn_config.hpp"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace softfeb::config {

/// Returns `now` with the parameters in `given` replaced. Keys and values are those of `dcqcn` in an element
/// of `changes`, except `algorithm`, which cannot change. Throws ConfigError; Where::key of each problem is a
/// key of `given`.
DcqcnConfig change_dcqcn(const DcqcnConfig& now,
                         const std::vector<std::pair<std::string, std::string>>& given);

/// Returns the parameters of `dcqcn` that change_dcqcn() accepts, with their values. Empty without congestion
/// control.
nlohmann::ordered_json changeable(const DcqcnConfig& dcqcn);

}  // namespace softfeb::config
