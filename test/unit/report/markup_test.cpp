// SPDX-License-Identifier: BSD-3-Clause
#include "report/markup.hpp"

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

using namespace softfeb::report;
using namespace std::string_literals;

namespace {

const std::string kReplaced = "\xef\xbf\xbd";

}  // namespace

TEST_CASE("characters with a meaning in HTML and XML are escaped", "[markup]") {
  CHECK(escaped("a<b> & \"c\" 'd'") == "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  CHECK(escaped("").empty());
  // Text that looks like an entity is escaped as well.
  CHECK(escaped("&lt;") == "&amp;lt;");
  CHECK(escaped("line\none\ttab\r") == "line\none\ttab\r");
}

TEST_CASE("UTF-8 passes, up to the last character of Unicode", "[markup]") {
  for (const std::string& text :
       {"\x7f"s, "µ"s, "✓"s, "\U00010000"s, "\U0010ffff"s, "\ud7ff"s, "\ue000"s, "\ufffd"s}) {
    CAPTURE(text);
    CHECK(character_length(text) == text.size());
    CHECK(escaped("a" + text + "b") == "a" + text + "b");
  }
}

TEST_CASE("bytes that are not UTF-8 are replaced one by one", "[markup]") {
  CHECK(escaped("\xff\xfe") == kReplaced + kReplaced);
  CHECK(escaped("a\x80z") == "a" + kReplaced + "z");
  // These sequences are cut short, by the end of the text or by another character.
  CHECK(escaped("\xc3") == kReplaced);
  CHECK(escaped("\xe2\x9c") == kReplaced + kReplaced);
  CHECK(escaped("\xc3<") == kReplaced + "&lt;");
  CHECK(escaped("\xf0\x9f\x98") == kReplaced + kReplaced + kReplaced);
  // The byte after the end of the view must not be read as part of the character.
  CHECK(character_length(std::string_view("\xc3\xbc", 1)) == 0);
  CHECK(escaped(std::string_view("\xe2\x9c\x93", 2)) == kReplaced + kReplaced);
  // UTF-8 has no sequences of five or six bytes.
  CHECK(character_length("\xf8\x88\x80\x80\x80") == 0);
  CHECK(character_length("\xfc\x84\x80\x80\x80\x80") == 0);
  CHECK(character_length("") == 0);
}

TEST_CASE("overlong characters hide neither < nor control characters", "[markup]") {
  // These encode "<" in two, three and four bytes.
  for (const std::string& text : {"\xc0\xbc"s, "\xe0\x80\xbc"s, "\xf0\x80\x80\xbc"s}) {
    CAPTURE(text);
    CHECK(character_length(text) == 0);
    CHECK(escaped(text).find('<') == std::string::npos);
    CHECK(escaped(text).substr(0, 3) == kReplaced);
  }
  CHECK(character_length("\xe0\x9f\xbf") == 0);      // U+07FF in three bytes
  CHECK(character_length("\xf0\x8f\xbf\xbf") == 0);  // U+FFFF in four bytes
}

TEST_CASE("characters that XML forbids are replaced", "[markup]") {
  for (int c = 0; c < 0x20; ++c) {
    const std::string text(1, static_cast<char>(c));
    CAPTURE(c);
    const bool permitted = c == '\t' || c == '\n' || c == '\r';
    CHECK(escaped(text) == (permitted ? text : kReplaced));
  }
  CHECK(character_length("\xed\xa0\x80") == 0);      // surrogate U+D800
  CHECK(character_length("\xed\xbf\xbf") == 0);      // surrogate U+DFFF
  CHECK(character_length("\xef\xbf\xbe") == 0);      // U+FFFE
  CHECK(character_length("\xef\xbf\xbf") == 0);      // U+FFFF
  CHECK(character_length("\xf4\x90\x80\x80") == 0);  // beyond U+10FFFF
  CHECK(escaped("\0x"s) == kReplaced + "x");
}

TEST_CASE("a terminal gets no control characters", "[markup]") {
  CHECK(printable("plain µ …") == "plain µ …");
  CHECK(printable("a\x1b[31m\n\x7f") == "a?[31m??");
  CHECK(printable("\xc2\x9b") == "?");  // the control character CSI, in two bytes
  CHECK(printable("\xc2\xa0") == "\xc2\xa0");
  CHECK(printable("\xff"
                  "a\xe2\x82") == "?a??");
}
