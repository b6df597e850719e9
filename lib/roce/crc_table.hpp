// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>

namespace softfeb::roce {

/// crc32() of roce/icrc.hpp with tables: for CPUs without carry-less multiplication, and for runs of a few
/// bytes, for which ISA-L is not made. Eight bytes a step.
std::uint32_t crc32_by_table(std::uint32_t seed, ByteSpan data);

}  // namespace softfeb::roce
