// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace softfeb::config {

/// A configuration error: its place, a description, and the fix.
struct Problem {
  Where where;
  std::string message;
  std::string fix;
};

/// "FILE:LINE: KEY: MESSAGE; fix: FIX" (from --set: "--set KEY: …").
std::string to_string(const Problem& problem);

/// The configuration is invalid. what() lists all problems, one per line. Programs exit with status 2. Set-up
/// code also throws it for errors that the file alone does not show: throw ConfigError({{where, "…", "…"}}).
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Problem> problems);

  /// Never empty. Problems found in the same pass are in file order.
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace softfeb::config
