// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Polynomials over GF(2) modulo the Ethernet CRC-32 polynomial P, bit-reflected as in CRC registers: bit 31
/// is the coefficient of x^0. Used to shift a CRC past bytes whose CRC is known (doc/icrc.md).
namespace softfeb::roce::clmul {

/// Returns a·b mod P. On CPUs with PCLMULQDQ, uses carry-less multiplication and a reduction; on other CPUs,
/// uses multiply_portable().
std::uint32_t multiply(std::uint32_t a, std::uint32_t b);

/// Computes a·b mod P bit by bit, for tests and for CPUs without PCLMULQDQ.
std::uint32_t multiply_portable(std::uint32_t a, std::uint32_t b);

/// Returns x^n mod P.
std::uint32_t power_of_x(std::uint64_t n);

}  // namespace softfeb::roce::clmul
