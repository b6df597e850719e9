// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/node.hpp"

#include <string>

/// Documents built from a file, its bases and overrides.
namespace softfeb::config {

/// Like parse_yaml(), with inheritance. If a document contains `base: FILE`, that file is loaded first; its
/// path is relative to the directory of `file`. Then the keys under the document's `set` are applied as with
/// `--set`. The file of an experiment thus contains only the differences from another experiment. Throws
/// ConfigError.
Node parse_based(const std::string& text, const std::string& file);

/// Returns the contents of the file at `path`. Throws ConfigError.
std::string read_text(const std::string& path);

/// Sets the node at `key` to `value`. The caller must have set value.where. `key` is a dotted path. In a map,
/// each step is a key. In a list, each step is an index, the length of the list (to append), or the `name` of
/// an element. Missing nodes are created; unknown keys are detected later, by the readers. Throws
/// ConfigError.
void set_path(Node& document, const std::string& key, Node value);

/// Applies `assignment` ("KEY=VALUE") to the document, as set_path() does. Throws ConfigError.
void apply_override(Node& document, const std::string& assignment);

}  // namespace softfeb::config
