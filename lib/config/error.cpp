// SPDX-License-Identifier: BSD-3-Clause
#include "config/error.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::config {
namespace {

std::string all_of(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += to_string(problem);
  }
  return text;
}

}  // namespace

std::string to_string(const Problem& problem) {
  const Where& where = problem.where;
  std::string text = where.file;
  if (where.line > 0) text += ':' + std::to_string(where.line);
  if (!where.key.empty()) text += (where.line > 0 || where.file != "--set" ? ": " : " ") + where.key;
  text += ": " + problem.message;
  if (!problem.fix.empty()) text += "; fix: " + problem.fix;
  return text;
}

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(all_of(problems)), problems_(std::move(problems)) {}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace softfeb::config
