// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb {

/// Runs the program's test cases as Catch2's own main() does: for programs that have to do something before.
/// Compiled once, since it takes as long as all else of a small program.
int run_catch(int argc, char* argv[]);

}  // namespace softfeb
