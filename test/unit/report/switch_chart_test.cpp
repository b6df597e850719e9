// SPDX-License-Identifier: BSD-3-Clause
#include "report/switch_chart.hpp"

#include "report/chart_axis.hpp"
#include "switch_sample.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using Catch::Contains;
using switchtest::Curve;

namespace {

constexpr ChartAxis::Wish kAmounts{.to_ticks = true, .from_zero = true};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t times_in(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++n;
  return n;
}

Curve curve_of(const std::string& name, const std::string& label, std::vector<Curve::Point> points) {
  return {.name = name,
          .label = label,
          .x_name = "queue depth",
          .x_unit = "B",
          .y_name = "share",
          .y_unit = "",
          .points = std::move(points)};
}

std::vector<Curve::Point> ramp(std::size_t n) {
  std::vector<Curve::Point> out;
  for (std::size_t k = 0; k < n; ++k) out.push_back({.x = double(k), .y = double(k % 7)});
  return out;
}

std::vector<Curve> curves_of_test(const std::string& name) {
  for (const auto& t : test::sample_switch_run().report.tests)
    if (t.name == name) return t.curves;
  return {};
}

}  // namespace

TEST_CASE("axes have round ticks and room for all values", "[switch_chart]") {
  const ChartAxis shares({0, 0.13, 1}, kAmounts);
  CHECK(shares.ticks() == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(shares.place(0) == 0);
  CHECK(shares.place(1) == Approx(1));
  const ChartAxis narrow({1000, 1010}, kAmounts);
  CHECK(narrow.ticks().front() == 1000);
  CHECK(narrow.place(1010) == Approx(1));
  CHECK(ChartAxis({200, 1000}, kAmounts).ticks().front() == 0);
  CHECK(ChartAxis({200, 1000}, {}).ticks().front() == 200);
  CHECK(ChartAxis({-3.5, 2}, kAmounts).ticks().front() == -4);
}

TEST_CASE("few integers have ticks at integers", "[switch_chart]") {
  const ChartAxis queues({1, 2, 3}, {});
  CHECK(queues.ticks() == std::vector<double>{1, 2, 3});
  CHECK(queues.place(1) > 0);
  CHECK(queues.place(3) < 1);
  CHECK(ChartAxis({0, 1, 2}, kAmounts).ticks() == std::vector<double>{0, 1, 2});
}

TEST_CASE("values far apart are on a logarithmic axis", "[switch_chart]") {
  const ChartAxis axis({1, 20'000}, {.logarithmic = true});
  CHECK(axis.logarithmic());
  CHECK(axis.ticks() == std::vector<double>{1, 10, 100, 1000, 10'000, 100'000});
  CHECK(axis.place(1000) == Approx(0.6));
  CHECK_FALSE(ChartAxis({0, 20'000}, {.logarithmic = true}).logarithmic());
  CHECK_FALSE(ChartAxis({1, 20'000}, {}).logarithmic());
}

TEST_CASE("degenerate axes are usable", "[switch_chart]") {
  for (const auto& values : {std::vector<double>{}, {0}, {5}, {-5}, {1e300, -1e300}, {1e-300}, {0.1, 0.1}}) {
    const ChartAxis axis(values, kAmounts);
    CHECK(axis.ticks().size() < 25);
    for (const double v : values) CHECK(std::isfinite(axis.place(v)));
  }
}

TEST_CASE("ticks are short texts", "[switch_chart]") {
  CHECK(tick_words(0.6000000000000001) == "0.6");
  CHECK(tick_words(4174) == "4174");
  CHECK(tick_words(250'000) == "250k");
  CHECK(tick_words(-2'000'000) == "-2M");
  CHECK(tick_words(0) == "0");
}

TEST_CASE("the marking curve has bars and a fit", "[switch_chart]") {
  const std::string html = switch_charts(curves_of_test("ecn"));
  CHECK(times_in(html, "<figure class=\"chart\">") == 1);
  CHECK_THAT(html, Contains("<figcaption>Share of marked frames by queue depth</figcaption>") &&
                       Contains(">queue depth in B</text>"));
  CHECK(times_in(html, "class=\"bar\"") == 60);
  CHECK(times_in(html, "<title>") == 60);
  CHECK(times_in(html, "<path class=\"line d0\"") == 2);  // one for the fit, and one in the legend
  CHECK(times_in(html, "class=\"join") == 0);
}

TEST_CASE("many curves have a chart for each condition", "[switch_chart]") {
  const std::string html = switch_charts(curves_of_test("latency"));
  CHECK(times_in(html, "<figure class=\"chart\">") == 4);
  CHECK_THAT(html, Contains("<figcaption>Delay by frame size at 50 % load</figcaption>") &&
                       Contains("</svg>p99</li>"));
  std::vector<Curve> many;
  for (int k = 0; k < 8; ++k)
    many.push_back(curve_of("rate", "board " + std::to_string(k) + " at p0", ramp(5)));
  // If all curves have the same condition, they are not split by condition, but into charts of at most six
  // curves.
  CHECK(times_in(switch_charts(many), "<figure class=\"chart\">") == 2);
  many[3].label = "no condition";
  CHECK(times_in(switch_charts(many), "<figure class=\"chart\">") == 2);
}

TEST_CASE("curves of other names or units have charts of their own", "[switch_chart]") {
  std::vector<Curve> curves{curve_of("soak", "p50", ramp(5)), curve_of("soak", "p99", ramp(5)),
                            curve_of("incast", "N", ramp(5))};
  CHECK(times_in(switch_charts(curves), "<figure class=\"chart\">") == 2);
  curves[1].y_unit = "ns";
  CHECK(times_in(switch_charts(curves), "<figure class=\"chart\">") == 3);
}

TEST_CASE("any curve can be drawn", "[switch_chart]") {
  CHECK(switch_charts({}).empty());
  CHECK(switch_charts({curve_of("x", "", {})}).empty());
  CHECK(switch_charts({curve_of("x", "", {{.x = kNan, .y = 1}})}).empty());
  const std::string html = switch_charts({curve_of(
      "x", "", {{.x = 1, .y = 0, .low = kNan, .high = 1}, {.x = 1, .y = kNan}, {.x = 1, .y = 1e300}})});
  CHECK_THAT(html, !Contains("nan") && !Contains("inf"));
  CHECK(times_in(html, "<title>") == 2);
  CHECK_THAT(switch_charts({Curve{.name = "x", .points = {{.x = 1, .y = 2}}}}), Contains("<figcaption>"));
}

TEST_CASE("zeros are left out on a logarithmic axis only", "[switch_chart]") {
  std::vector<Curve::Point> points{{.x = 1, .y = 1, .low = 0.5, .high = 2}, {.x = 2, .y = 20'000}};
  const std::string html = switch_charts({curve_of("x", "", points)});
  CHECK_THAT(html, Contains(">10k</text>") || Contains(">10000</text>"));
  points.push_back({.x = 3, .y = 0});
  CHECK(times_in(switch_charts({curve_of("x", "", points)}), "<title>") == 3);
}

TEST_CASE("long curves are thinned out, but keep their extremes", "[switch_chart]") {
  std::vector<Curve::Point> points = ramp(10'000);
  points[7777].y = 1e6;
  Curve curve = curve_of("order", "queue 1", points);
  const std::string html = switch_charts({curve});
  CHECK(times_in(html, "class=\"dot\"") <= 402);
  CHECK_THAT(html, Contains("<title>7777 B: 1e+06 ") && Contains("the extremes are drawn"));
  CHECK(times_in(switch_charts({curve_of("order", "", ramp(400))}), "extremes") == 0);
  // A long curve without error bars is drawn as a line if its points are ordered.
  CHECK(times_in(switch_charts({curve_of("soak", "p50", ramp(1440))}), "class=\"dot\"") == 0);
}
