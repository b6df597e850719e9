// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <string>
#include <string_view>

namespace softfeb::peers {

/// Formats data from the peer as printable text of bounded length, for messages.
std::string quote(ByteSpan bytes);
std::string quote(std::string_view text);

/// Formats text from the peer for use in a message, like quote() but without quotation marks. Control
/// characters, which could change the user's terminal, are shown as \xNN. A long text is cut off.
std::string printable(std::string_view text);

}  // namespace softfeb::peers
