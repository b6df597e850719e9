// SPDX-License-Identifier: BSD-3-Clause
// Charts of the tests of a switch.
#include "report/switch_chart.hpp"

#include "report/chart_axis.hpp"
#include "report/markup.hpp"
#include "report/switch_rows.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using switchtest::Curve;
using CurveList = std::vector<const Curve*>;

constexpr double kChartWidth = 720, kChartHeight = 310, kChartLeft = 70, kChartRight = 16, kChartTop = 12,
                 kChartBottom = 48;
constexpr std::size_t kMostChartPoints = 400;
constexpr std::size_t kMostChartCurves = 6;  ///< maximum number of curves in a chart
constexpr std::size_t kChartColours = 8;

bool ends_with_fit(const Curve& c) {
  constexpr std::string_view kFit = "fit";
  return c.label.size() >= kFit.size() &&
         c.label.compare(c.label.size() - kFit.size(), kFit.size(), kFit) == 0;
}

bool is_finite(const Curve::Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

/// Returns the bound `v` of an interval; nullopt if it cannot be drawn, because it is unknown or infinite.
std::optional<double> finite(const std::optional<double>& v) {
  return v && std::isfinite(*v) ? v : std::nullopt;
}

std::string with_unit_of(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " in " + unit;
}

/// Returns the points to draw: all points or, if there are too many, the lowest and the highest point of each
/// part of the curve.
std::vector<Curve::Point> drawn_points(const Curve& curve) {
  std::vector<Curve::Point> all;
  std::copy_if(curve.points.begin(), curve.points.end(), std::back_inserter(all), is_finite);
  if (all.size() <= kMostChartPoints) return all;
  constexpr std::size_t kParts = kMostChartPoints / 2;
  std::vector<Curve::Point> out;
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(part * all.size() / kParts);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>((part + 1) * all.size() / kParts);
    auto [low, high] =
        std::minmax_element(begin, end, [](const auto& a, const auto& b) { return a.y < b.y; });
    if (low == high) high = end - 1;
    out.push_back(*std::min(low, high));
    if (low != high) out.push_back(*std::max(low, high));
  }
  return out;
}

/// How a curve is drawn.
enum class CurveLook : std::uint8_t {
  kPoints,  ///< points with bars
  kJoined,  ///< points with bars, and a thin line
  kLine,    ///< a line without points
};

CurveLook look_of(const Curve& curve, bool has_fit) {
  constexpr std::size_t kFewPoints = 80;
  constexpr std::array<std::string_view, 5> kUnjoined = {"order", "missing", "flows", "paths", "memory"};
  if (ends_with_fit(curve)) return CurveLook::kLine;
  if (has_fit || std::find(kUnjoined.begin(), kUnjoined.end(), curve.name) != kUnjoined.end())
    return CurveLook::kPoints;
  const bool bars = std::any_of(curve.points.begin(), curve.points.end(),
                                [](const Curve::Point& p) { return p.low || p.high; });
  return !bars && curve.points.size() > kFewPoints ? CurveLook::kLine : CurveLook::kJoined;
}

/// Outline of the symbol for the points of a curve.
const char* symbol(std::size_t curve) {
  constexpr std::array<const char*, 5> kShapes = {"M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
                                                  "M-3.2 -3.2h6.4v6.4h-6.4z", "M0 -4.4L4.2 3.2H-4.2z",
                                                  "M0 -4.6L4.6 0L0 4.6L-4.6 0z", "M0 4.4L4.2 -3.2H-4.2z"};
  return kShapes[curve % kShapes.size()];
}

class Chart {
 public:
  Chart(CurveList curves, std::string condition);
  std::string html() const;

 private:
  double x(double value) const {
    return kChartLeft + x_axis_.place(value) * (kChartWidth - kChartLeft - kChartRight);
  }
  double y(double value) const {
    return kChartHeight - kChartBottom - y_axis_.place(value) * (kChartHeight - kChartTop - kChartBottom);
  }
  /// Values on a logarithmic axis must be positive.
  bool can_draw(double value) const { return !y_axis_.logarithmic() || value > 0; }

  /// CSS class for the line of curve `k`. The first four lines of a chart have different dash patterns;
  /// further lines repeat these patterns.
  std::string line_class(const char* kind, std::size_t k) const;
  std::string title() const;
  std::string legend() const;
  std::string axes() const;
  std::string curve(std::size_t k) const;
  std::string line(std::size_t k, const char* kind) const;
  std::string bar(const Curve::Point& p) const;
  std::string dot(std::size_t k, const Curve::Point& p) const;

  static ChartAxis x_axis_of(const std::vector<std::vector<Curve::Point>>& points);
  static ChartAxis y_axis_of(const std::vector<std::vector<Curve::Point>>& points);

  CurveList curves_;
  /// Condition that all curves have in common, which is left out of the legend. May be empty.
  std::string condition_;
  std::vector<std::vector<Curve::Point>> points_;
  bool has_fit_;
  ChartAxis x_axis_, y_axis_;
};

