// SPDX-License-Identifier: BSD-3-Clause
#include "config/length_distribution.hpp"

#include "config/error.hpp"
#include "config/limited_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::config {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kExample = "write a length in bytes and a probability, for example: 10000 0.15";

/// Removes and returns the first word of `line`; empty if there is none.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

template <typename Number>
std::optional<Number> number(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Returns how to correct a point that Cdf::mistake() rejects.
std::string fix_of(const Cdf::Point& point) {
  if (point.probability > 1 && point.probability <= 100) return "divide percentages by 100";
  if (!(point.probability >= 0 && point.probability <= 1)) return "write a number from 0 to 1";
  if (point.bytes > Cdf::kMaxBytes) return "write at most 2147483648";
  return "sort the lines; the probabilities are cumulative";
}

/// Collects the points and problems of a file, line by line.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  void line(std::string_view text) {
    ++line_;
    text = text.substr(0, text.find('#'));
    const std::string_view bytes = take_word(text), probability = take_word(text);
    if (bytes.empty()) return;
    if (probability.empty()) return problem("has one column", std::string(kExample));
    if (const auto extra = take_word(text); !extra.empty())
      return problem("has a third column `" + std::string(extra) + '`', std::string(kExample));
    const auto x = number<std::uint64_t>(bytes);
    if (!x) return problem("`" + std::string(bytes) + "` is not a length", "write a whole number of bytes");
    const auto p = number<double>(probability);
    if (!p)
      return problem("`" + std::string(probability) + "` is not a probability", "write a number from 0 to 1");
    add({*x, *p});
  }

  Cdf finish() {
    if (problems_.empty() && points_.empty())
      problems_.push_back({{file_, 0, {}}, "has no points", std::string(kExample)});
    if (problems_.empty() && points_.back().probability != 1)
      problems_.push_back({{file_, last_line_, {}},
                           "the last probability is not 1",
                           "add a line with the largest length and probability 1"});
    if (!problems_.empty()) throw ConfigError(std::move(problems_));
    return Cdf(std::move(points_));
  }

 private:
  void problem(std::string message, std::string fix) {
    problems_.push_back({{file_, line_, {}}, std::move(message), std::move(fix)});
  }

  void add(const Cdf::Point& point) {
    const Cdf::Point previous = points_.empty() ? Cdf::Point{0, 0} : points_.back();
    if (std::string wrong = Cdf::mistake(previous, point); !wrong.empty()) {
      return problem(std::move(wrong), fix_of(point));
    }
    points_.push_back(point);
    last_line_ = line_;
  }

  std::string file_;
  int line_ = 0;
  int last_line_ = 0;
  std::vector<Cdf::Point> points_;
  std::vector<Problem> problems_;
};

}  // namespace

Cdf parse_length_distribution(std::string_view text, const std::string& file) {
  Reader reader(file);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

Cdf load_length_distribution(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  // A directory can be opened but not read. Reading the first byte detects it.
  if (!in || in.peek() == std::ifstream::traits_type::eof())
    throw ConfigError({{{path, 0, {}}, "cannot be read, or is empty", std::string(kExample)}});
  const std::string text = read_limited(in);
  if (text.size() > kMaxFile)
    throw ConfigError({{{path, 0, {}}, "is larger than 16 MiB", std::string(kExample)}});
  return parse_length_distribution(text, path);
}

}  // namespace softfeb::config
