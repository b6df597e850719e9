// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "telemetry/http.hpp"

#include <optional>
#include <string>
#include <vector>

namespace softfeb::telemetry {

/// Returns the error response to a request that must be refused before it is handled, or nullopt. Refused
/// are:
///
///  - A Host that is neither an IP address, nor localhost, nor one of `names`: a foreign host name made to
///    resolve to this server (DNS rebinding).
///  - Requests that change something and come from another site's page: an Origin other than this server, a
///    matching Sec-Fetch-Site, or a content type that forms can send without a preflight (anything but
///    application/json).
///  - Requests that change something and come from another host.
///  - Methods other than GET, HEAD and POST.
std::optional<Response> check_request(const Request& request, const std::vector<std::string>& names);

/// "127.0.0.1:8080", "[::1]:8080", "localhost" → without the port. Returns nullopt if it is not a host.
std::optional<std::string> host_name(const std::string& host);

}  // namespace softfeb::telemetry
