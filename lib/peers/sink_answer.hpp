// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "peers/peer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

/// Reads members of the JSON lines with which rdma-sink answers (doc/rdma-sink.md). Sans-I/O. All functions
/// throw PeerError, without the peer's name, if a line or a member is invalid.
namespace softfeb::peers::sink {

inline constexpr int kVersion = 1;

/// Throws a PeerError (kProtocol) about an invalid answer; `what` describes the error.
[[noreturn]] void malformed(const std::string& what);
/// Throws a PeerError (kConfiguration) about the answer {"error": `text`}.
[[noreturn]] void refused(const std::string& text);

nlohmann::json parse_object(std::string_view line);
/// Returns the text of an answer of the form {"error": …}; empty for other answers.
std::optional<std::string> error_of(const nlohmann::json& answer);
/// Parses an answer. Throws a PeerError (kConfiguration) for an answer of the form {"error": …}.
nlohmann::json parse_answer(std::string_view line);
/// Checks the version in the answer to the first line.
void check_version(const nlohmann::json& object);

/// Reads an integer from 0 to `max`.
std::uint64_t number(const nlohmann::json& object, const char* key, std::uint64_t max);
std::uint32_t number32(const nlohmann::json& object, const char* key, std::uint32_t max = 0xffffffff);
std::string text(const nlohmann::json& object, const char* key);
bool flag(const nlohmann::json& object, const char* key);
const nlohmann::json& list(const nlohmann::json& object, const char* key);
roce::IpAddress address(const nlohmann::json& object);                 ///< member `ip`
std::optional<roce::MacAddress> mac_of(const nlohmann::json& object);  ///< member `mac`, if it is present

}  // namespace softfeb::peers::sink
