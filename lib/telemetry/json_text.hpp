// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

/// Parts of the JSON that the live page sends.
namespace softfeb::telemetry {

using Json = nlohmann::ordered_json;

/// Rounds a rate in Gb/s to five decimals (10 kb/s) to keep the samples short.
inline double rounded(double v) { return std::round(v * 1e5) / 1e5; }

/// Serializes `json`. Names come from files, so bytes that are not valid UTF-8 are replaced.
inline std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Returns an array with one value per row.
template <class Rows, class Value>
Json column(const Rows& rows, Value value) {
  Json out = Json::array();
  for (const auto& row : rows) out.push_back(value(row));
  return out;
}

}  // namespace softfeb::telemetry
