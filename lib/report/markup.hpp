// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace softfeb::report {

/// Prepares `text` for HTML and XML. The characters & < > " ' become entities. Characters that XML forbids
/// and bytes that are not UTF-8 become U+FFFD, because texts may come from the network.
std::string escaped(std::string_view text);

/// Prepares `text` for a terminal. Control characters (including the C1 control characters, which UTF-8
/// encodes in two bytes) and bytes that are not UTF-8 become question marks.
std::string printable(std::string_view text);

/// Length of the UTF-8 character at the start of `text`; 0 if this character is malformed or forbidden in
/// XML.
std::size_t character_length(std::string_view text);

}  // namespace softfeb::report