std::vector<std::vector<Curve::Point>> points_of(const CurveList& curves) {
  std::vector<std::vector<Curve::Point>> out;
  for (const Curve* c : curves) out.push_back(drawn_points(*c));
  return out;
}

ChartAxis Chart::x_axis_of(const std::vector<std::vector<Curve::Point>>& points) {
  std::vector<double> values;
  for (const auto& list : points)
    for (const Curve::Point& p : list) values.push_back(p.x);
  return {values, {}};
}

ChartAxis Chart::y_axis_of(const std::vector<std::vector<Curve::Point>>& points) {
  std::vector<double> values;
  for (const auto& list : points)
    for (const Curve::Point& p : list) {
      values.push_back(p.y);
      if (const auto low = finite(p.low)) values.push_back(*low);
      if (const auto high = finite(p.high)) values.push_back(*high);
    }
  return {values, {.to_ticks = true, .from_zero = true, .logarithmic = true}};
}

Chart::Chart(CurveList curves, std::string condition)
    : curves_(std::move(curves)),
      condition_(std::move(condition)),
      points_(points_of(curves_)),
      has_fit_(std::any_of(curves_.begin(), curves_.end(), [](const Curve* c) { return ends_with_fit(*c); })),
      x_axis_(x_axis_of(points_)),
      y_axis_(y_axis_of(points_)) {}

std::string Chart::line_class(const char* kind, std::size_t k) const {
  constexpr std::ptrdiff_t kDashes = 4;
  const auto lines =
      std::count_if(curves_.begin(), curves_.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const Curve* c) { return look_of(*c, has_fit_) != CurveLook::kPoints; });
  return fmt::format("{} d{}", kind, lines % kDashes);
}

/// Returns the title, such as "Delay by frame size at 50 % load".
std::string Chart::title() const {
  std::string out = curves_.front()->y_name + " by " + curves_.front()->x_name;
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return condition_.empty() ? out : out + " at " + condition_;
}

std::string Chart::legend() const {
  std::string out = "<ul class=\"legend\">\n";
  for (std::size_t k = 0; k < curves_.size(); ++k) {
    const CurveLook look = look_of(*curves_[k], has_fit_);
    std::string label = curves_[k]->label;
    if (!condition_.empty()) label.resize(label.size() - condition_.size() - 4);  // 4 is the length of " at "
    out +=
        fmt::format("<li class=\"s{}\"><svg viewBox=\"0 0 36 12\" aria-hidden=\"true\">", k % kChartColours);
    if (look != CurveLook::kPoints)
      out += fmt::format("<path class=\"{}\" d=\"M1 6H35\"/>",
                         line_class(look == CurveLook::kLine ? "line" : "join", k));
    if (look != CurveLook::kLine)
      out += fmt::format("<path class=\"dot\" transform=\"translate(18 6)\" d=\"{}\"/>", symbol(k));
    out += "</svg>" + escaped(label.empty() ? curves_[k]->y_name : label) + "</li>\n";
  }
  return out + "</ul>\n";
}

std::string Chart::axes() const {
  std::string out = "<g class=\"axes\">\n";
  for (const double tick : y_axis_.ticks())
    out += fmt::format(
        "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text class=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n",
        kChartLeft, y(tick), kChartWidth - kChartRight, kChartLeft - 8, y(tick) + 4, tick_words(tick));
  for (const double tick : x_axis_.ticks())
    out += fmt::format(
        "<path class=\"tick\" d=\"M{:.1f} {}v5\"/><text class=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
        x(tick), kChartHeight - kChartBottom, x(tick), kChartHeight - kChartBottom + 19, tick_words(tick));
  const Curve& first = *curves_.front();
  out += fmt::format("<path class=\"tick\" d=\"M{} {}H{}\"/>\n", kChartLeft, kChartHeight - kChartBottom,
                     kChartWidth - kChartRight);
  out += fmt::format("<text class=\"middle name\" x=\"{}\" y=\"{}\">{}</text>\n",
                     (kChartLeft + kChartWidth - kChartRight) / 2, kChartHeight - 8,
                     escaped(with_unit_of(first.x_name, first.x_unit)));
  return out + fmt::format(
                   "<text class=\"middle name\" transform=\"translate(14 {}) rotate(-90)\">{}</text>\n</g>\n",
                   (kChartTop + kChartHeight - kChartBottom) / 2,
                   escaped(with_unit_of(first.y_name, first.y_unit)));
}

std::string Chart::line(std::size_t k, const char* kind) const {
  std::string path;
  for (const Curve::Point& p : points_[k])
    if (can_draw(p.y)) path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(p.x), y(p.y));
  return path.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", line_class(kind, k), path);
}

