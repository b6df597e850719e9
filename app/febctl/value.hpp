// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Register values as people and files write them.
namespace softfeb::febctl {

/// Text for people: "1000 (0x3e8)", "true", "7 (LC)", "\"text\"", "[0x0, 0x1]", "0x6402a8c0 (192.168.2.100)".
std::string value_text(const Register& reg, const Bits& bits);

/// A number (a hexadecimal string above 64 bits), a boolean, a string, or a list of those.
nlohmann::json value_json(const Register& reg, const Bits& bits);

/// Text that `write` and `load` accept.
std::string value_yaml(const Register& reg, const Bits& bits);

/// Parses a scalar or, for arrays, all elements separated by commas. Throws UsageError with the register, the
/// value and the valid values.
Bits parse_value(const Register& reg, std::string_view text);
/// Parses one text per element.
Bits parse_list(const Register& reg, const std::vector<std::string>& elements);

/// Parses a whole number in decimal, 0x or 0b; returns false for anything else or above 64 bits.
bool parse_number(std::string_view text, std::uint64_t& value);

}  // namespace softfeb::febctl
