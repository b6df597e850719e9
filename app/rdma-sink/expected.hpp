// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hello.hpp"

#include <memory>
#include <string>
#include <vector>

namespace softfeb::sink {

/// What the client's messages should carry, and the memory behind it.
class Expected {
 public:
  /// `file`: from --expect, for file payloads; empty: they are not checked. Throws Refusal.
  Expected(const Hello& hello, const std::string& file);

  /// Null: nothing to compare with.
  const roce::PayloadStream* stream() const { return source_.get(); }

 private:
  std::vector<std::uint8_t> arena_;
  std::unique_ptr<board::PayloadSource> source_;
};

}  // namespace softfeb::sink
