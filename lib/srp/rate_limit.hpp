// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <algorithm>

namespace softfeb::srp {

/// Limits events to `per_second` on average and to `burst` at once after a pause.
class RateLimit {
 public:
  RateLimit(unsigned per_second, unsigned burst)
      : interval_(kSecond / std::max(1U, per_second)), span_(interval_ * std::max(1U, burst)) {}

  /// Accounts for one more event and returns true if the limit allows it.
  bool take(Time now) {
    // Generic cell rate algorithm: used_ is the theoretical arrival time of the next event.
    const Time used = std::max(used_, now);
    if (used + interval_ > now + span_) return false;
    used_ = used + interval_;
    return true;
  }

 private:
  Time interval_;
  Time span_;
  Time used_ = 0;
};

}  // namespace softfeb::srp
