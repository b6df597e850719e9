// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/dcqcn_config.hpp"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace softfeb::config {

/// `now` with the parameters `given` instead: keys and values as in the `dcqcn` of a configuration's change,
/// but for `algorithm`, which stays. Throws ConfigError, whose problems' Where::key are those of `given`.
DcqcnConfig change_dcqcn(const DcqcnConfig& now,
                         const std::vector<std::pair<std::string, std::string>>& given);

/// The parameters of `dcqcn` that change_dcqcn() takes, with their values. Empty without a congestion
/// control.
nlohmann::ordered_json changeable(const DcqcnConfig& dcqcn);

}  // namespace softfeb::config
