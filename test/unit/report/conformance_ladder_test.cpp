// SPDX-License-Identifier: BSD-3-Clause
#include "conformance_sample.hpp"
#include "report/conformance_pages.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using Catch::Contains;
using conformance::CaseResult;
using conformance::TracePacket;

namespace {

using Judgement = TracePacket::Judgement;
using Fault = TracePacket::Fault;
constexpr Time kGap = 20 * kMicrosecond;

/// Returns a case with one part and one queue pair.
const conformance::Case& plain_case() {
  static const conformance::Catalogue kCatalogue;
  return *kCatalogue.find("BAS-01");
}

TracePacket packet(Time at, Judgement judgement, std::string comment = "", Fault fault = Fault::kNone) {
  return {.at = at,
          .judgement = judgement,
          .fault = fault,
          .part = 1,
          .step = 1,
          .opcode = 0x0a,
          .psn = 5,
          .first_psn = 5,
          .length = 8,
          .comment = std::move(comment)};
}

std::string ladder_of(std::vector<TracePacket> trace, std::vector<conformance::MissingAnswer> missing = {}) {
  return packet_ladder({.of = &plain_case(), .trace = std::move(trace), .missing = std::move(missing)}, kGap);
}

std::size_t count_in(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("packets are arrows to the receiver and back", "[conformance_ladder]") {
  const std::string svg =
      ladder_of({packet(0, Judgement::kSent, "O(e,8)"), packet(2 * kMicrosecond, Judgement::kExpected)});
  // The requester's line is at x = 260, and the receiver's is at x = 660. Arrows of packets slope downwards.
  CHECK_THAT(
      svg,
      Contains(
          "<line x1=\"260\" y1=\"72\" x2=\"649\" y2=\"80\" class=\"sent\"/>\n<polygon points=\"660,81 "));
  CHECK_THAT(
      svg,
      Contains(
          "<line x1=\"660\" y1=\"110\" x2=\"270\" y2=\"118\" class=\"good\"/>\n<polygon points=\"260,119 "));
  CHECK_THAT(svg, Contains(">WRITE ONLY e, 8 B</text>") && Contains("text-anchor=\"end\">O(e,8)</text>") &&
                      Contains("text-anchor=\"end\">0 ns</text>") &&
                      Contains("text-anchor=\"end\">2 µs</text>"));
  CHECK_THAT(svg, Contains(">step 1   expects ACK e msn 1</text>"));
  CHECK(count_in(svg, "class=\"step\"") == 1);
  CHECK(count_in(svg, "class=\"gap\"") == 0);
}

TEST_CASE("every judgement has its look, and a sign that needs no colour", "[conformance_ladder]") {
  CHECK_THAT(ladder_of({packet(0, Judgement::kExpected)}),
             Contains("class=\"say good\"") && Contains(">✓</tspan>") && Contains(">expected</tspan>"));
  CHECK_THAT(ladder_of({packet(0, Judgement::kUnexpected, "second NAK")}),
             Contains("class=\"bad\"") && Contains("class=\"label strong\"") && Contains(">✗</tspan>") &&
                 Contains(">second NAK</tspan>"));
  CHECK_THAT(ladder_of({packet(0, Judgement::kTolerated)}),
             Contains("class=\"tolerated\"") && Contains(">tolerated: any answer"));
  CHECK_THAT(ladder_of({packet(0, Judgement::kForeign, "of an earlier case")}),
             Contains("class=\"foreign\"") && Contains(">–</tspan>") && !Contains("WRITE ONLY e,"));
}

TEST_CASE("an answer that did not come is dashed, where it was awaited", "[conformance_ladder]") {
  const std::string svg =
      ladder_of({packet(0, Judgement::kSent), packet(9 * kMicrosecond, Judgement::kSent, "last")},
                {{.part = 1, .step = 1, .at = 5 * kMicrosecond, .what = "ACK e msn 1"}});
  CHECK_THAT(svg, Contains("class=\"missing\"") && Contains("class=\"head missing\"") &&
                      Contains(">awaited: ACK e msn 1</text>") && Contains(">did not come</tspan>"));
  CHECK(svg.find("awaited") < svg.find(">last<"));
  CHECK(svg.find("awaited") > svg.find(">0 ns<"));
  // The awaited answer is also shown if there was no packet at all.
  CHECK_THAT(ladder_of({}, {{.part = 1, .step = 1, .what = "CNP"}}), Contains(">awaited: CNP</text>"));
}

TEST_CASE("faults are a cross, a second arrow, a late one, and a changed one", "[conformance_ladder]") {
  const std::string plain = ladder_of({packet(0, Judgement::kSent)});
  const std::string dropped = ladder_of({packet(0, Judgement::kNotSent, "rule 1: drop")});
  CHECK_THAT(dropped, Contains(">rule 1: drop</text>") && Contains(">dropped by a fault rule</tspan>"));
  CHECK(count_in(dropped, "class=\"cross\"") == 2);
  CHECK(count_in(dropped, "<polygon") == 0);  // no arrow, because the packet does not reach the receiver
  const std::string twice = ladder_of({packet(0, Judgement::kSent, "", Fault::kDuplicate)});
  CHECK(count_in(twice, "class=\"sent\"/>") == count_in(plain, "class=\"sent\"/>") + 1);
  CHECK_THAT(twice, Contains(">sent twice</tspan>"));
  const std::string late = ladder_of({packet(0, Judgement::kSent, "", Fault::kLate)});
  CHECK(count_in(late, "class=\"sent late\"") == 2);
  CHECK_THAT(late, Contains(">late</tspan>"));
  const std::string changed = ladder_of({packet(0, Judgement::kSent, "", Fault::kChanged)});
  CHECK(count_in(changed, "<rect ") == 1);
  CHECK_THAT(changed, Contains(">changed on the way</tspan>"));
  CHECK_THAT(plain,
             !Contains("<rect ") && !Contains("late") && !Contains("cross") && !Contains("class=\"say"));
}

TEST_CASE("long times without a packet are gaps with their length", "[conformance_ladder]") {
  CHECK_THAT(ladder_of({packet(0, Judgement::kSent), packet(kGap, Judgement::kSent)}),
             Contains(">20 µs without a packet</text>") && Contains(">+20 µs</text>") &&
                 Contains("class=\"lane broken\""));
  CHECK_THAT(ladder_of({packet(0, Judgement::kSent), packet(kGap - 1, Judgement::kSent)}),
             !Contains("without a packet"));
  // A packet whose time is earlier than that of the packet before it does not make a gap. Such packets occur
  // because a delayed copy can leave after the packets that follow it.
  CHECK_THAT(ladder_of({packet(kGap, Judgement::kSent), packet(0, Judgement::kSent)}),
             !Contains("without a packet"));
}

TEST_CASE("texts from the target are escaped and shortened", "[conformance_ladder]") {
  const std::string hostile = "</text><script>alert(1)</script>\xff\x01\" onload=\"x";
  const std::string svg =
      ladder_of({packet(0, Judgement::kUnexpected, hostile), packet(0, Judgement::kSent, hostile)},
                {{.part = 1, .step = 1, .what = hostile}});
  CHECK_THAT(svg, !Contains("<script") && !Contains("\xff") && !Contains("\x01") && !Contains("onload=\""));
  CHECK_THAT(svg, Contains("<title>&lt;/text&gt;&lt;script&gt;"));  // the title has the whole text
  const std::string words =
      ladder_of({packet(0, Judgement::kUnexpected, std::string(50, 'a') + " " + std::string(50, 'b'))});
  CHECK_THAT(words, Contains(">" + std::string(33, 'a') + "…</tspan>") ||
                        Contains(">" + std::string(34, 'a') + "…</tspan>"));
  // Text is never cut within a character of several bytes.
  CHECK_THAT(ladder_of({packet(0, Judgement::kSent, std::string(25, 'x') + "µµµ")}),
             Contains(">" + std::string(25, 'x') + "µ…</text>"));
  CHECK_THAT(
      ladder_of({packet(0, Judgement::kUnexpected, "the target answered an invalid packet with this one")}),
      Contains(">the target answered an invalid</tspan>") && Contains(">packet with this one</tspan>"));
}

TEST_CASE("parts and queue pairs are named", "[conformance_ladder]") {
  const conformance::Catalogue catalogue;
  const conformance::Case& c = *catalogue.find("BAS-19");
  REQUIRE(c.parts.size() == 2);
  TracePacket first = packet(0, Judgement::kSent), second = first;
  second.part = 2;
  const std::string svg = packet_ladder({.of = &c, .trace = {first, second}}, kGap);
  CHECK(svg.find("<h3>Part 1 of 2, on fresh queue pairs</h3>") <
        svg.find("<h3>Part 2 of 2, on fresh queue pairs</h3>"));
  CHECK(count_in(svg, "<svg ") == 2);
  CHECK(count_in(svg, "class=\"sent\"/>") == 2);  // each part draws its own packet
  CHECK_THAT(svg, !Contains("not drawn"));
  CHECK_THAT(svg, Contains("aria-label=\"Packets of BAS-19, part 2\""));
  CHECK_THAT(ladder_of({first}), !Contains("<h3>") && !Contains("QP 1:"));
  for (const auto& group : catalogue.groups()) {
    for (const conformance::Case& many : group.cases) {
      if (many.parts.empty() || many.parts[0].qps.size() < 2) continue;
      TracePacket p = first;
      p.qp = 1;
      CHECK_THAT(packet_ladder({.of = &many, .trace = {p}}, kGap),
                 Contains(">QP 2: WRITE ONLY e, 8 B</text>"));
      return;
    }
  }
  FAIL("no case has two queue pairs");
}

TEST_CASE("of a long trace, the ends and the surprises are drawn", "[conformance_ladder]") {
  std::vector<TracePacket> trace;
  for (int k = 0; k < 1'000; ++k) trace.push_back(packet(0, Judgement::kSent, "n" + std::to_string(k) + "."));
  CHECK(count_in(ladder_of({trace.begin(), trace.begin() + 240}), "class=\"note\"") == 240);
  trace[500].judgement = Judgement::kUnexpected;
  const std::string svg = ladder_of(trace);
  for (const char* drawn : {"n0.", "n119.", "n498.", "n499.", "n500.", "n501.", "n502.", "n940.", "n999."})
    CHECK_THAT(svg, Contains(std::string(">") + drawn + "<"));
  for (const char* left_out : {"n120.", "n497.", "n503.", "n939."}) CHECK_THAT(svg, !Contains(left_out));
  CHECK_THAT(svg, Contains(">378 packets are not drawn; the capture has them</text>") &&
                      Contains(">437 packets are not drawn"));
  // The drawing is split into pictures that fit on printed pages.
  CHECK(count_in(svg, "<svg ") > 8);
  CHECK_THAT(svg, Contains("aria-label=\"Packets of BAS-01, 2 of "));
}

TEST_CASE("a trace full of surprises is limited, too", "[conformance_ladder]") {
  std::vector<TracePacket> trace(100'000, packet(0, Judgement::kUnexpected, "unasked"));
  const std::string svg = ladder_of(std::move(trace));
  CHECK(count_in(svg, "class=\"say bad\"") < 260);
  CHECK(svg.size() < 200'000);
}
