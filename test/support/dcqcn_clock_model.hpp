// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/firmware_parameters.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::test {

/// A model of the firmware's reaction point that simulates every clock cycle of the circuit: the next value
/// of a register depends on the values of all registers before the clock edge. The model is slow. It shares
/// no code with the event-driven implementation that it checks.
class DcqcnClockModel {
 public:
  using Parameters = dcqcn::FirmwareParameters;

  explicit DcqcnClockModel(const Parameters& p = {}, std::uint64_t line_rate = 1'250'000'000,
                           bool wrap32 = true)
      : p_(p), line_(line_rate), mask_(wrap32 ? UINT32_MAX : UINT64_MAX) {
    rc = rt = line_rate;
  }

  /// Simulates a rising clock edge. `cnp` is the level of the CNP input at the edge. `next` contains the
  /// parameters after the edge, and `counter_reset` is CnpCntRst after the edge.
  void clock(bool cnp, const Parameters& next, bool counter_reset) {
    const DcqcnClockModel o = *this;  // register values before the edge
    synchroniser_ = static_cast<std::uint8_t>(o.synchroniser_ << 1 | (cnp ? 1 : 0));
    strobe_ = (synchroniser_ & 0b1100) == 0b0100;
    count(o);
    overseer(o);
    increase(o);
    decrease(o);
    alpha_update(o);
    p_ = next;
    counter_reset_ = counter_reset;
  }

  std::uint64_t rc, rt;
  std::uint32_t alpha = 1023;
  std::uint8_t time_stage = 0;
  std::uint16_t cnp_counter = 0;

 private:
  void count(const DcqcnClockModel& o) {
    counter_reset_1_ = o.counter_reset_;
    clear_ = o.counter_reset_ && !o.counter_reset_1_;
    if (o.strobe_) ++count_;
    if (o.clear_) count_ = 0;
    cnp_counter = o.count_;
  }

  void overseer(const DcqcnClockModel& o) {
    inc_reset_ = false;
    if (o.strobe_ && !o.inc_reset_ && !o.p_.dcqcn_bypass) {
      enabled_ = inc_reset_ = dec_flag_ = true;
      alpha_flag_ = !o.first_;
      if (o.first_) alpha = 1023;
      first_ = false;
    }
    if (o.inc_.valid) {
      rc = o.inc_.rc;
      rt = o.inc_.rt;
    }
    if (o.dec_.valid) {
      rc = o.dec_.rc;
      rt = o.dec_.rt;
      dec_flag_ = false;
    }
    if (o.alpha_upd_.valid) {
      alpha = o.alpha_upd_.value;
      alpha_flag_ = false;
    }
    if (o.p_.dcqcn_bypass) rc = rt = line_;
  }

  void increase(const DcqcnClockModel& o) {
    inc_.valid = false;
    switch (o.inc_.state) {
      case 0:
        if (o.enabled_) inc_.state = 1;
        break;
      case 1:
        ++inc_.timer;
        if (o.inc_.timer > o.p_.rate_inc_interval) {
          const auto t = static_cast<std::uint8_t>(o.p_.time_stage_threshold - 1);
          inc_.state = o.time_stage < t ? 2 : o.time_stage == t ? 3 : 4;
        } else if (o.inc_reset_) {
          inc_.timer = 0;
          time_stage = 0;
        }
        break;
      default:
        inc_.rt = o.rt;
        if (o.inc_.state != 2) {
          inc_.rt = (o.rt + (o.inc_.state == 3 ? o.p_.rai : o.p_.rhai)) & mask_;
          if (inc_.rt > line_) inc_.rt = line_;
        }
        inc_.rc = (o.rc >> 1) + (inc_.rt >> 1);
        if (o.inc_.state != 4) ++time_stage;
        inc_.valid = true;
        inc_.timer = 0;
        inc_.state = 1;
    }
  }

  void decrease(const DcqcnClockModel& o) {
    dec_.valid = false;
    switch (o.dec_.state) {
      case 0:
        if (o.enabled_) dec_.state = 1;
        break;
      case 1:
        ++dec_.timer;
        if (o.dec_.timer >= o.p_.rate_dec_interval) dec_.state = 2;
        break;
      case 2:
        dec_.update = o.dec_flag_;
        if (o.dec_flag_) {
          dec_.rt = !o.p_.clamp_tgt_rate && o.time_stage == 0 ? o.rt : o.rc;
          dec_.product = o.rc * o.alpha;
        }
        dec_.state = 3;
        break;
      default:
        if (o.dec_.update) {
          const std::uint64_t delta = o.dec_.product >> 10 >> o.p_.dec_gain;
          dec_.rc = mask_ == UINT32_MAX ? (o.rc - delta) & mask_ : o.rc - std::min(o.rc, delta);
          if (dec_.rc < o.p_.rmin) dec_.rc = o.p_.rmin;
          dec_.valid = true;
        }
        dec_.timer = 0;
        dec_.state = 1;
    }
  }

  void alpha_update(const DcqcnClockModel& o) {
    alpha_upd_.valid = false;
    switch (o.alpha_upd_.state) {
      case 0:
        if (o.enabled_) alpha_upd_.state = 1;
        break;
      case 1:
        ++alpha_upd_.timer;
        if (o.alpha_upd_.timer >= o.p_.alpha_upd_interval) alpha_upd_.state = 2;
        break;
      default:
        alpha_upd_.value = (o.alpha * o.p_.alpha_g + 512) / 1024;
        if (o.alpha_flag_) alpha_upd_.value += (1024 - o.p_.alpha_g) % 1024;
        alpha_upd_.value %= 1024;
        alpha_upd_.valid = true;
        alpha_upd_.timer = 0;
        alpha_upd_.state = 1;
    }
  }

  struct Increase {
    int state = 0;
    std::uint32_t timer = 0;
    std::uint64_t rc = 0, rt = 0;
    bool valid = false;
  };
  struct Decrease {
    int state = 0;
    std::uint16_t timer = 0;
    bool update = false;
    std::uint64_t product = 0, rc = 0, rt = 0;
    bool valid = false;
  };
  struct AlphaUpdate {
    int state = 0;
    std::uint16_t timer = 0;
    std::uint32_t value = 0;
    bool valid = false;
  };

  Parameters p_;
  std::uint64_t line_, mask_;
  Increase inc_;
  Decrease dec_;
  AlphaUpdate alpha_upd_;
  std::uint16_t count_ = 0;
  std::uint8_t synchroniser_ = 0;
  bool strobe_ = false, clear_ = false, counter_reset_ = false, counter_reset_1_ = false;
  bool first_ = true, enabled_ = false, inc_reset_ = false, dec_flag_ = false, alpha_flag_ = false;
};

}  // namespace softfeb::test
