// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Like crc32() (roce/icrc.hpp), but uses tables to process eight bytes per step. Used on CPUs without
/// carry-less multiplication, and for inputs too short for ISA-L to be efficient.
std::uint32_t crc32_by_table(std::uint32_t seed, ByteSpan data);

}  // namespace softfeb::roce
