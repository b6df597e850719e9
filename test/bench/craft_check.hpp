// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::bench {

/// Describes failures in the result of bench_craft(); empty if no board refused a frame and no message
/// failed. The speed of a board that loses messages is meaningless. Each measured board has `totals`: the
/// main one as a member of `result`, the reference boards as members of their own objects.
std::string craft_failure(const nlohmann::ordered_json& result);

}  // namespace softfeb::bench
