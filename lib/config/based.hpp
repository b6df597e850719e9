// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/node.hpp"

#include <string>

namespace softfeb::config {

/// Like parse_yaml(), with inheritance. A document with `base: FILE` is that file (path relative to the
/// directory of `file`) with the keys under `set` applied as with `--set`. An experiment thus states only its
/// differences from another. Throws ConfigError.
Node parse_based(const std::string& text, const std::string& file);

/// Returns the contents of the file at `path`. Throws ConfigError.
std::string read_text(const std::string& path);

}  // namespace softfeb::config
