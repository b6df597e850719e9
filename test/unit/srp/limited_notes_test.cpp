// SPDX-License-Identifier: BSD-3-Clause
#include "srp/limited_notes.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;

TEST_CASE("a burst of notes is limited, and suppressed ones are counted") {
  std::vector<std::string> lines;
  LimitedNotes notes([&](const std::string& line) { lines.push_back(line); }, "of these", 1, 3);
  for (int i = 0; i < 286; ++i) notes.add(std::to_string(i), kSecond);
  CHECK(lines == std::vector<std::string>{"0", "1", "2"});
  notes.add("later", 2 * kSecond);
  REQUIRE(lines.size() == 5);
  CHECK(lines[3] == "283 more of these");
  CHECK(lines[4] == "later");
  notes.add("too soon", 2 * kSecond);
  notes.flush();
  notes.flush();
  REQUIRE(lines.size() == 6);
  CHECK(lines[5] == "1 more of these");
}
