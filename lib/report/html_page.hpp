// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace softfeb::report {

/// Returns a complete HTML page that needs no other file. `title` is plain text, `style` is a style sheet,
/// and `header` and `main` are HTML.
std::string html_page(const std::string& title, std::string_view style, const std::string& header,
                      const std::string& main);

}  // namespace softfeb::report
