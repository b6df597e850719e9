// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cc_file.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

/// Replays golden traces through the algorithms of lib/congestion.
namespace softfeb::test {

/// Replays a trace and returns a description of the first difference between trace and algorithm, if any.
/// Throws std::exception if the trace contains something unknown.
using CcReplay = std::optional<std::string> (*)(const CcFile& file);

std::optional<std::string> replay_timely(const CcFile& file);
std::optional<std::string> replay_swift(const CcFile& file);
std::optional<std::string> replay_hpcc(const CcFile& file);

/// The replay functions by the names of the algorithms in traces. Add new algorithms to this map.
const std::map<std::string_view, CcReplay>& cc_replays();

/// Replays a trace with the function for its algorithm. Throws std::exception if there is no function for the
/// algorithm.
std::optional<std::string> replay_cc(const CcFile& file);

}  // namespace softfeb::test
