// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace softfeb::config {

/// A YAML document as a plain tree in which every node knows its place. Scalars stay text: what a number or a
/// rate is depends on the key, so YAML's own typing (on/off, sexagesimal, octal) never gets in the way.
struct Node {
  enum class Kind : std::uint8_t { kNull, kScalar, kMap, kList };

  Kind kind = Kind::kNull;
  std::string name;  ///< its key in the map it stands in, its index in a list
  std::string text;  ///< kScalar
  Where where;
  std::vector<Node> children;  ///< of maps and lists, in the order of the file

  const Node* find(std::string_view child) const;
  Node* find(std::string_view child);
};

/// Parses one YAML document; empty text is a kNull node. Throws ConfigError on malformed YAML, duplicate
/// keys, keys that are not scalars, a second document, nesting too deep, and aliases that would grow the tree
/// beyond any sensible size.
Node parse_yaml(const std::string& text, const std::string& file);

/// Gives `node` and all below it the keys that follow from `path`, its dotted path ("" for the document).
void assign_paths(Node& node, const std::string& path);

}  // namespace softfeb::config
