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

/// Reads register values from YAML: a tree of names, or names as `read` takes them, or both. Throws
/// config::ConfigError with everything that is wrong: unknown names, registers that cannot be written, values
/// they do not take, a register named twice. In the order of the file.
std::vector<FileValue> read_values(const Catalogue& catalogue, const std::string& yaml,
                                   const std::string& file);

/// The same format, of readings that `load` is to restore.
std::string write_values(const std::vector<Reading>& readings);

/// Registers whose values belong to a configuration: those that can be written and only hold what they are
/// given. Left out are those that set something off, and the flash's.
bool is_setting(const Register& reg);

}  // namespace softfeb::febctl
