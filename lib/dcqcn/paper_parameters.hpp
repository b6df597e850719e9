// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

/// Parameters of DCQCN as published (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
/// SIGCOMM 2015) and of what commercial NICs made of it. Defaults are the paper's; each line names the
/// vendor's parameter (ConnectX: mlxconfig, Linux drivers/infiniband/hw/mlx5/cong.c), whose unit may be
/// another. Rates in bytes per second, of the bytes that the token bucket counts.
struct PaperParameters {
  /// When alpha grows.
  enum class AlphaUpdate : std::uint8_t {
    kAtCut,       ///< the paper: at every cut, and it decays after `alpha_interval` without one
    kEachPeriod,  ///< NICs: every `alpha_interval` it decays, and grows if a CNP came in the meantime
  };

  std::uint64_t line_rate = 5'000'000'000;  ///< rpg_max_rate (Mb/s; 0 there: the port's speed)
  std::uint64_t min_rate = 125'000;         ///< rpg_min_rate (Mb/s)
  std::uint16_t one_minus_g = 1020;         ///< dce_tcp_g: 1024 · (1 - g); g = 1/256
  std::uint16_t initial_alpha = 1024;       ///< initial_alpha_value (1023 there), of 1024
  AlphaUpdate alpha_update = AlphaUpdate::kAtCut;
  Time alpha_interval = 55 * kMicrosecond;  ///< dce_tcp_rtt (µs); K in the paper; 0 = no decay
  Time increase_timer = 55 * kMicrosecond;  ///< rpg_time_reset (µs); 0 = no timer
  std::uint64_t byte_counter = 10'000'000;  ///< rpg_byte_reset, here in bytes; 0 = no byte counter
  std::uint32_t fast_recovery_steps = 5;    ///< rpg_threshold; F in the paper
  std::uint64_t additive_step = 5'000'000;  ///< rpg_ai_rate (Mb/s); 40 Mb/s in the paper
  std::uint64_t hyper_step =
      50'000'000;                        ///< rpg_hai_rate (Mb/s); the paper has no value: ten times the other
  Time decrease_interval = 0;            ///< rate_reduce_monitor_period (µs): at least this between two cuts
  std::uint8_t gd = 11;                  ///< rpg_gd: a cut is Rc · alpha · 1024 / 2^gd; 11 = alpha / 2
  std::uint8_t min_decrease_factor = 0;  ///< rpg_min_dec_fac, percent of Rc that every cut leaves at least
  bool clamp_target_rate = true;         ///< clamp_tgt_rate: Rt := Rc at every cut
  bool clamp_target_rate_after_timer =
      true;  ///< clamp_tgt_rate_after_time_inc: also after increases by timer alone
  std::uint64_t rate_on_first_cnp = 0;  ///< rate_to_set_on_first_cnp (Mb/s); 0 = only the cut

  bool operator==(const PaperParameters&) const = default;
};

/// The paper's section 5.2 and figure 14.
constexpr PaperParameters paper_parameters(std::uint64_t line_rate) { return {.line_rate = line_rate}; }

/// A ConnectX-5 or -6 Lx as delivered (mlxconfig's defaults). Its byte counter of 32767 is taken as units of
/// 64 bytes, which is the 2 MB that testers use; as bytes it would mean an increase every few packets.
constexpr PaperParameters connectx_parameters(std::uint64_t line_rate) {
  return {.line_rate = line_rate,
          .min_rate = 125'000,
          .one_minus_g = 1019,
          .initial_alpha = 1023,
          .alpha_update = PaperParameters::AlphaUpdate::kEachPeriod,
          .alpha_interval = 1 * kMicrosecond,
          .increase_timer = 300 * kMicrosecond,
          .byte_counter = 32'767 * 64,
          .fast_recovery_steps = 1,
          .additive_step = 625'000,
          .hyper_step = 6'250'000,
          .decrease_interval = 4 * kMicrosecond,
          .gd = 11,
          .min_decrease_factor = 50,
          .clamp_target_rate = false,
          .clamp_target_rate_after_timer = true,
          .rate_on_first_cnp = 0};
}

}  // namespace softfeb::dcqcn
