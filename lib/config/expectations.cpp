// SPDX-License-Identifier: BSD-3-Clause
#include "config/document.hpp"
#include "config/section.hpp"
#include "config/switch_test_config.hpp"
#include "config/units.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace softfeb::config {
namespace {

using switchtest::Expectation;

Parsed<double> parse_plain_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
  return {'"' + text + "\" is not a number", "write for example 100, 256KiB, 20us, 10Gb/s or 5%"};
}

bool ends(const std::string& text, std::string_view with) {
  return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

/// Converts a quantity with a unit to the unit of the figure, which the suffix of the figure's name
/// indicates. A number without a unit is already in the unit of the figure.
Parsed<double> parse_quantity(const std::string& text, const std::string& figure) {
  if (auto plain = parse_plain_number(text); plain.value) return plain;
  if (ends(text, "%")) {
    auto share = parse_plain_number(text.substr(0, text.size() - 1));
    if (share.value) *share.value /= 100;
    return share;
  }
  constexpr struct {
    const char* suffix;
    double unit;  ///< the unit, in picoseconds
  } kTimes[] = {{"_ns", 1e3}, {"_us", 1e6}, {"_ms", 1e9}, {"_s", 1e12}};
  for (const auto& time : kTimes)
    if (ends(figure, time.suffix)) {
      const auto value = parse_time(text);
      if (value.value) return static_cast<double>(*value.value) / time.unit;
      return {value.message, value.fix};
    }
  if (ends(figure, "gbps")) {
    const auto value = parse_bandwidth(text);
    if (value.value) return static_cast<double>(*value.value) * 8 / 1e9;
    return {value.message, value.fix};
  }
  const auto value = parse_size(text);
  if (value.value) return static_cast<double>(*value.value);
  return {value.message, value.fix};
}

/// Reads TEST.FIGURE[label=value,…] into `out`. Reports a problem and returns false if the name has another
/// form.
bool read_name(Reading& reading, const Node& node, Expectation& out) {
  const std::string& text = node.name;
  const auto refuse = [&](const std::string& message) {
    reading.problem(node.where, message,
                    "write TEST.FIGURE, such as dscp.queues, or throughput.load[size=1518]");
    return false;
  };
  const std::size_t dot = text.find('.'), bracket = text.find('[');
  if (dot == std::string::npos || dot == 0 || dot > bracket) return refuse("names no figure of a test");
  out.test = text.substr(0, dot);
  out.figure = text.substr(dot + 1, bracket == std::string::npos ? bracket : bracket - dot - 1);
  if (out.test != "preflight" && switchtest::find_test(out.test) == nullptr)
    return refuse("there is no test \"" + out.test + '"');
  if (bracket == std::string::npos) return true;
  if (text.back() != ']') return refuse("has a `[` without a `]` at the end");
  std::string labels = text.substr(bracket + 1, text.size() - bracket - 2);
  while (!labels.empty()) {
    const std::size_t comma = std::min(labels.find(','), labels.size()), equals = labels.find('=');
    if (equals == std::string::npos || equals > comma) return refuse("has a label without a value");
    out.labels[labels.substr(0, equals)] = labels.substr(equals + 1, comma - equals - 1);
    labels.erase(0, comma + 1);
  }
  return true;
}

/// Records whether the bounds are in percent. Reports a problem if only some of them are.
void read_percent(Section& s, Expectation& out) {
  std::size_t bounds = 0, percent = 0;
  for (const char* key : {"value", "min", "max"}) {
    const Node* const node = s.find(key);
    if (node == nullptr) continue;
    ++bounds;
    if (ends(node->text, "%")) ++percent;
  }
  out.percent = percent != 0;
  if (percent != 0 && percent != bounds)
    s.reading().problem(s.where(), "gives one bound in percent and one as a number", "write both in percent");
}

void read_bounds(Section s, Expectation& out) {
  const auto quantity = [&](const std::string& text) { return parse_quantity(text, out.figure); };
  std::optional<double> value, within;
  s.read("value", value, quantity);
  s.read("min", out.min, quantity);
  s.read("max", out.max, quantity);
  if (const Node* node = s.find("within"); node != nullptr) {
    s.read("within", within, quantity);
    if (value && within && ends(node->text, "%")) *within *= std::abs(*value);
  }
  s.close();
  read_percent(s, out);
  if (value.has_value() == (out.min.has_value() || out.max.has_value()))
    s.reading().problem(s.where(), "gives no bounds, or two kinds of them",
                        "write {value: 256KiB, within: 5%}, or {min: …, max: …}");
  if (within && !value) s.reading().problem(s.where(), "`within` needs `value`", "add `value`");
  if (!value) return;
  out.min = *value - within.value_or(0);
  out.max = *value + within.value_or(0);
}

/// Returns the expectation as the user wrote it.
std::string text_of(const Node& node) {
  if (node.kind == Node::Kind::kScalar) return node.text;
  std::string out;
  for (const Node& child : node.children) {
    if (child.name == "within") {
      out += " ± " + child.text;
    } else if (child.name == "value") {
      out.insert(0, child.text);
    } else {
      out += (out.empty() ? "" : ", ") + std::string(child.name == "min" ? "≥ " : "≤ ") + child.text;
    }
  }
  return out;
}

}  // namespace

std::vector<Expectation> load_expectations_text(const std::string& text, const std::string& file) {
  Reading reading;
  Node document = parse_yaml(text, file);
  assign_paths(document, "");
  std::vector<Expectation> out;
  if (document.kind != Node::Kind::kMap && document.kind != Node::Kind::kNull)
    reading.problem(document.where, "is not a map of expectations", "write `throughput.load: {min: 99.9%}`");
  for (const Node& node : document.children) {
    Expectation expected;
    if (!read_name(reading, node, expected)) continue;
    expected.text = text_of(node);
    expected.place = file + ':' + std::to_string(node.where.line);
    if (node.kind == Node::Kind::kScalar) {
      const auto number = parse_quantity(node.text, expected.figure);
      expected.min = expected.max = number.value;
      expected.percent = number.value && ends(node.text, "%");
      if (!number.value) expected.word = node.text;
    } else {
      read_bounds(Section(reading, node, "[]"), expected);
    }
    out.push_back(std::move(expected));
  }
  if (!reading.problems.empty()) throw ConfigError(std::move(reading.problems));
  return out;
}

std::vector<Expectation> load_expectations(const std::string& path) {
  return load_expectations_text(read_text(path), path);
}

}  // namespace softfeb::config
