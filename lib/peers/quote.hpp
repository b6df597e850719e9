// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <string>
#include <string_view>

namespace softfeb::peers {

/// Formats data from the peer as printable text of bounded length, for messages.
std::string quote(ByteSpan bytes);
std::string quote(std::string_view text);

}  // namespace softfeb::peers
