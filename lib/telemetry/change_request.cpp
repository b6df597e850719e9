// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/change_request.hpp"

#include "base/json_nesting.hpp"
#include "telemetry/json_text.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

namespace softfeb::telemetry {
namespace {

constexpr std::size_t kMostKeys = 64;

std::optional<std::string> text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return std::nullopt;
}

/// Reads "all" or a number. Returns false for any other value.
bool read_qps(const Json& value, std::optional<std::uint32_t>& out) {
  if (value.is_string()) return value.get<std::string>() == "all";
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= UINT32_MAX) return false;
  out = value.get<std::uint32_t>();
  return true;
}

}  // namespace

std::optional<Response> parse_change(const std::string& body, ChangeRequest& out) {
  constexpr const char* kForm = R"(send {"board": NAME, "qps": "all" or a number, "set": {KEY: VALUE}})";
  if (json_nesting(body) > kMaxJsonNesting) return problem(400, "the body is nested too deeply", kForm);
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object()) return problem(400, "the body is not a JSON object", kForm);
  for (const auto& [key, value] : json.items()) {
    if (key != "board" && key != "qps" && key != "set")
      return problem(400, "unknown member \"" + key + '"', kForm);
  }
  if (!json.contains("board") || !json["board"].is_string()) return problem(400, "no \"board\"", kForm);
  out.board = json["board"].get<std::string>();
  if (json.contains("qps") && !read_qps(json["qps"], out.qp))
    return problem(400, "\"qps\" does not name a queue pair", kForm);
  if (!json.contains("set") || !json["set"].is_object() || json["set"].empty() ||
      json["set"].size() > kMostKeys) {
    return problem(400, "\"set\" with parameters is missing", kForm);
  }
  for (const auto& [key, value] : json["set"].items()) {
    const auto text = text_of(value);
    if (!text) return problem(400, '"' + key + "\" is not a string, number or boolean", kForm);
    out.given.emplace_back(key, *text);
  }
  return std::nullopt;
}

std::optional<std::string> decode_percent(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* const first = text.data() + i + 1;
    if (text.size() - i < 3 || std::from_chars(first, first + 2, byte, 16).ptr != first + 2)
      return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

}  // namespace softfeb::telemetry
