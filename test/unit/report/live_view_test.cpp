// SPDX-License-Identifier: BSD-3-Clause
#include "report/live_view.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb::report;

namespace {

LiveView::Board row(const std::string& name) {
  LiveView::Board b;
  b.name = name;
  b.state = "sends";
  b.rc_gbps = 5;
  b.sent_gbps = 4;
  return b;
}

std::vector<std::string> lines(const LiveView& view, std::size_t columns) {
  return lay_out(view, columns, 20, false);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("boards have columns for RTT and window if an algorithm has them", "[report]") {
  LiveView view{.heading = "1 s", .boards = {row("feb0"), row("feb1")}, .ports = {}};
  const auto dcqcn = lines(view, 120);
  REQUIRE(dcqcn.size() == 4);
  CHECK_FALSE(has(dcqcn[1], "RTT"));

  view.boards[0].rtt_us = 12.34;
  const auto timely = lines(view, 120);
  CHECK(has(timely[1], "RTT us"));
  CHECK_FALSE(has(timely[1], "window"));
  CHECK(has(timely[2], " 12.3  ="));
  CHECK(has(timely[3], "    -  ="));

  view.boards[1].window_bytes = 65536;
  const auto swift = lines(view, 120);
  CHECK(has(swift[1], "  RTT us     window  Gb/s"));
  CHECK(has(swift[2], "    12.3          -  ="));
  CHECK(has(swift[3], "       -     64 KiB  ="));
}

TEST_CASE("columns that do not fit are left out", "[report]") {
  LiveView view{.heading = "1 s", .boards = {row("feb0")}, .ports = {}};
  view.boards[0].rtt_us = 12.34;
  view.boards[0].window_bytes = 65536;
  const std::size_t name = 5;
  CHECK(has(lines(view, name + 57 + 9 + 11)[1], "window"));
  const auto narrow = lines(view, name + 57 + 9 + 10);
  CHECK(has(narrow[1], "RTT us"));
  CHECK_FALSE(has(narrow[1], "window"));
  CHECK_FALSE(has(lines(view, name + 57 + 8)[1], "RTT"));
  for (std::size_t columns = 1; columns < 120; ++columns) {
    for (const std::string& line : lines(view, columns)) CHECK(line.size() <= columns);
  }
}
