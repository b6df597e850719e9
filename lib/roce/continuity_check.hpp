// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Checks the running byte counter that the firmware sends as payload. Each byte is the previous byte plus 1,
/// modulo 256, even across message and burst boundaries. Used for streams whose message boundaries are
/// unknown (doc/responder.md). Equivalent to `fileReader.py --check-cont`, a script of the real board.
///
/// Bytes must be passed in order. The first byte may have any value. Every later byte that differs from the
/// expected value is a break; the check then continues from the value of this byte.
class ContinuityCheck {
 public:
  void on(const Segments& bytes) {
    bytes.for_each([this](ByteSpan part) { on(part); });
  }

  /// Accepts any value as the next byte. Call it when bytes are known to be missing.
  void resync() { started_ = false; }

  std::uint64_t checked() const { return checked_; }
  std::uint64_t breaks() const { return breaks_; }
  /// Number of bytes checked before the first break; UINT64_MAX if there was none.
  std::uint64_t first_break() const { return first_break_; }

 private:
  void on(ByteSpan part);

  bool started_ = false;
  std::uint8_t next_ = 0;
  std::uint64_t checked_ = 0;
  std::uint64_t breaks_ = 0;
  std::uint64_t first_break_ = UINT64_MAX;
};

}  // namespace softfeb::roce
