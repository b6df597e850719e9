// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace softfeb::config {

/// One thing wrong with a configuration: where, what, and what to write instead.
struct Problem {
  Where where;
  std::string message;
  std::string fix;
};

/// "FILE:LINE: KEY: MESSAGE; fix: FIX" (from --set: "--set KEY: …").
std::string to_string(const Problem& problem);

/// A configuration that cannot be used. what() is every problem, one a line. Programs end with status 2.
/// Also for wiring code that finds out later what a file alone could not tell: throw ConfigError({{where,
/// "…", "…"}}).
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Problem> problems);

  /// Never empty; in the order of the file as far as they were found together.
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace softfeb::config
