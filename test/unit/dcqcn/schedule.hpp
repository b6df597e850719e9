// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"

#include <array>
#include <cstdint>
#include <map>

namespace softfeb::test {

/// Random CNPs and register writes. The intervals are short, so that events often coincide. The written
/// values include the extremes of every register.
struct DcqcnSchedule {
  struct Write {
    dcqcn::FirmwareParameters parameters;
    bool counter_reset;
  };

  dcqcn::FirmwareBuild build;
  dcqcn::FirmwareParameters initial;
  std::map<dcqcn::Edge, Write> writes;
  std::map<dcqcn::Edge, bool> cnps;

  template <std::size_t N>
  static std::uint64_t one_of(Rng& rng, const std::array<std::uint64_t, N>& values) {
    return values[rng.below(N)];
  }

  static std::uint64_t interval(Rng& rng) {
    return rng.below(4) == 0 ? rng.below(2000) : rng.below(4) == 0 ? rng.below(3) : rng.below(40);
  }

  static dcqcn::FirmwareParameters extreme(Rng& rng) {
    constexpr std::array<std::uint64_t, 7> kSteps = {
        0, 1, 6'000'000, 123'456'789, 1U << 31, UINT32_MAX - 999, UINT32_MAX};
    constexpr std::array<std::uint64_t, 7> kMinima = {
        0, 1, 10'000'000, 123'456'789, 1'250'000'000, 2'000'000'001, UINT32_MAX};
    constexpr std::array<std::uint64_t, 7> kAlphaG = {0, 1, 512, 1000, 1019, 1020, 1023};
    constexpr std::array<std::uint64_t, 6> kThresholds = {0, 1, 2, 3, 5, 255};
    dcqcn::FirmwareParameters p;
    p.alpha_g = static_cast<std::uint16_t>(rng.below(3) == 0 ? rng.below(1024) : one_of(rng, kAlphaG));
    p.dec_gain = static_cast<std::uint8_t>(rng.below(3) == 0 ? rng.below(16) : rng.below(3));
    p.time_stage_threshold = static_cast<std::uint8_t>(one_of(rng, kThresholds));
    p.clamp_tgt_rate = rng.below(2) != 0;
    p.dcqcn_bypass = rng.below(8) == 0;
    p.rate_dec_interval = static_cast<std::uint16_t>(interval(rng));
    p.alpha_upd_interval = static_cast<std::uint16_t>(interval(rng));
    p.rate_inc_interval = static_cast<std::uint32_t>(rng.below(20) == 0 ? UINT32_MAX : interval(rng));
    p.rai = static_cast<std::uint32_t>(one_of(rng, kSteps));
    p.rhai = static_cast<std::uint32_t>(one_of(rng, kSteps));
    p.rmin = static_cast<std::uint32_t>(one_of(rng, kMinima));
    return p;
  }

  /// Returns random parameters within the limits of a valid configuration.
  static dcqcn::FirmwareParameters legal(Rng& rng, std::uint64_t line_rate) {
    dcqcn::FirmwareParameters p = extreme(rng);
    p.alpha_g = static_cast<std::uint16_t>(513 + rng.below(511));
    p.dec_gain = static_cast<std::uint8_t>(1 + rng.below(4));
    p.dcqcn_bypass = false;
    p.rai = static_cast<std::uint32_t>(rng.below(50'000'000));
    p.rhai = static_cast<std::uint32_t>(rng.below(100'000'000));
    p.rmin = static_cast<std::uint32_t>(1 + rng.below(line_rate));
    return p;
  }

  /// Adds bursts of a few CNPs with longer pauses between them, until `end`.
  void add_cnps(Rng& rng, dcqcn::Edge end) {
    for (dcqcn::Edge n = rng.below(50); n < end; n += rng.below(6) == 0 ? rng.below(3000) : 1 + rng.below(40))
      cnps[n] = true;
  }
  /// Adds register writes. Two writes are at least 4 clocks apart, because an AXI-Lite write takes a few
  /// clocks.
  void add_writes(Rng& rng, dcqcn::Edge end) {
    dcqcn::FirmwareParameters p = initial;
    for (dcqcn::Edge n = rng.below(500); n < end; n += 4 + rng.below(900)) {
      const dcqcn::FirmwareParameters other = extreme(rng);
      if (rng.below(3) == 0) p = other;
      if (rng.below(2) == 0) p.rate_inc_interval = other.rate_inc_interval;
      if (rng.below(2) == 0) p.rate_dec_interval = other.rate_dec_interval;
      if (rng.below(2) == 0) p.alpha_upd_interval = other.alpha_upd_interval;
      if (rng.below(2) == 0) p.dcqcn_bypass = other.dcqcn_bypass;
      writes[n] = {p, rng.below(2) != 0};
    }
  }
};

}  // namespace softfeb::test
