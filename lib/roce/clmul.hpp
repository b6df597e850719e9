// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Polynomials over GF(2) modulo the Ethernet CRC-32 polynomial, bit-reflected as CRC registers hold them:
/// bit 31 is the coefficient of x^0. What shifting a CRC past known bytes needs (doc/icrc.md).
namespace softfeb::roce::clmul {

/// a·b mod P: with one carry-less multiplication and a reduction where the CPU has PCLMULQDQ, else bit by
/// bit.
std::uint32_t multiply(std::uint32_t a, std::uint32_t b);

/// The second way, for tests and for machines without PCLMULQDQ.
std::uint32_t multiply_portable(std::uint32_t a, std::uint32_t b);

/// x^n mod P.
std::uint32_t power_of_x(std::uint64_t n);

}  // namespace softfeb::roce::clmul
