// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace softfeb::roce {

/// Whether `got` and `want` are the same `n` bytes. `got` is copied to `to` as well (null: nowhere), whatever
/// they are: payload that arrived goes to memory and through the check in one pass. `to` overlaps neither.
bool copy_and_compare(std::uint8_t* to, const std::uint8_t* got, const std::uint8_t* want, std::size_t n);

}  // namespace softfeb::roce
