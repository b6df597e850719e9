// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "telemetry/http.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::telemetry {

/// {"board": NAME, "qps": "all" or N, "set": {KEY: VALUE, …}}; values are texts, numbers or truth values.
struct ChangeRequest {
  std::string board;
  std::optional<std::uint32_t> qp;  ///< none: all
  std::vector<std::pair<std::string, std::string>> given;
};

/// Reads a request's body into `out`; gives the answer to what cannot be read.
std::optional<Response> parse_change(const std::string& body, ChangeRequest& out);

/// "feb%200" → "feb 0"; nothing when a % stands before what is no byte.
std::optional<std::string> decode_percent(const std::string& text);

}  // namespace softfeb::telemetry
