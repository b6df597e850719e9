// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Follows the firmware's running byte counter (each byte one more than the one before, modulo 256, over
/// message and burst boundaries; WIRE.md section 4) when nothing is known of the messages: what the
/// laboratory's `fileReader.py --check-cont` does. Bytes must come in order. The first byte sets the count;
/// after a break it goes on from what came.
class ContinuityCheck {
 public:
  void on(const Segments& bytes) {
    bytes.for_each([this](ByteSpan part) { on(part); });
  }

  /// What comes next need not continue: something is known to be missing.
  void resync() { started_ = false; }

  std::uint64_t checked() const { return checked_; }
  std::uint64_t breaks() const { return breaks_; }
  std::uint64_t first_break() const {
    return first_break_;
  }  ///< bytes before it; UINT64_MAX when there was none

 private:
  void on(ByteSpan part);

  bool started_ = false;
  std::uint8_t next_ = 0;
  std::uint64_t checked_ = 0;
  std::uint64_t breaks_ = 0;
  std::uint64_t first_break_ = UINT64_MAX;
};

}  // namespace softfeb::roce
