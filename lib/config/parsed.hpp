// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace softfeb::config {

/// What came of reading a value: the value, or why not and what to write instead.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string message;
  std::string fix;

  Parsed(T v) : value(std::move(v)) {}  // NOLINT(google-explicit-constructor): parsers return plain values
  Parsed(std::string m, std::string f) : message(std::move(m)), fix(std::move(f)) {}

  /// The failure of this as the failure of a parser for something else.
  template <class U>
  Parsed<U> failure() const {
    return {message, fix};
  }
};

}  // namespace softfeb::config
