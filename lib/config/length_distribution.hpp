// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cdf.hpp"

#include <string>
#include <string_view>

namespace softfeb::config {

/// Reads a distribution of message lengths from a text file. Each line has two columns, separated by blanks
/// or tabs: a length in bytes and the probability (0…1) that a message has at most this length. Neither
/// column may decrease from line to line, and the last probability must be 1. Lengths between two lines are
/// interpolated (base/cdf.hpp). `#` begins a comment; empty lines are ignored.
///
/// Throws ConfigError, whose problems name file and line.
Cdf load_length_distribution(const std::string& path);
/// Parses the text of a distribution file; `file` is the name of the file in error messages.
Cdf parse_length_distribution(std::string_view text, const std::string& file);

}  // namespace softfeb::config