std::string Chart::bar(const Curve::Point& p) const {
  const double low = finite(p.low).value_or(p.y), high = finite(p.high).value_or(p.y);
  if (low == high || !can_draw(low) || !can_draw(high)) return {};
  return fmt::format("<path class=\"bar\" d=\"M{0:.1f} {1:.1f}V{2:.1f}m-3 0h6M{3:.1f} {1:.1f}h6\"/>\n",
                     x(p.x), y(low), y(high), x(p.x) - 3);
}

/// Returns the symbol of a point. The symbol shows the values of the point when the mouse pointer is over the
/// symbol.
std::string Chart::dot(std::size_t k, const Curve::Point& p) const {
  if (!can_draw(p.y)) return {};
  const Curve& c = *curves_[k];
  std::string words = fmt::format("{:.6g} {}: {:.6g} {}", p.x, c.x_unit, p.y, c.y_unit);
  if (finite(p.low) && finite(p.high)) words += fmt::format(" ({:.6g} to {:.6g})", *p.low, *p.high);
  return fmt::format(
      "<path class=\"dot\" transform=\"translate({:.1f} {:.1f})\" d=\"{}\"><title>{}</title></path>\n",
      x(p.x), y(p.y), symbol(k), escaped(words));
}

std::string Chart::curve(std::size_t k) const {
  const CurveLook look = look_of(*curves_[k], has_fit_);
  std::string out = fmt::format("<g class=\"s{}\">\n", k % kChartColours);
  if (look != CurveLook::kPoints) out += line(k, look == CurveLook::kLine ? "line" : "join");
  if (look != CurveLook::kLine) {
    for (const Curve::Point& p : points_[k]) out += bar(p);
    for (const Curve::Point& p : points_[k]) out += dot(k, p);
  }
  return out + "</g>\n";
}

std::string Chart::html() const {
  std::string out = fmt::format(
      "<figure class=\"chart\"><figcaption>{0}</figcaption>\n{1}<div class=\"scroll\" tabindex=\"0\" "
      "role=\"group\" aria-label=\"{0}\"><svg viewBox=\"0 0 {2} {3}\" role=\"img\" aria-label=\"{0}\">\n",
      escaped(title()), legend(), kChartWidth, kChartHeight);
  out += axes();
  // Fits are drawn last, so that points do not hide them.
  for (const bool fits : {false, true})
    for (std::size_t k = 0; k < curves_.size(); ++k)
      if (ends_with_fit(*curves_[k]) == fits) out += curve(k);
  out += "</svg></div>\n";
  if (std::any_of(curves_.begin(), curves_.end(),
                  [](const Curve* c) { return c->points.size() > kMostChartPoints; }))
    out += fmt::format("<p class=\"muted\">Of curves with more than {} points, the extremes are drawn.</p>\n",
                       kMostChartPoints);
  return out + "</figure>\n";
}

/// Returns the part of a label after " at ", such as "50 % load".
std::string condition_of(const Curve& c) {
  const std::size_t at = c.label.rfind(" at ");
  return at == std::string::npos ? "" : c.label.substr(at + 4);
}

/// Draws curves with the same name and unit: all in one chart or, if there are too many, one chart for each
/// condition, or charts with a few curves each.
std::string charts_of(const CurveList& curves) {
  if (curves.size() <= kMostChartCurves) return Chart(curves, "").html();
  std::vector<std::pair<std::string, CurveList>> parts;
  for (const Curve* c : curves) {
    const std::string condition = condition_of(*c);
    const auto it =
        std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == condition; });
    (it == parts.end() ? parts.emplace_back(condition, CurveList{}) : *it).second.push_back(c);
  }
  const bool useful = parts.size() > 1 && 2 * parts.size() <= curves.size() &&
                      std::all_of(parts.begin(), parts.end(), [](const auto& p) {
                        return !p.first.empty() && p.second.size() <= kMostChartCurves;
                      });
  std::string out;
  if (useful) {
    for (const auto& [condition, list] : parts) out += Chart(list, condition).html();
    return out;
  }
  for (std::size_t from = 0; from < curves.size(); from += kMostChartCurves) {
    const std::size_t to = std::min(from + kMostChartCurves, curves.size());
    out += Chart({curves.begin() + static_cast<std::ptrdiff_t>(from),
                  curves.begin() + static_cast<std::ptrdiff_t>(to)},
                 "")
               .html();
  }
  return out;
}

}  // namespace

std::string switch_charts(const std::vector<Curve>& curves) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> places;
  std::vector<CurveList> names;
  for (const Curve& c : curves) {
    if (std::none_of(c.points.begin(), c.points.end(), is_finite)) continue;
    const auto [place, fresh] =
        places.emplace(std::tuple(c.name, c.x_unit, c.y_name, c.y_unit), names.size());
    if (fresh) names.emplace_back();
    names[place->second].push_back(&c);
  }
  std::string out;
  for (const CurveList& list : names) out += charts_of(list);
  return out.empty() ? out : "<div class=\"charts\">\n" + out + "</div>\n";
}

}  // namespace softfeb::report
