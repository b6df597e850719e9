// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::bench {

/// What bench_craft()'s result says that did not go right, in words; empty: no board of it refused a frame,
/// no message failed. A board that loses messages is fast at nothing: every one whose packets are counted has
/// `totals`, the measured one as a member of `result`, those beside it as a member of their own.
std::string craft_failure(const nlohmann::ordered_json& result);

}  // namespace softfeb::bench
