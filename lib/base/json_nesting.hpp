// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace softfeb {

/// Maximum nesting depth of JSON that softfeb accepts from other programs. No document of softfeb has more
/// than ten levels. nlohmann::json copies, compares and prints a document recursively, so a deeply nested
/// document would overflow the stack.
inline constexpr std::size_t kMaxJsonNesting = 64;

/// Returns how deep the arrays and objects of a JSON text are nested, without parsing it. The result is an
/// upper bound if the text is not valid JSON.
constexpr std::size_t json_nesting(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace softfeb
