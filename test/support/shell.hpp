// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <string>

namespace softfeb::test {

/// Runs a command of the shell, without its output; returns its exit status, as std::system() does.
inline int run(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()); }

}  // namespace softfeb::test
