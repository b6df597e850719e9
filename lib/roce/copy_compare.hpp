// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::roce {

/// Returns true if the `n` bytes at `got` and `want` are equal. Unless `to` is null, also copies the bytes at
/// `got` to `to`, so that received payload is stored and checked in one pass. The bytes are copied even if
/// they differ from the bytes at `want`. `to` must not overlap `got` or `want`.
bool copy_and_compare(std::uint8_t* to, const std::uint8_t* got, const std::uint8_t* want, std::size_t n);

/// Same as copy_and_compare(), but its stores bypass the caches (non-temporal stores) if the CPU has AVX-512
/// and `to` is aligned to a cache line. Use this function for memory that is not in the caches and is not
/// read soon. The CPU then does not read the old content of this memory, and other data stays in the caches.
/// The stores are visible to the calling thread at once, and to other threads after its next locked
/// instruction.
bool stream_and_compare(std::uint8_t* to, const std::uint8_t* got, const std::uint8_t* want, std::size_t n);

/// Copies `from` to `to`; the two memory ranges must not overlap. For payloads of packets, this function is
/// faster than memcpy() of glibc 2.36, which uses REP MOVSB on some CPUs.
void copy_payload(std::uint8_t* to, ByteSpan from);

}  // namespace softfeb::roce
