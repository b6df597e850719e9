// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace softfeb::config {

/// A YAML document as a plain tree. Every node knows its position in the file. Scalars remain text, because
/// their type depends on the key; YAML's implicit types (on/off, sexagesimal, octal) do not apply.
struct Node {
  enum class Kind : std::uint8_t { kNull, kScalar, kMap, kList };

  Kind kind = Kind::kNull;
  std::string name;  ///< key in the parent map, or index in the parent list
  std::string text;  ///< value of a kScalar
  Where where;
  std::vector<Node> children;  ///< children of a map or list, in file order

  const Node* find(std::string_view child) const;
  Node* find(std::string_view child);
};

/// Parses one YAML document; empty text gives a kNull node. Throws ConfigError for malformed YAML, duplicate
/// keys, non-scalar keys, a second document, excessive nesting, and aliases that make the tree too large.
Node parse_yaml(const std::string& text, const std::string& file);

/// Sets Where::key of `node` and its descendants. `path` is the dotted path of `node`, "" for the document.
void assign_paths(Node& node, const std::string& path);

}  // namespace softfeb::config
