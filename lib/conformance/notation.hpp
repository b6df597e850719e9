// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// Thrown if a text of the catalogue or of a profile cannot be parsed. The message quotes the text and says
/// what is wrong; the loader adds the file and the case.
class NotationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Removes spaces at both ends of `text`.
std::string_view trimmed(std::string_view text);
/// Splits `text` at each character `by`, and trims the parts. Keeps empty parts.
std::vector<std::string_view> split(std::string_view text, char by);
/// Same as split(), but without empty parts.
std::vector<std::string_view> split_words(std::string_view text, char by);
/// Levenshtein distance, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace softfeb::conformance
