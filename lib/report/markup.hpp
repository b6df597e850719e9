// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace softfeb::report {

/// `text` for HTML and XML: the characters & < > " ' as entities. Characters that XML forbids, and bytes that
/// are not UTF-8, become U+FFFD: texts may come from the network.
std::string escaped(std::string_view text);

/// `text` for a terminal: bytes that are not UTF-8 and control characters, also those in two bytes of UTF-8
/// (C1), become question marks.
std::string printable(std::string_view text);

/// Length of the UTF-8 character at the start of `text`; 0 if it is malformed or forbidden in XML.
std::size_t character_length(std::string_view text);

}  // namespace softfeb::report
