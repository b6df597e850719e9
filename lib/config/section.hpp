// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/error.hpp"
#include "config/node.hpp"
#include "config/parsed.hpp"
#include "config/units.hpp"

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

/// What reading a document gathers besides its values.
struct Reading {
  static constexpr std::size_t kMost = 100;

  std::vector<Problem> problems;
  std::map<std::string, Where> places;  ///< of every key given, by dotted path
  std::set<std::string> known;          ///< every key asked for, list indices as []: boards[].qps[].pmtu

  /// One problem a key and fix, since replicas of a board all have the same one; at most kMost, since nobody
  /// reads more.
  void problem(const Where& where, std::string message, std::string fix) {
    if (problems.size() >= kMost) return;
    for (const Problem& p : problems) {
      if (p.where.key == where.key && p.fix == fix) return;
    }
    problems.push_back({where, std::move(message), std::move(fix)});
  }
};

/// A map of the document, read key by key. Which keys exist is what was asked for: close() reports the
/// others.
class Section {
 public:
  /// `pattern` is the section's dotted path with list indices as []. A node that is no map is a problem.
  Section(Reading& reading, const Node& node, std::string pattern);

  const Where& where() const { return node_.where; }
  Reading& reading() { return reading_; }
  std::string pattern(std::string_view key) const;

  /// The node of `key`, null when it is not given. From now on the key is known.
  const Node* find(std::string_view key);
  bool given(std::string_view key) const { return node_.find(key) != nullptr; }

  /// Sets `out` from the scalar at `key`; leaves it when the key is missing or wrong. `parse`: text ->
  /// Parsed<…>.
  template <class T, class Parse>
  bool read(std::string_view key, T& out, Parse parse) {
    const Node* node = find(key);
    return node != nullptr && scalar(*node, out, parse);
  }

  /// read() of a key that must be there.
  template <class T, class Parse>
  bool require(std::string_view key, T& out, Parse parse, std::string_view example) {
    if (!given(key)) missing(key, example);
    return read(key, out, parse);
  }

  /// The elements of the list at `key`; none when it is missing, a problem when it is no list.
  const std::vector<Node>& list(std::string_view key);

  /// `node` as a scalar of any key.
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

  /// Reports every key nobody asked for, with the nearest one that exists.
  void close();

 private:
  void not_scalar(const Node& node);

  Reading& reading_;
  const Node& node_;
  std::string pattern_;
  std::set<std::string, std::less<>> asked_;
};

/// Parsers for Section::read() that need a bound or a list of words.
inline auto integer(std::uint64_t low, std::uint64_t high) {
  return [=](const std::string& text) { return parse_integer(text, low, high); };
}

Parsed<std::string> parse_text(const std::string& text);

/// Names of an enumeration's values, for reading and writing.
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
  const std::string& name(T value) const {
    for (const auto& entry : names) {
      if (entry.second == value) return entry.first;
    }
    return names.front().first;
  }
};

}  // namespace softfeb::config
