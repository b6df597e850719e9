// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/expression.hpp"

#include <charconv>
#include <optional>

namespace softfeb::conformance {

namespace {

[[noreturn]] void refuse_expression(std::string_view whole, const std::string& what) {
  throw NotationError("'" + std::string(whole) + "' is not an expression: " + what +
                      "; fix: write a sum of numbers and e, P, S or i, such as 2P+1");
}

/// Parses a number at the beginning of `rest`, and removes it; std::nullopt if there is none.
std::optional<std::uint64_t> take_number(std::string_view whole, std::string_view& rest) {
  const bool hex = rest.size() > 2 && rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'X');
  const std::string_view digits = hex ? rest.substr(2) : rest;
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range) refuse_expression(whole, "a number exceeds 64 bits");
  if (error != std::errc()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

}  // namespace

std::uint64_t Expression::value_of(Symbol symbol, const Symbols& symbols) {
  switch (symbol) {
    case Symbol::kE:
      return symbols.e;
    case Symbol::kPmtu:
      return symbols.pmtu;
    case Symbol::kSize:
      return symbols.size;
    case Symbol::kI:
      return symbols.i;
    case Symbol::kOne:
      break;
  }
  return 1;
}

Expression::Term Expression::parse_term(std::string_view whole, std::string_view& rest) {
  Term term;
  const auto number = take_number(whole, rest);
  term.factor = number.value_or(1);
  constexpr std::string_view kSymbols = "ePSi";
  const std::size_t which = rest.empty() ? std::string_view::npos : kSymbols.find(rest.front());
  if (which != std::string_view::npos) {
    term.symbol = static_cast<Symbol>(which + 1);
    rest.remove_prefix(1);
  } else if (!number) {
    refuse_expression(whole, rest.empty() ? "a term is missing"
                                          : "unknown symbol '" + std::string(rest.substr(0, 1)) + "'");
  }
  if (!rest.empty() && rest.front() == '/') {
    rest.remove_prefix(1);
    term.divisor = take_number(whole, rest).value_or(0);
    if (term.divisor == 0) refuse_expression(whole, "a divisor must be a positive number");
  }
  return term;
}

Expression Expression::parse(std::string_view text) {
  Expression out;
  std::string_view rest = text;
  if (rest.empty()) refuse_expression(text, "it is empty");
  for (bool first = true; !rest.empty(); first = false) {
    bool negative = false;
    if (rest.front() == '+' || rest.front() == '-') {
      negative = rest.front() == '-';
      rest.remove_prefix(1);
    } else if (!first) {
      refuse_expression(text, "'+' or '-' is missing before '" + std::string(rest) + "'");
    }
    Term term = parse_term(text, rest);
    term.negative = negative;
    out.terms_.push_back(term);
  }
  return out;
}

std::uint64_t Expression::value(const Symbols& symbols) const {
  std::uint64_t sum = 0;
  for (const Term& term : terms_) {
    const std::uint64_t value = term.factor * value_of(term.symbol, symbols) / term.divisor;
    sum += term.negative ? ~value + 1 : value;
  }
  return sum;
}

}  // namespace softfeb::conformance
