// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/rssi_closed.hpp"
#include "telemetry/links.hpp"
#include "telemetry/scene.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// Closed connections of the slow control as JSON: for the result (doc/result.md) and the live page.
namespace softfeb::telemetry {

nlohmann::ordered_json closed_json(const control::RssiClosed& closed);
/// The last ones, the oldest first.
nlohmann::ordered_json closed_json(const control::RssiHistory& history);
/// How many closed for each reason; reasons that did not occur are left out.
nlohmann::ordered_json reasons_json(const control::RssiHistory& history);
nlohmann::ordered_json reasons_json(const control::RssiHistory::Counts& counts);

/// Event `links`, /api/links: the open connections, how many closed for each reason, and of all links
/// together the kListed connections that closed last, the newest first.
std::string links_json(const Scene& scene, const std::vector<LinkView>& links);
inline constexpr std::size_t kListed = 64;

/// UTC with milliseconds, as 2026-05-01T12:00:00.123Z; empty for 0.
std::string utc(std::int64_t unix_ns);

}  // namespace softfeb::telemetry
