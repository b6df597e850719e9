// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace softfeb {

/// The host or a device cannot do what was requested (exit code 3). what() returns one line with the reason
/// and, if known, the fix.
class EnvironmentError : public std::runtime_error {
 public:
  EnvironmentError(const std::string& reason, std::string fix)
      : std::runtime_error(fix.empty() ? reason : reason + "; " + fix),
        reason_(reason),
        fix_(std::move(fix)) {}
  const std::string& reason() const { return reason_; }
  const std::string& fix() const { return fix_; }

 private:
  std::string reason_;
  std::string fix_;
};

}  // namespace softfeb
