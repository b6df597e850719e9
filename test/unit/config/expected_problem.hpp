// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "documents.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

namespace softfeb::config::test {

/// A part of a valid document, its replacement, and the expected problem.
struct Row {
  const char* from;
  const char* to;
  int line;
  const char* key;
  const char* message;
  const char* fix;
};

/// Checks that `found` contains the row's problem, and that all problems have a fix.
inline void check_row(const Row& row, const char* file, const std::vector<Problem>& found) {
  INFO(row.from << " -> " << row.to);
  REQUIRE_FALSE(found.empty());
  std::string all;
  for (const Problem& p : found) all += to_string(p) + '\n';
  INFO(all);
  const bool there = std::any_of(found.begin(), found.end(), [&](const Problem& p) {
    return p.where.file == file && p.where.line == row.line && p.where.key == row.key &&
           p.message.find(row.message) != std::string::npos && p.fix.find(row.fix) != std::string::npos;
  });
  CHECK(there);
  CHECK(std::all_of(found.begin(), found.end(), [](const Problem& p) { return !p.fix.empty(); }));
}

}  // namespace softfeb::config::test
