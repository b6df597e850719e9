// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/alpha_engine.hpp"

#include <algorithm>

namespace softfeb::dcqcn {

void AlphaEngine::start(Edge zero, std::uint16_t interval) {
  zero_ = zero;
  expiry_ = zero + 1 + interval;
}

void AlphaEngine::set_interval(std::uint16_t interval, Edge m) {
  if (expiry_ != kNoEdge && !updating_) expiry_ = std::max(zero_ + 1 + interval, m + 1);
}

void AlphaEngine::act(Edge n, std::uint16_t alpha, bool flag, std::uint16_t alpha_g, std::uint16_t interval) {
  if (updating_) {
    if (n != expiry_ + 1) return;
    result_ = next_alpha(alpha, alpha_g, flag);
    pending_ = true;
    updating_ = false;
    start(n, interval);
  } else if (n == expiry_) {
    updating_ = true;
  }
}

void AlphaEngine::run(Edge last, std::uint16_t& alpha, bool& flag, std::uint16_t alpha_g,
                      std::uint16_t interval) {
  for (Edge n = next(); n <= last; n = next()) {
    if (commits(n)) {
      alpha = commit();
      flag = false;
    }
    act(n, alpha, flag, alpha_g, interval);
    const Edge period = Edge{interval} + 2;
    if (!pending_ && !flag && expiry_ + period <= last && next_alpha(alpha, alpha_g, false) == alpha) {
      // Because of rounding, alpha no longer decays. Further periods without a CNP change nothing, so skip
      // them.
      expiry_ += (last - expiry_) / period * period;
      zero_ = expiry_ - 1 - interval;
    }
  }
}

}  // namespace softfeb::dcqcn
