// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/notation.hpp"

#include <algorithm>

namespace softfeb::conformance {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0;;) {
    const std::size_t to = text.find(by, from);
    parts.push_back(trimmed(text.substr(from, to - from)));
    if (to == std::string_view::npos) return parts;
    from = to + 1;
  }
}

std::vector<std::string_view> split_words(std::string_view text, char by) {
  std::vector<std::string_view> parts = split(text, by);
  parts.erase(std::remove(parts.begin(), parts.end(), std::string_view()), parts.end());
  return parts;
}

}  // namespace softfeb::conformance
