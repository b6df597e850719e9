// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/node.hpp"

#include <string>

namespace softfeb::config {

/// Sets the node at `key` to `value`, whose place must be set. `key` is a dotted path. A step is a key of a
/// map, or for lists an index, the list length (appends) or the `name` of an element. Missing nodes are
/// created; unknown keys are detected later, by the readers. Throws ConfigError.
void set_path(Node& document, const std::string& key, Node value);

/// Applies `assignment` ("KEY=VALUE") to the document, as set_path() does. Throws ConfigError.
void apply_override(Node& document, const std::string& assignment);

}  // namespace softfeb::config
