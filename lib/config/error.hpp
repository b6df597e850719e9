// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::config {

/// A configuration error: its position in the file, a description, and the fix.
struct Problem {
  Where where;
  std::string message;
  std::string fix;
};

/// Formats a problem as "FILE:LINE: KEY: MESSAGE; fix: FIX". For a problem in an override, the text begins
/// with "--set KEY: …" instead.
std::string to_string(const Problem& problem);

/// Thrown if the configuration is invalid. what() lists all problems, one per line. Programs exit with status
/// 2. Set-up code also throws ConfigError for errors that cannot be detected from the file alone: throw
/// ConfigError({{where, "…", "…"}}).
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Problem> problems);

  /// Never empty. Problems found in the same stage of loading are in file order.
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// Edit distance: insertion, deletion, substitution and transposition of adjacent characters each cost 1.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the name in `known` that `word` most likely misspells; null if no name is close. `known` is a
/// container of strings.
template <class Strings>
const std::string* nearest(std::string_view word, const Strings& known) {
  // A word of this length is hardly a misspelled key, and its edit distances would take long to compute.
  if (word.size() > 64) return nullptr;
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(word, name);
    if (distance >= best_distance) continue;
    best = &name;
    best_distance = distance;
  }
  return best;
}

}  // namespace softfeb::config
