// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/error.hpp"
#include "config/node.hpp"
#include "config/units.hpp"
#include "config/values.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace softfeb::config {

/// Results of reading a document, apart from the configuration itself: problems, positions of the keys that
/// were read, and known keys.
struct Reading {
  static constexpr std::size_t kMost = 100;

  std::vector<Problem> problems;
  std::map<std::string, Where> places;  ///< position of every key read, indexed by dotted path
  std::set<std::string> known;          ///< every key looked up, with list indices as []: boards[].qps[].pmtu
  /// The words that each key accepts; empty for keys that accept other values. The words are collected only
  /// if the caller has set this member to a map.
  std::optional<std::map<std::string, std::vector<std::string>>> words;

  /// Adds a problem. Problems with the same key and fix are reported once, because all replicas of a board
  /// have them. Ignores all problems after the first kMost.
  void problem(const Where& where, std::string message, std::string fix) {
    if (problems.size() >= kMost) return;
    for (const Problem& p : problems) {
      if (p.where.key == where.key && p.fix == fix) return;
    }
    problems.push_back({where, std::move(message), std::move(fix)});
  }
};

/// Returns the words that a parser accepts; an empty list if it also accepts other values, such as numbers.
/// For parse_bool, returns only true and false, without the synonyms.
template <class Parse>
std::vector<std::string> words_of(const Parse& parse) {
  if constexpr (requires { parse.words(); }) {
    return parse.words();
  } else if constexpr (std::is_same_v<Parse, decltype(&parse_bool)>) {
    return {"true", "false"};
  } else {
    return {};
  }
}

/// A map of the document, read key by key. A key becomes known when it is looked up; close() reports all
/// other keys.
class Section {
 public:
  /// `pattern` is the section's dotted path with list indices as []. Reports a problem if `node` is a scalar
  /// or a list. An empty node is an empty section.
  Section(Reading& reading, const Node& node, std::string pattern);

  const Where& where() const { return node_.where; }
  Reading& reading() { return reading_; }
  std::string pattern(std::string_view key) const;

  /// Returns the node of `key`, null if it is not given, and marks the key as known.
  const Node* find(std::string_view key);
  bool given(std::string_view key) const { return node_.find(key) != nullptr; }

  /// Parses the scalar at `key` into `out`. `out` is unchanged if the key is missing or invalid. `parse` is a
  /// function that takes the text of the scalar and returns a Parsed<…>.
  template <class T, class Parse>
  bool read(std::string_view key, T& out, Parse parse) {
    const Node* node = find(key);
    if (reading_.words) reading_.words->try_emplace(pattern(key), words_of(parse));
    return node != nullptr && scalar(*node, out, parse);
  }

  /// Like read(), for a mandatory key.
  template <class T, class Parse>
  bool require(std::string_view key, T& out, Parse parse, std::string_view example) {
    if (!given(key)) missing(key, example);
    return read(key, out, parse);
  }

  /// Returns the elements of the list at `key`; an empty list if the key is missing. Reports a problem if the
  /// value is not a list.
  const std::vector<Node>& list(std::string_view key);

  /// Parses the scalar `node` into `out`; returns false on error.
  template <class T, class Parse>
  bool scalar(const Node& node, T& out, Parse parse) {
    if (node.kind != Node::Kind::kScalar) {
      not_scalar(node);
      return false;
    }
    auto parsed = parse(node.text);
    if (!parsed.value) {
      reading_.problem(node.where, std::move(parsed.message), std::move(parsed.fix));
      return false;
    }
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      out = static_cast<T>(*parsed.value);
    } else {
      out = std::move(*parsed.value);
    }
    return true;
  }

  void missing(std::string_view key, std::string_view example);

  /// Reports every unknown key. Suggests the closest known key; if none is close, lists the known keys.
  void close();

 private:
  void not_scalar(const Node& node);

  Reading& reading_;
  const Node& node_;
  std::string pattern_;
  std::set<std::string, std::less<>> asked_;
};

/// Returns a parser for integers from `low` to `high`, for Section::read().
inline auto integer(std::uint64_t low, std::uint64_t high) {
  return [=](const std::string& text) { return parse_integer(text, low, high); };
}

/// Return parsers for times and sizes from `low` to `high`, for Section::read(). `what` names the value in
/// the error message, as for parse_size_in().
inline auto time_in(Time low, Time high, const char* what) {
  return [=](const std::string& text) { return parse_time_in(text, low, high, what); };
}
inline auto size_in(std::uint64_t low, std::uint64_t high, const char* what) {
  return [=](const std::string& text) { return parse_size_in(text, low, high, what); };
}

Parsed<std::string> parse_text(const std::string& text);

/// Names of the values of an enumeration, for reading and writing.
template <class T>
struct Choices {
  std::vector<std::pair<std::string, T>> names;

  Parsed<T> operator()(const std::string& text) const {
    std::string all;
    for (const auto& [name, value] : names) {
      if (text == name) return value;
      all += (all.empty() ? "" : ", ") + name;
    }
    return {"unknown value \"" + text + '"', "write one of " + all};
  }
  std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const auto& [name, value] : names) all.push_back(name);
    return all;
  }
  const std::string& name(T value) const {
    for (const auto& entry : names) {
      if (entry.second == value) return entry.first;
    }
    return names.front().first;
  }
};

}  // namespace softfeb::config
