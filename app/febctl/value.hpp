// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Converts register values to and from text, JSON and YAML.
namespace softfeb::febctl {

/// Formats a value for display: "1000 (0x3e8)", "true", "7 (LC)", "\"text\"", "[0x0, 0x1]", "0x6402a8c0
/// (192.168.2.100)".
std::string value_text(const Register& reg, const Bits& bits);

/// Converts a value to a number (above 64 bits, a hexadecimal string), a boolean, a string, or a list of
/// those.
nlohmann::json value_json(const Register& reg, const Bits& bits);

/// Formats a value so that `write` and `load` accept it.
std::string value_yaml(const Register& reg, const Bits& bits);

/// Parses a scalar or, for arrays, all elements separated by commas. Throws UsageError with the register, the
/// value and the valid values.
Bits parse_value(const Register& reg, std::string_view text);
/// Parses each text as one element.
Bits parse_list(const Register& reg, const std::vector<std::string>& elements);

/// Parses a whole number in decimal, 0x or 0b. Returns false for anything else, and for numbers above 64
/// bits.
bool parse_number(std::string_view text, std::uint64_t& value);

}  // namespace softfeb::febctl
