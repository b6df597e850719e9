// SPDX-License-Identifier: BSD-3-Clause
#include "report/html_page.hpp"

#include "report/markup.hpp"

#include <fmt/format.h>

namespace softfeb::report {

std::string html_page(const std::string& title, std::string_view style, const std::string& header,
                      const std::string& main) {
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>
{}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<header>
{}</header>
<main id="main">
{}</main>
</body>
</html>
)",
                     escaped(title), style, header, main);
}

}  // namespace softfeb::report
