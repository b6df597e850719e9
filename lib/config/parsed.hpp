// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace softfeb::config {

/// Result of parsing a value: the value, or an error message and the fix.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string message;
  std::string fix;

  Parsed(T v) : value(std::move(v)) {}  // NOLINT(google-explicit-constructor): parsers return plain values
  Parsed(std::string m, std::string f) : message(std::move(m)), fix(std::move(f)) {}

  /// Converts an error to the result type of another parser.
  template <class U>
  Parsed<U> failure() const {
    return {message, fix};
  }
};

}  // namespace softfeb::config
