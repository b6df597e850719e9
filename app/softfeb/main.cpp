// SPDX-License-Identifier: BSD-3-Clause
#include "base/exit_code.hpp"
#include "command_line.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

namespace {

/// Writes the buffered output. A program that could not print its result must not report success.
int finish_output(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  std::fprintf(stderr, "softfeb: cannot write to standard output: %s\n", std::strerror(errno));
  return status == softfeb::kDone ? int{softfeb::kEnvironment} : status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return finish_output(softfeb::app::run_command_line(argc, argv, {}));
  } catch (const std::bad_alloc&) {
    // Memory ran out before a command started. Once a command runs, it reports this error itself.
    std::fputs("softfeb: out of memory; fix: add memory\n", stderr);
    return softfeb::kEnvironment;
  }
}
