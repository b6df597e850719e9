// SPDX-License-Identifier: BSD-3-Clause
#include "peers/quote.hpp"

#include "peers/peer.hpp"
#include "peers/sink_messages.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb::peers;

TEST_CASE("bytes from a peer are quoted as printable text", "[quote]") {
  CHECK(quote(std::string_view("abc")) == "'abc'");
  CHECK(quote(std::string_view("a\x1b[1m\n\xc3")) == "'a\\x1b[1m\\x0a\\xc3'");
  CHECK(quote(std::string(61, 'x')) == "'" + std::string(60, 'x') + "…'");
}

TEST_CASE("text from a peer cannot control the terminal", "[quote]") {
  CHECK(printable("bad MTU: 9 µm") == "bad MTU: 9 µm");
  CHECK(printable("\x1b[31mred\r\n\x7f") == "\\x1b[31mred\\x0d\\x0a\\x7f");
  CHECK(printable(std::string(1001, 'x')) == std::string(1000, 'x') + "…");
}

TEST_CASE("texts of rdma-sink are made printable", "[quote][sink]") {
  CHECK(sink::decode_report(R"({"problems": ["a\u001b", 7]})")["problems"] == nlohmann::json({"a\\x1b", 7}));
  CHECK_THROWS_WITH(sink::decode_report(R"({"error": "\u001b[2J"})"), "rdma-sink refuses: \\x1b[2J");
}

TEST_CASE("answers that are nested deeply are refused", "[sink]") {
  const std::string deep = "{\"held\": " + std::string(1'000'000, '[') + std::string(1'000'000, ']') + '}';
  CHECK_THROWS_WITH(sink::decode_report(deep), Catch::Contains("is nested too deeply: '{\"held\": [[["));
}
