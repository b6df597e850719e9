// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/node.hpp"

#include <string>

namespace softfeb::config {

/// Puts `value`, which knows its place, at `key`, a dotted path: steps are keys of maps; in lists an index,
/// the length of the list to append, or the `name` of an element. What is not there yet is made; whether the
/// key exists is for the readers to say. Throws ConfigError.
void set_path(Node& document, const std::string& key, Node value);

/// Puts `assignment` ("KEY=VALUE") into the document, as set_path() does. Throws ConfigError.
void apply_override(Node& document, const std::string& assignment);

}  // namespace softfeb::config
