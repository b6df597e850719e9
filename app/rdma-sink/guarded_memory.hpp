// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "conformance_requests.hpp"

#include <string>

/// The memory of a region in a conformance session: kGuard bytes, the region, kGuard bytes. The guards are
/// not registered, so a device that writes to them has missed the bounds of the region. Sans-I/O.
namespace softfeb::sink {

/// Returns the size of a region's memory.
constexpr std::uint64_t guarded_size(std::uint64_t region) { return region + 2 * kGuard; }

/// Returns the bytes of `range` in a region's `memory`. Throws Refusal if they lie outside of `memory`.
MutableByteSpan bytes_of(MutableByteSpan memory, const MemoryRange& range);

/// Throws Refusal if `more` bytes do not fit beside `used` bytes into `limit` bytes.
void check_memory(std::uint64_t used, std::uint64_t more, std::uint64_t limit);

/// Returns two lowercase hexadecimal digits for each byte.
std::string to_hex(ByteSpan bytes);

}  // namespace softfeb::sink
