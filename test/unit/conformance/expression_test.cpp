// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/expression.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Matchers::Contains;

namespace {

constexpr Symbols kSymbols{.e = 1000, .pmtu = 1024, .size = 1'048'576, .i = 7};

std::uint64_t value_of(const char* text) { return Expression::parse(text).value(kSymbols); }

}  // namespace

TEST_CASE("an expression is a sum of numbers and symbols", "[expression]") {
  CHECK(value_of("0") == 0);
  CHECK(value_of("42") == 42);
  CHECK(value_of("0x2a") == 42);
  CHECK(value_of("0XFFFFFF") == 0xffffff);
  CHECK(value_of("18446744073709551615") == UINT64_MAX);
  CHECK(value_of("e") == 1000);
  CHECK(value_of("P") == 1024);
  CHECK(value_of("S") == 1'048'576);
  CHECK(value_of("i") == 7);
  CHECK(value_of("e+1") == 1001);
  CHECK(value_of("e+i") == 1007);
  CHECK(value_of("2P+1") == 2049);
  CHECK(value_of("0x10e") == 0x10e);  // `e` is a hexadecimal digit here, not the symbol
  CHECK(value_of("3P/2") == 1536);
  CHECK(value_of("P/2+P/2") == 1024);
  CHECK(value_of("P/0x10") == 64);
  CHECK(value_of("7/2") == 3);
  CHECK(value_of("S-P-512") == 1'048'576 - 1024 - 512);
  CHECK(value_of("+3") == 3);
}

TEST_CASE("expressions are computed modulo 2^64", "[expression]") {
  CHECK(value_of("-1") == UINT64_MAX);
  CHECK(value_of("e-1001") == UINT64_MAX);
  CHECK(value_of("0xffffffffffffffff+2") == 1);
  CHECK(value_of("-P/2") == ~std::uint64_t{511});
  CHECK(Expression(5).value({}) == 5);
  CHECK(Expression().value(kSymbols) == 0);
}

TEST_CASE("expressions are equal if they are written alike", "[expression]") {
  CHECK(Expression::parse("2P+1") == Expression::parse("2P+1"));
  CHECK_FALSE(Expression::parse("2P+1") == Expression::parse("2P+2"));
  CHECK(Expression::parse("12") == Expression(12));
}

TEST_CASE("a wrong expression is refused, and the message says why", "[expression]") {
  struct Row {
    const char* text;
    const char* what;
  };
  const Row rows[] = {
      {"", "it is empty"},
      {"x", "unknown symbol 'x'"},
      {"e+", "a term is missing"},
      {"e + 1", "'+' or '-' is missing before ' + 1'"},
      {"--1", "unknown symbol '-'"},
      {"2 ", "'+' or '-' is missing before ' '"},
      {"0xg", "unknown symbol"},
      {"0x", "'+' or '-' is missing before 'x'"},
      {"12P3", "'+' or '-' is missing before '3'"},
      {"P/0", "a divisor must be a positive number"},
      {"P/", "a divisor must be a positive number"},
      {"P/e", "a divisor must be a positive number"},
      {"18446744073709551616", "a number exceeds 64 bits"},
      {"0x10000000000000000", "a number exceeds 64 bits"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK_THROWS_WITH(Expression::parse(row.text), Contains(row.what) && Contains("fix: write a sum"));
    CHECK_THROWS_AS(Expression::parse(row.text), NotationError);
  }
}

TEST_CASE("texts are split at a character and trimmed", "[notation]") {
  using Parts = std::vector<std::string_view>;
  CHECK(trimmed("  a b ") == "a b");
  CHECK(trimmed("   ").empty());
  CHECK(split("a, ,b", ',') == Parts{"a", "", "b"});
  CHECK(split("", ',') == Parts{""});
  CHECK(split_words(" a  b ", ' ') == Parts{"a", "b"});
  CHECK(split_words(" ; ", ';').empty());
}

TEST_CASE("the edit distance ignores the case of letters", "[notation]") {
  CHECK(edit_distance("PSN-04", "psn-04") == 0);
  CHECK(edit_distance("PSN-4", "PSN-04") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}
