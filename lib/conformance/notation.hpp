// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// A text of the catalogue or of a profile that cannot be parsed. The message quotes the text and says what
/// is wrong; the loader adds the file and the case.
class NotationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `text` without spaces at its ends.
std::string_view trimmed(std::string_view text);
/// The parts of `text` between the characters `by`, trimmed. Empty parts are kept.
std::vector<std::string_view> split(std::string_view text, char by);
/// Likewise, without empty parts.
std::vector<std::string_view> split_words(std::string_view text, char by);
/// Levenshtein distance, regardless of case.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace softfeb::conformance
