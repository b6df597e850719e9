// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/error.hpp"

#include <stdexcept>

namespace softfeb::dataplane {

using softfeb::EnvironmentError;

/// The request is invalid on any machine, such as a malformed device text or an impossible value (exit code
/// 2).
class RequestError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace softfeb::dataplane
