// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "access.hpp"
#include "catalogue.hpp"
#include "config/values.hpp"

#include <string>
#include <vector>

namespace softfeb::febctl {

/// One register value of a file.
struct FileValue {
  Register reg;
  Bits bits;
  config::Where where;
};

/// Reads register values from YAML and returns them in the order of the file. The keys of the file may be
/// nested like the register tree, may be names that the command `read` accepts, or may mix both forms. Throws
/// config::ConfigError with all problems: unknown names, read-only registers, invalid values, duplicate
/// registers.
std::vector<FileValue> read_values(const Catalogue& catalogue, const std::string& yaml,
                                   const std::string& file);

/// Writes readings in the format that `load` reads.
std::string write_values(const std::vector<Reading>& readings);

/// Returns true if a saved configuration should contain the register, that is, if the register is writable
/// and only stores its value. Returns false for registers that trigger an action and for flash registers.
bool is_setting(const Register& reg);

}  // namespace softfeb::febctl
