// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace softfeb::app {

/// Command line of `softfeb regs`.
struct RegsOptions {
  std::string profile;  ///< name of the profile; empty means the default
  bool csv = false;
  bool json = false;
};

/// Prints the register space of a firmware profile, and returns 0. If the name of the profile is unknown,
/// lists all profiles, and returns 2.
int regs(const RegsOptions& options);

}  // namespace softfeb::app
