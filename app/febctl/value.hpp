// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Converts register values to and from text, JSON and YAML.
namespace softfeb::febctl {

/// Formats a value for display, for example "1000 (0x3e8)", "true", "7 (LC)", "\"text\"", "[0x0, 0x1]" or
/// "0x6402a8c0 (192.168.2.100)".
std::string value_text(const Register& reg, const Bits& bits);

/// Converts a value to a JSON number, boolean or string, or to a list of these. Numbers of more than 64
/// bits become hexadecimal strings.
nlohmann::json value_json(const Register& reg, const Bits& bits);

/// Formats a value so that `write` and `load` accept it.
std::string value_yaml(const Register& reg, const Bits& bits);

/// Parses a scalar or, for arrays, all elements separated by commas. Throws UsageError with the register, the
/// value and the valid values.
Bits parse_value(const Register& reg, std::string_view text);
/// Parses each text as one element.
Bits parse_list(const Register& reg, const std::vector<std::string>& elements);

/// Parses a whole number in decimal, hexadecimal (0x) or binary (0b). Returns false for anything else, and
/// for numbers of more than 64 bits.
bool parse_number(std::string_view text, std::uint64_t& value);

}  // namespace softfeb::febctl
