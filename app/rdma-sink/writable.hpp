// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace softfeb::sink {

/// Why a file of this name could not be written, with the fix; empty when it could. Asked before there is
/// anything to write, and makes nothing.
std::string why_not_writable(const std::string& path);

}  // namespace softfeb::sink
