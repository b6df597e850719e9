// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "telemetry/http.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::telemetry {

/// A parsed request body {"board": NAME, "qps": "all" or N, "set": {KEY: VALUE, …}}. Values are strings,
/// numbers or booleans.
struct ChangeRequest {
  std::string board;
  std::optional<std::uint32_t> qp;  ///< index of the QP; empty means all QPs
  std::vector<std::pair<std::string, std::string>> given;
};

/// Parses a request body into `out`. Returns the error response if it is invalid, otherwise nullopt.
std::optional<Response> parse_change(const std::string& body, ChangeRequest& out);

/// Decodes percent-encoding, for example "feb%200" to "feb 0". Returns nullopt if a % is not followed by
/// two hexadecimal digits.
std::optional<std::string> decode_percent(const std::string& text);

}  // namespace softfeb::telemetry
