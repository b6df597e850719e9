// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <string>

namespace softfeb::test {

/// Runs a shell command and discards its output. Returns the return value of std::system().
inline int run(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()); }

}  // namespace softfeb::test
