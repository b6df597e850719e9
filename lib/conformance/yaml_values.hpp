// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "conformance/case.hpp"
#include "conformance/notation.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

/// Reads values that occur in both the catalogue and profiles. All functions throw NotationError, whose
/// message begins with the line: "line 12: …".
namespace softfeb::conformance {

[[noreturn]] void refuse_node(const YAML::Node& at, const std::string& what);
/// Throws if `map` contains a key that is not in `allowed`; the message names the most similar permitted key.
void check_keys(const YAML::Node& map, std::initializer_list<std::string_view> allowed);
/// Returns parse(text of `node`). If this throws NotationError, adds the line to the message.
template <typename Parse>
auto parsed_at(const YAML::Node& node, const Parse& parse) {
  const auto text = node.as<std::string>();
  try {
    return parse(text);
  } catch (const NotationError& error) {
    refuse_node(node, error.what());
  }
}
/// Reads a number without symbols.
std::uint64_t number(const YAML::Node& node);
/// Reads a number without symbols, from `least` to `most`.
std::uint64_t number_within(const YAML::Node& node, std::uint64_t least, std::uint64_t most);
bool flag(const YAML::Node& map, const char* key);
/// Reads a time with its unit, such as 50us, 100ms or 1s.
Time time_of(const YAML::Node& node);
TargetState state_of(const YAML::Node& node);
/// Reads a number, or a range such as 2..3.
Range range_of(const YAML::Node& node);
/// Calls `use` once for each value of the map's key `for`, with a copy of the map that lacks this key. In the
/// copy, `$` is replaced by the value; if values are lists, `$1` is replaced by the first element, and so on.
/// `for` is a list, or `{from: 0, to: 9, by: 3}`. If there is no `for`, calls `use` with the map itself. An
/// error in a copy names the line of the value.
void repeat(const YAML::Node& map, const std::function<void(const YAML::Node& copy)>& use);
/// Reads the keys `written` and `tolerated` of a map.
WrittenSpec read_written(const YAML::Node& map);
std::vector<CompletionSpec> read_completions(const YAML::Node& list);

}  // namespace softfeb::conformance
