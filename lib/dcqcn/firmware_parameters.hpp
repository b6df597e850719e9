// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::dcqcn {

/// Registers of the firmware's reaction point (slaclab/surf, ethernet/RoCEv2/rtl/RoCEv2Dcqcn.vhd), with
/// their reset values. Rates are in bytes per second, intervals in clocks of 6.4 ns. All registers may be
/// written at run time and take effect at the next clock. Values wider than their register are truncated. If
/// a register is narrower than the member's type, the member's comment states the register's width.
struct FirmwareParameters {
  std::uint16_t alpha_g = 1020;  ///< AlphaG, 10 bits: 1024 · (1 - g)
  std::uint8_t dec_gain = 1;     ///< DecGain, 4 bits: a cut is Rc · alpha / 2^DecGain
  /// TimeStageThreshold: the increase with this number, counted from 1 after a CNP, is additive. Increases
  /// before it are fast recovery. 0 counts as 256.
  std::uint8_t time_stage_threshold = 5;
  bool clamp_tgt_rate = false;               ///< ClampTgtRate: Rt := Rc on every cut
  bool dcqcn_bypass = false;                 ///< DcqcnBypass: keep Rc and Rt at line rate, only count CNPs
  std::uint16_t rate_dec_interval = 625;     ///< RateDecInterval; the period of cuts is 3 clocks longer
  std::uint16_t alpha_upd_interval = 8594;   ///< AlphaUpdInterval; the period of updates is 2 clocks longer
  std::uint32_t rate_inc_interval = 234375;  ///< RateIncInterval; the period of increases is 3 clocks longer
  std::uint32_t rai = 6'000'000;             ///< Rai: additive step
  std::uint32_t rhai = 12'000'000;           ///< Rhai: hyper step
  std::uint32_t rmin = 10'000'000;  ///< Rmin: a cut sets Rc to at least this rate, even if Rc was lower

  /// Returns a copy with every value truncated to the width of its register.
  FirmwareParameters cut_to_width() const {
    FirmwareParameters p = *this;
    p.alpha_g &= 1023;
    p.dec_gain &= 15;
    return p;
  }

  bool operator==(const FirmwareParameters&) const = default;
};

/// Build-time constants of the firmware.
struct FirmwareBuild {
  /// Bytes per second; below 2^32 if `wrap32` is true, otherwise below 2^53.
  std::uint64_t line_rate = 1'250'000'000;
  /// If true, rates are 32-bit registers and Rt + Rai wraps, as in the firmware. If false, rates have 64 bits
  /// and do not wrap.
  bool wrap32 = true;

  std::uint64_t sum(std::uint64_t a, std::uint64_t b) const {
    return wrap32 ? static_cast<std::uint32_t>(a + b) : a + b;
  }
  std::uint64_t difference(std::uint64_t a, std::uint64_t b) const {
    if (wrap32) return static_cast<std::uint32_t>(a - b);
    return a > b ? a - b : 0;
  }
};

/// Current and target rate, bytes per second.
struct Rates {
  std::uint64_t rc = 0;
  std::uint64_t rt = 0;

  bool operator==(const Rates&) const = default;
};

}  // namespace softfeb::dcqcn
