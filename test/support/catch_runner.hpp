// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::test {

/// Runs the test cases as Catch2's own main() does, for programs that must initialize something first. The
/// definition is in a separate file that is compiled only once, because its compilation takes as long as that
/// of a small program.
int run_catch(int argc, char* argv[]);

}  // namespace softfeb::test
