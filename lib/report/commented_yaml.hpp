// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Formats a value as YAML on one line, for example {A: p0, D: p3}. Quotes strings that YAML would read as
/// another type.
std::string yaml_flow(const nlohmann::ordered_json& value);

/// Makes a text suitable for a comment: control characters become spaces.
std::string comment_text(const std::string& text);

/// Builds a YAML text with comments. The comments start in the same column if there is room.
class CommentedYaml {
 public:
  /// Adds a line with `text` after `indent` spaces, followed by `note` as a comment unless `note` is empty.
  void line(std::size_t indent, const std::string& text, const std::string& note = {});
  /// Adds a line that consists of a comment.
  void comment(std::size_t indent, const std::string& text);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace softfeb::report
