// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/error.hpp"

#include <stdexcept>

namespace softfeb::dataplane {

using softfeb::EnvironmentError;

/// What the user asked for makes no sense, whatever the machine (exit code 2): a device text, an impossible
/// value.
class RequestError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace softfeb::dataplane
