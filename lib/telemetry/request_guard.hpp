// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "telemetry/http.hpp"

#include <optional>
#include <string>
#include <vector>

namespace softfeb::telemetry {

/// What is refused before anybody looks at the request; nothing when it may pass.
///
/// * A Host that is neither an IP address, nor localhost, nor one of `names`: the name of somebody else's
/// site
///   that was made to point here (DNS rebinding).
/// * Requests that change something and come from another site's page: an Origin that is not this server's, a
///   Sec-Fetch-Site that says so, or a content type that forms can send without asking (anything but
///   application/json).
/// * Requests that change something and come from another machine.
std::optional<Response> check_request(const Request& request, const std::vector<std::string>& names);

/// "127.0.0.1:8080", "[::1]:8080", "localhost" → without the port; nothing when it is no host at all.
std::optional<std::string> host_name(const std::string& host);

}  // namespace softfeb::telemetry
