// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/decrease_engine.hpp"

#include <algorithm>

namespace softfeb::dcqcn {

void DecreaseEngine::start(Edge zero, std::uint16_t interval) {
  zero_ = zero;
  expiry_ = zero + 1 + interval;
  phase_ = Phase::kCounting;
}

void DecreaseEngine::set_interval(std::uint16_t interval, Edge m) {
  if (expiry_ != kNoEdge && phase_ == Phase::kCounting) expiry_ = std::max(zero_ + 1 + interval, m + 1);
}

Edge DecreaseEngine::next(bool flag) const {
  if (pending_) return zero_ + 1;
  if (phase_ == Phase::kSubtract) return cutting_ || flag ? expiry_ + 2 : kNoEdge;
  return flag && expiry_ != kNoEdge ? expiry_ + 1 : kNoEdge;
}

void DecreaseEngine::act(Edge n, const Rates& rates, std::uint16_t alpha, std::uint8_t time_stage, bool flag,
                         const FirmwareParameters& p, const FirmwareBuild& build) {
  if (phase_ == Phase::kCounting) {
    if (n == expiry_) phase_ = Phase::kMultiply;
  } else if (phase_ == Phase::kMultiply && n == expiry_ + 1) {
    cutting_ = flag;
    if (flag) {
      result_.rc = rates.rc * alpha;
      result_.rt = p.clamp_tgt_rate || time_stage != 0 ? rates.rc : rates.rt;
    }
    phase_ = Phase::kSubtract;
  } else if (phase_ == Phase::kSubtract && n == expiry_ + 2) {
    if (cutting_) {
      // Rc is read again here: an increase may have changed it since the multiplication.
      const std::uint64_t delta = result_.rc >> (10 + p.dec_gain);
      result_.rc = std::max<std::uint64_t>(build.difference(rates.rc, delta), p.rmin);
      pending_ = true;
      cutting_ = false;
    }
    start(n, p.rate_dec_interval);
  }
}

void DecreaseEngine::run(Edge last, std::uint16_t interval) {
  if (expiry_ == kNoEdge) return;
  if (last >= expiry_ && last - expiry_ >= 2) {
    const Edge period = Edge{interval} + 3;
    start(expiry_ + 2 + (last - expiry_ - 2) / period * period, interval);
  }
  if (last >= expiry_ && phase_ != Phase::kSubtract) {
    phase_ = last == expiry_ ? Phase::kMultiply : Phase::kSubtract;
  }
}

}  // namespace softfeb::dcqcn
