// SPDX-License-Identifier: BSD-3-Clause
#include "roce/clmul.hpp"

#include "roce/clmul_reduce.hpp"
#include "roce/cpu.hpp"
#include "roce/polynomial.hpp"

namespace softfeb::roce::clmul {

namespace {

SOFTFEB_PCLMUL std::uint32_t multiply_pclmul(std::uint32_t a, std::uint32_t b) {
  return reduce63(product(a, b));
}

}  // namespace

std::uint32_t multiply_portable(std::uint32_t a, std::uint32_t b) { return polynomial::multiply(a, b); }

std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  return cpu::kPclmul ? multiply_pclmul(a, b) : multiply_portable(a, b);
}

std::uint32_t power_of_x(std::uint64_t n) {
  std::uint32_t result = polynomial::kOne;
  for (std::size_t i = 0; n != 0; ++i, n >>= 1) {
    if ((n & 1) != 0) result = multiply(result, polynomial::kSquares[i]);
  }
  return result;
}

}  // namespace softfeb::roce::clmul
