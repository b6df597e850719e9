// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "refusal.hpp"
#include "roce/ip.hpp"
#include "roce/opcode.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

/// Functions that read members of the JSON objects that a client sends. All of them throw a Refusal that
/// names the member.
namespace softfeb::sink {

inline constexpr std::uint32_t kMax24 = 0xffffff;
inline constexpr std::uint32_t kMax32 = 0xffffffff;

/// Returns a whole number from 0 to `max`. If the member is missing, returns `otherwise`, or refuses the
/// object if `otherwise` is empty.
std::uint64_t number(const nlohmann::json& object, const char* key, std::uint64_t max,
                     std::optional<std::uint64_t> otherwise = std::nullopt);
/// Like number(), but for a `max` that fits into 32 bits.
std::uint32_t number32(const nlohmann::json& object, const char* key, std::uint32_t max,
                       std::optional<std::uint64_t> otherwise = std::nullopt);
/// Returns a whole number from 1 to `max`.
std::uint32_t positive(const nlohmann::json& object, const char* key, std::uint32_t max);
std::string text(const nlohmann::json& object, const char* key);
/// Returns a boolean; false if the member is missing.
bool flag(const nlohmann::json& object, const char* key);
roce::IpAddress parse_address(const nlohmann::json& object, const char* key);
roce::Transport parse_transport(const nlohmann::json& object);  ///< member `transport`
std::uint32_t parse_pmtu(const nlohmann::json& object);         ///< member `pmtu`: path MTU in bytes

/// Returns the object that is the member `key` of `line`. It may contain only the members `known`.
const nlohmann::json& object_at(const nlohmann::json& line, const char* key,
                                std::initializer_list<std::string_view> known);
/// Refuses members of `object` that are not in `known`. `name` is the object's name for the message.
void check_members(const nlohmann::json& object, const std::string& name,
                   std::initializer_list<std::string_view> known);

}  // namespace softfeb::sink
