// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "conformance/case.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

/// Values that the catalogue and profiles have in common. All functions throw NotationError, which begins
/// with the line: "line 12: …".
namespace softfeb::conformance {

[[noreturn]] void refuse_node(const YAML::Node& at, const std::string& what);
/// Refuses keys that are not in `allowed`, and names the most similar one.
void check_keys(const YAML::Node& map, std::initializer_list<std::string_view> allowed);
/// A number without symbols.
std::uint64_t number(const YAML::Node& node);
bool flag(const YAML::Node& map, const char* key);
/// A time with its unit: 50us, 100ms, 1s.
Time time_of(const YAML::Node& node);
TargetState state_of(const YAML::Node& node);
/// A number, or a range such as 2..3.
Range range_of(const YAML::Node& node);
/// Copies of a map for each value of its key `for`, without this key. In a copy, `$` stands for the value; if
/// values are lists, `$1` stands for the first element, and so on. `for` is a list, or
/// `{from: 0, to: 9, by: 3}`. Without `for`: the map itself.
std::vector<YAML::Node> repeated(const YAML::Node& map);
/// The keys `written` and `tolerated` of a map.
WrittenSpec read_written(const YAML::Node& map);
std::vector<CompletionSpec> read_completions(const YAML::Node& list);

}  // namespace softfeb::conformance
