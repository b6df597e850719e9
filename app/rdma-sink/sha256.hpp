// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <string>

namespace softfeb::sink {

/// SHA-256 (FIPS 180-4) of `bytes` as 64 hexadecimal digits, made by libcrypto.
std::string sha256_hex(ByteSpan bytes);

}  // namespace softfeb::sink
