// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/change_request.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::telemetry;

TEST_CASE("a change is parsed") {
  ChangeRequest c;
  REQUIRE_FALSE(parse_change(
      R"({"board":"feb 0","qps":"all","set":{"rai":"48Mb/s","dec_gain":2,"dcqcn_bypass":true}})", c));
  CHECK(c.board == "feb 0");
  CHECK_FALSE(c.qp);
  REQUIRE(c.given.size() == 3);
  CHECK(c.given[0] == std::pair<std::string, std::string>("rai", "48Mb/s"));
  CHECK(c.given[1] == std::pair<std::string, std::string>("dec_gain", "2"));
  CHECK(c.given[2] == std::pair<std::string, std::string>("dcqcn_bypass", "true"));

  ChangeRequest one;
  REQUIRE_FALSE(parse_change(R"({"board":"b","qps":7,"set":{"rai":1}})", one));
  CHECK(one.qp == 7U);
}

TEST_CASE("invalid changes are refused with the expected form") {
  for (const char* body :
       {"", "x", "[]", "{}", R"({"board":1,"set":{"rai":1}})", R"({"board":"b"})",
        R"({"board":"b","set":{}})", R"({"board":"b","set":[1]})", R"({"board":"b","set":{"rai":[1]}})",
        R"({"board":"b","set":{"rai":null}})", R"({"board":"b","qps":-1,"set":{"rai":1}})",
        R"({"board":"b","qps":"some","set":{"rai":1}})", R"({"board":"b","qps":4294967295,"set":{"rai":1}})",
        R"({"board":"b","sets":{},"set":{"rai":1}})", "{\"board\":\"\xff\",\"set\":{\"rai\":1}}"}) {
    CAPTURE(body);
    ChangeRequest c;
    const auto wrong = parse_change(body, c);
    REQUIRE(wrong);
    CHECK(wrong->status == 400);
    CHECK(wrong->body.find("\"fix\"") != std::string::npos);
  }
  ChangeRequest c;
  CHECK(parse_change(std::string(10'000, '['), c));
}

TEST_CASE("percent encoding") {
  CHECK(decode_percent("feb%200%2F") == std::string("feb 0/"));
  CHECK(decode_percent("") == std::string());
  CHECK_FALSE(decode_percent("%"));
  CHECK_FALSE(decode_percent("%4"));
  CHECK_FALSE(decode_percent("%zz"));
  CHECK_FALSE(decode_percent("%+1"));
}
