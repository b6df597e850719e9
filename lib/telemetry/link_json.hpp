// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rssi_closed.hpp"
#include "telemetry/links.hpp"
#include "telemetry/run_info.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// Closed connections of the slow control as JSON, for the result (doc/result.md) and the live page.
namespace softfeb::telemetry {

nlohmann::ordered_json closed_json(const srp::RssiClosed& closed);
/// The last ones, oldest first.
nlohmann::ordered_json closed_json(const srp::RssiHistory& history);
/// Number of closed connections by reason; reasons with a count of 0 are omitted.
nlohmann::ordered_json reasons_json(const srp::RssiHistory& history);
nlohmann::ordered_json reasons_json(const srp::RssiHistory::Counts& counts);

/// Event `links` and /api/links: the open connections, the number of closed ones by reason, and the last
/// kListed closed connections of all links, newest first.
std::string links_json(const RunInfo& info, const std::vector<LinkView>& links);
inline constexpr std::size_t kListed = 64;

/// UTC with milliseconds, for example 2026-05-01T12:00:00.123Z; empty for 0.
std::string utc(std::int64_t unix_ns);

}  // namespace softfeb::telemetry
