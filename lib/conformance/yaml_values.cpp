// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/yaml_values.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace softfeb::conformance {

namespace {

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

/// Removes the line number from an error message about a copy of a part of the file, because the number
/// refers to a line of the copy.
std::string without_line(const std::string& message) {
  const std::size_t end = message.find(": ");
  return message.rfind("line ", 0) == 0 && end != std::string::npos ? message.substr(end + 2) : message;
}

/// Calls `use` with a copy of the map `pattern`, a YAML text. In the copy, each occurrence of the first
/// string of a pair in `parts` is replaced by the second string of the pair.
void use_copy(const std::string& pattern, const YAML::Node& value,
              const std::vector<std::pair<std::string, std::string>>& parts,
              const std::function<void(const YAML::Node&)>& use) {
  std::string one = pattern;
  for (const auto& [name, text] : parts) replace_all(one, name, text);
  YAML::Node copy = YAML::Load(one);
  copy.remove("for");
  try {
    use(copy);
  } catch (const NotationError& error) {
    refuse_node(value, "with this value of 'for': " + without_line(error.what()));
  }
}

std::string nearest(std::string_view word, std::initializer_list<std::string_view> known) {
  return std::string(
      *std::min_element(known.begin(), known.end(), [&](std::string_view a, std::string_view b) {
        return edit_distance(word, a) < edit_distance(word, b);
      }));
}

std::vector<std::uint32_t> read_numbers(const YAML::Node& list) {
  std::vector<std::uint32_t> out;
  for (const auto& item : list) out.push_back(static_cast<std::uint32_t>(number_within(item, 0, UINT32_MAX)));
  return out;
}

}  // namespace

void refuse_node(const YAML::Node& at, const std::string& what) {
  const YAML::Mark mark = at.Mark();
  throw NotationError((mark.is_null() ? "" : "line " + std::to_string(mark.line + 1) + ": ") + what);
}

void check_keys(const YAML::Node& map, std::initializer_list<std::string_view> allowed) {
  if (!map.IsMap()) refuse_node(map, "a section with keys is expected");
  for (const auto& entry : map) {
    const auto key = entry.first.as<std::string>();
    if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    std::string known;
    for (const std::string_view k : allowed) known += (known.empty() ? "" : ", ") + std::string(k);
    refuse_node(entry.first, "unknown key '" + key + "'; the nearest is " + nearest(key, allowed) +
                                 "; fix: use one of " + known);
  }
}

std::uint64_t number(const YAML::Node& node) {
  return parsed_at(node, [](const std::string& text) { return Expression::parse(text); }).value({});
}

std::uint64_t number_within(const YAML::Node& node, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t value = number(node);
  if (value < least || value > most) {
    refuse_node(node, "'" + node.as<std::string>() + "' is out of range; fix: write a number from " +
                          std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

bool flag(const YAML::Node& map, const char* key) { return map[key] && map[key].as<bool>(); }

Time time_of(const YAML::Node& node) {
  const auto value = node.as<std::string>();
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  const std::string_view unit(end, static_cast<std::size_t>(value.data() + value.size() - end));
  // The product of a larger number and its unit would overflow.
  constexpr std::uint64_t kMost = 1'000'000'000;
  if (error == std::errc() && count <= kMost) {
    if (unit == "us") return count * kMicrosecond;
    if (unit == "ms") return count * kMillisecond;
    if (unit == "s" && count <= kMost / 1'000) return count * kSecond;
  }
  refuse_node(node, "'" + value + "' is not a time; fix: write for example 50us, 100ms or 1s");
}

TargetState state_of(const YAML::Node& node) {
  const auto value = node.as<std::string>();
  if (value == "init") return TargetState::kInit;
  if (value == "rtr") return TargetState::kRtr;
  if (value == "rts") return TargetState::kRts;
  if (value == "error") return TargetState::kError;
  refuse_node(node, "'" + value + "' is not a state; fix: use init, rtr, rts or error");
}

Range range_of(const YAML::Node& node) {
  return parsed_at(node, [](const std::string& text) {
    const std::size_t dots = text.find("..");
    const std::uint64_t first = Expression::parse(text.substr(0, dots)).value({});
    if (dots == std::string::npos) return Range{first, first};
    const std::uint64_t last = Expression::parse(text.substr(dots + 2)).value({});
    if (last < first)
      throw NotationError("'" + text + "' is an empty range; fix: write the smaller number first");
    return Range{first, last};
  });
}

void repeat(const YAML::Node& map, const std::function<void(const YAML::Node& copy)>& use) {
  if (!map["for"]) return use(map);
  const std::string pattern = YAML::Dump(map);
  const YAML::Node& values = map["for"];
  if (values.IsMap()) {
    check_keys(values, {"from", "to", "by"});
    const std::uint64_t last = number(values["to"]), step = number(values["by"]);
    if (step == 0) refuse_node(values["by"], "the step is 0, so the repetition never ends");
    for (std::uint64_t k = number(values["from"]); k <= last; k += step)
      use_copy(pattern, values, {{"$", std::to_string(k)}}, use);
    return;
  }
  for (const auto& value : values) {
    std::vector<std::pair<std::string, std::string>> parts;
    if (value.IsSequence()) {
      for (std::size_t k = 0; k < value.size(); ++k)
        parts.emplace_back("$" + std::to_string(k + 1), value[k].as<std::string>());
    } else {
      parts.emplace_back("$", value.as<std::string>());
    }
    use_copy(pattern, value, parts, use);
  }
}

WrittenSpec read_written(const YAML::Node& map) {
  WrittenSpec out;
  if (map["tolerated"]) out.tolerated = read_numbers(map["tolerated"]);
  const YAML::Node node = map["written"];
  if (!node) return out;
  if (node.IsSequence()) {
    out.kind = WrittenSpec::Kind::kListed;
    out.packets = read_numbers(node);
    return out;
  }
  const auto word = node.as<std::string>();
  if (word == "all") {
    out.kind = WrittenSpec::Kind::kAll;
  } else if (word == "none") {
    out.kind = WrittenSpec::Kind::kNone;
  } else if (word == "any") {
    out.kind = WrittenSpec::Kind::kAny;
  } else if (word != "acknowledged") {
    refuse_node(node, "'" + word + "' is not acknowledged, all, none, any or a list of packet numbers");
  }
  return out;
}

std::vector<CompletionSpec> read_completions(const YAML::Node& list) {
  std::vector<CompletionSpec> out;
  for (const auto& item : list) {
    check_keys(item, {"success", "length", "immediate"});
    CompletionSpec next;
    if (item["success"]) next.success = item["success"].as<bool>();
    if (item["length"]) {
      next.length =
          parsed_at(item["length"], [](const std::string& text) { return Expression::parse(text); });
    }
    if (item["immediate"])
      next.immediate = static_cast<std::uint32_t>(number_within(item["immediate"], 0, UINT32_MAX));
    out.push_back(next);
  }
  return out;
}

}  // namespace softfeb::conformance
