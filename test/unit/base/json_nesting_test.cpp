// SPDX-License-Identifier: BSD-3-Clause
#include "base/json_nesting.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;

TEST_CASE("The nesting of JSON is that of its arrays and objects") {
  CHECK(json_nesting("") == 0);
  CHECK(json_nesting("17") == 0);
  CHECK(json_nesting("{}") == 1);
  CHECK(json_nesting(R"({"a": [1, {"b": []}], "c": []})") == 4);
  CHECK(json_nesting(R"(["[[[", "\"[[", "\\", [1]])") == 2);
}

TEST_CASE("The nesting of a text that is not JSON is an upper bound") {
  CHECK(json_nesting("]]]][[[") == 3);
  CHECK(json_nesting("[\"[[[") == 1);
  CHECK(json_nesting("\"\\") == 0);
  CHECK(json_nesting(std::string(100'000, '[')) == 100'000);
}
