// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Values of registers as people and files write them.
namespace softfeb::febctl {

/// For people: "1000 (0x3e8)", "true", "7 (LC)", "\"text\"", "[0x0, 0x1]", "0x6402a8c0 (192.168.2.100)".
std::string value_text(const Register& reg, const Bits& bits);

/// Number (a string in hex beyond 64 bits), true/false, string, or a list of those.
nlohmann::json value_json(const Register& reg, const Bits& bits);

/// As `write` and `load` take it back.
std::string value_yaml(const Register& reg, const Bits& bits);

/// A scalar or, of arrays, all elements separated by commas. Throws UsageError, which names the register, the
/// value and what would be legal.
Bits parse_value(const Register& reg, std::string_view text);
/// One element each.
Bits parse_list(const Register& reg, const std::vector<std::string>& elements);

/// A whole number in decimal, 0x or 0b; false for anything else or above 64 bits.
bool parse_number(std::string_view text, std::uint64_t& value);

}  // namespace softfeb::febctl
