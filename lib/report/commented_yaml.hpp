// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// A value in YAML on one line: {A: p0, D: p3}. Texts that could be taken for something else are quoted.
std::string yaml_flow(const nlohmann::ordered_json& value);

/// A text as part of a comment: control characters become spaces.
std::string comment_text(const std::string& text);

/// Lines of YAML with comments, which begin in one column where there is room.
class CommentedYaml {
 public:
  /// `text` after `indent` spaces, and `note` as a comment unless it is empty.
  void line(std::size_t indent, const std::string& text, const std::string& note = {});
  /// A line that is a comment.
  void comment(std::size_t indent, const std::string& text);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace softfeb::report
