// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/notation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// Values of the symbols in expressions.
struct Symbols {
  std::uint64_t e = 0;     ///< PSN that the queue pair expects at first
  std::uint64_t pmtu = 0;  ///< P: path MTU in bytes
  std::uint64_t size = 0;  ///< S: size of the region in bytes
  std::uint64_t i = 0;     ///< index of the repetition, counted from 0
};

/// A sum of numbers and symbols, such as `e+1`, `2P+1`, `P/2` or `S-P-512`. Numbers are decimal or, with 0x,
/// hexadecimal. A number before a symbol multiplies it. The result is computed modulo 2^64.
class Expression {
 public:
  Expression() = default;
  /// The constant `number`.
  explicit Expression(std::uint64_t number) : terms_{{Symbol::kOne, false, number, 1}} {}
  /// Throws NotationError.
  static Expression parse(std::string_view text);

  std::uint64_t value(const Symbols& symbols) const;
  bool operator==(const Expression&) const = default;

 private:
  enum class Symbol : std::uint8_t { kOne, kE, kPmtu, kSize, kI };
  struct Term {
    Symbol symbol = Symbol::kOne;
    bool negative = false;
    std::uint64_t factor = 1;
    std::uint64_t divisor = 1;
    bool operator==(const Term&) const = default;
  };

  static std::uint64_t value_of(Symbol symbol, const Symbols& symbols);
  static Term parse_term(std::string_view whole, std::string_view& rest);

  std::vector<Term> terms_;
};

}  // namespace softfeb::conformance
