// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/node.hpp"

#include <string>

namespace softfeb::config {

/// As parse_yaml(). A document with `base: FILE` is that file (relative to `file`'s directory) with the keys
/// of the document's `set` put in, `--set`'s way: what one experiment changes of another stands in one place.
/// Throws ConfigError.
Node parse_based(const std::string& text, const std::string& file);

/// What the file at `path` holds. Throws ConfigError.
std::string read_text(const std::string& path);

}  // namespace softfeb::config
