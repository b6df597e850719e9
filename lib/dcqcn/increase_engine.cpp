// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/increase_engine.hpp"

#include <algorithm>

namespace softfeb::dcqcn {

namespace {

constexpr std::uint64_t kLeapFrom = 4;  ///< minimum number of periods for which a closed form is worthwhile

Rates increased(const Rates& r, IncreaseEngine::Kind kind, const FirmwareParameters& p,
                const FirmwareBuild& build) {
  std::uint64_t rt = r.rt;
  if (kind != IncreaseEngine::Kind::kFastRecovery) {
    rt = build.sum(rt, kind == IncreaseEngine::Kind::kAdditive ? p.rai : p.rhai);
    rt = std::min(rt, build.line_rate);
  }
  return {r.rc / 2 + rt / 2, rt};
}

}  // namespace

void IncreaseEngine::start(Edge zero, std::uint32_t interval) {
  zero_ = zero;
  // The firmware compares "timer > interval", which is never true for a 32-bit timer and the largest
  // interval.
  expiry_ = interval == UINT32_MAX ? kNoEdge : zero + 2 + interval;
}

void IncreaseEngine::set_interval(std::uint32_t interval, Edge m) {
  if (firing_) return;
  // The 32-bit timer may have wrapped since `zero_`. Set `zero_` to the edge of the last wrap.
  if (m > zero_) zero_ = m - static_cast<std::uint32_t>(m - zero_);
  start(zero_, interval);
  expiry_ = std::max(expiry_, m + 1);
}

IncreaseEngine::Kind IncreaseEngine::kind(std::uint8_t threshold) const {
  const auto additive = static_cast<std::uint8_t>(threshold - 1);
  if (stage_ == additive) return Kind::kAdditive;
  return stage_ < additive ? Kind::kFastRecovery : Kind::kHyper;
}

void IncreaseEngine::act(Edge n, const Rates& rates, bool reset, const FirmwareParameters& p,
                         const FirmwareBuild& build) {
  if (firing_) {
    if (n != expiry_ + 1) return;
    result_ = increased(rates, kind_, p, build);
    if (kind_ != Kind::kHyper) ++stage_;
    pending_ = true;
    firing_ = false;
    start(n, p.rate_inc_interval);
  } else if (n == expiry_) {
    kind_ = kind(p.time_stage_threshold);
    firing_ = true;
  } else if (reset) {
    stage_ = 0;
    start(n, p.rate_inc_interval);
  }
}

void IncreaseEngine::step(Rates& rates, const FirmwareParameters& p, const FirmwareBuild& build) {
  const Kind k = kind(p.time_stage_threshold);
  rates = increased(rates, k, p, build);
  if (k != Kind::kHyper) ++stage_;
}

void IncreaseEngine::pass(std::uint64_t periods, std::uint32_t interval) {
  start(expiry_ + 1 + (periods - 1) * (Edge{interval} + 3), interval);
}

std::uint64_t IncreaseEngine::leap(std::uint64_t n, Rates& rates, bool ramps, const FirmwareParameters& p,
                                   const FirmwareBuild& build) {
  const auto additive = static_cast<std::uint8_t>(p.time_stage_threshold - 1);
  const auto fixed = [&](Kind k) { return increased(rates, k, p, build) == rates; };
  if (p.dcqcn_bypass || (fixed(Kind::kFastRecovery) && fixed(Kind::kAdditive) && fixed(Kind::kHyper))) {
    // The rates cannot change, only the stage. With threshold 0, the stage counts up and wraps indefinitely.
    // With any other threshold, the stage stops at the first hyper increase.
    if (additive == 255) {
      stage_ = static_cast<std::uint8_t>(stage_ + n);
    } else if (stage_ <= additive) {
      stage_ = static_cast<std::uint8_t>(std::min<std::uint64_t>(stage_ + n, additive + 1));
    }
    return n;
  }
  const Kind k = kind(p.time_stage_threshold);
  if (k == Kind::kFastRecovery && fixed(k)) {
    const std::uint64_t some = std::min<std::uint64_t>(n, additive - stage_);
    stage_ = static_cast<std::uint8_t>(stage_ + some);
    return some;
  }
  return ramps && k == Kind::kHyper ? leap_ramp(n, rates, p, build) : 0;
}

// If two successive hyper increases together move Rc and Rt by the same even amount, all later pairs do the
// same, because halving commutes with even shifts: floor((x + 2h) / 2) = floor(x / 2) + h. A ramp therefore
// needs only one multiplication, provided that Rt neither reaches the line rate nor wraps.
std::uint64_t IncreaseEngine::leap_ramp(std::uint64_t n, Rates& rates, const FirmwareParameters& p,
                                        const FirmwareBuild& build) {
  const Rates one = increased(rates, Kind::kHyper, p, build), two = increased(one, Kind::kHyper, p, build);
  if (two == rates) return n & ~std::uint64_t{1};
  const std::uint64_t up = two.rt - rates.rt, down = rates.rt - two.rt;
  std::uint64_t pairs = n / 2;
  if (one.rt > rates.rt && two.rt - one.rt == one.rt - rates.rt && two.rc - rates.rc == up) {
    pairs = std::min(pairs, (build.line_rate - rates.rt) / up);
    rates = {rates.rc + pairs * up, rates.rt + pairs * up};
  } else if (one.rt < rates.rt && one.rt - two.rt == rates.rt - one.rt && rates.rc - two.rc == down &&
             one.rt > two.rt) {
    // Rates wrap at 32 bits, so Rhai ≥ 2^31 acts as a negative step.
    pairs = std::min({pairs, rates.rt / down, rates.rc / down});
    rates = {rates.rc - pairs * down, rates.rt - pairs * down};
  } else {
    return 0;
  }
  return pairs * 2;
}

Edge IncreaseEngine::run(Edge last, Rates& rates, bool stop_at_change, const FirmwareParameters& p,
                         const FirmwareBuild& build) {
  const std::uint64_t rc = rates.rc;
  for (Edge n = next(); n <= last; n = next()) {
    if (commits(n)) {
      const Rates r = commit();
      if (!p.dcqcn_bypass) rates = r;
    }
    act(n, rates, false, p, build);
    if (rates.rc != rc && stop_at_change) return n;
    if (pending_ || firing_ || expiry_ > last || last - expiry_ < 2) continue;
    // Process as many whole periods as fit, each including its commit.
    for (std::uint64_t left = (last - expiry_ - 2) / (Edge{p.rate_inc_interval} + 3) + 1; left != 0;) {
      std::uint64_t done =
          left < kLeapFrom && !p.dcqcn_bypass ? 0 : leap(left, rates, !stop_at_change, p, build);
      if (done == 0) {
        step(rates, p, build);
        done = 1;
      }
      pass(done, p.rate_inc_interval);
      left -= done;
      if (rates.rc != rc && stop_at_change) return zero_ + 1;
    }
  }
  return last;
}

}  // namespace softfeb::dcqcn
