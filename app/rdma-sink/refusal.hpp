// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

namespace softfeb::sink {

/// Exception for a line that is refused. Its message, which states the problem and the fix, is sent to the
/// client as {"error": …}.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws a Refusal for a failed system call. `error` is its errno.
[[noreturn]] inline void refuse(const std::string& what, int error) {
  throw Refusal(what + ": " + std::strerror(error));
}

}  // namespace softfeb::sink
