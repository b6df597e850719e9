// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

namespace softfeb::sink {

/// Exception for a line that is refused. Sent to the client as {"error": …}, with the problem and the fix.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws a Refusal for a failed system call. `error` is its errno.
[[noreturn]] inline void refuse(const std::string& what, int error) {
  throw Refusal(what + ": " + std::strerror(error));
}

}  // namespace softfeb::sink
