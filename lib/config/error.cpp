// SPDX-License-Identifier: BSD-3-Clause
#include "config/error.hpp"

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

}  // namespace softfeb::config
