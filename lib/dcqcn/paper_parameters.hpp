// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

/// Parameters of DCQCN as published (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
/// SIGCOMM 2015) and as implemented by commercial NICs. The defaults are the paper's. Each line names the
/// corresponding ConnectX parameter (mlxconfig, Linux drivers/infiniband/hw/mlx5/cong.c). The unit in
/// parentheses is that of the ConnectX parameter. Rates in this struct are in
/// bytes per second, as counted by the token bucket.
struct PaperParameters {
  /// Determines when alpha is increased.
  enum class AlphaUpdate : std::uint8_t {
    kAtCut,  ///< paper: alpha is raised on every cut, and decays after each `alpha_interval` without a CNP
    /// NICs: alpha decays every `alpha_interval`, and is raised if a CNP arrived during the interval.
    kEachPeriod,
  };

  std::uint64_t line_rate = 5'000'000'000;  ///< rpg_max_rate (Mb/s; 0 means the port speed)
  std::uint64_t min_rate = 125'000;         ///< rpg_min_rate (Mb/s)
  std::uint16_t one_minus_g = 1020;         ///< dce_tcp_g: 1024 · (1 - g); g = 1/256
  std::uint16_t initial_alpha = 1024;       ///< initial_alpha_value (1023 on NICs), in units of 1/1024
  AlphaUpdate alpha_update = AlphaUpdate::kAtCut;
  Time alpha_interval = 55 * kMicrosecond;  ///< dce_tcp_rtt (µs); K in the paper; 0 = no decay
  Time increase_timer = 55 * kMicrosecond;  ///< rpg_time_reset (µs); 0 = no timer
  std::uint64_t byte_counter = 10'000'000;  ///< rpg_byte_reset, in bytes here; 0 = no byte counter
  std::uint32_t fast_recovery_steps = 5;    ///< rpg_threshold; F in the paper
  std::uint64_t additive_step = 5'000'000;  ///< rpg_ai_rate (Mb/s); 40 Mb/s in the paper
  /// rpg_hai_rate (Mb/s). The paper states no value; the default is ten times the additive step.
  std::uint64_t hyper_step = 50'000'000;
  /// If true, hyper steps begin when the timer alone has passed fast recovery. If false, they begin when both
  /// the timer and the byte counter have passed fast recovery, as in the paper; without a byte counter, there
  /// are then no hyper steps.
  bool hyper_step_after_timer = false;
  Time decrease_interval = 0;            ///< rate_reduce_monitor_period (µs): minimum time between cuts
  std::uint8_t gd = 11;                  ///< rpg_gd: a cut is Rc · alpha · 1024 / 2^gd; 11 = alpha / 2
  std::uint8_t min_decrease_factor = 0;  ///< rpg_min_dec_fac: minimum percentage of Rc after a cut
  bool clamp_target_rate = true;         ///< clamp_tgt_rate: Rt := Rc on every cut
  /// clamp_tgt_rate_after_time_inc: Rt := Rc on a cut even if only the timer has caused increases since the
  /// last cut.
  bool clamp_target_rate_after_timer = true;
  /// rate_to_set_on_first_cnp (Mb/s); 0 = the first CNP only causes a cut
  std::uint64_t rate_on_first_cnp = 0;

  bool operator==(const PaperParameters&) const = default;
};

/// Parameters from section 5.2 and figure 14 of the paper.
constexpr PaperParameters paper_parameters(std::uint64_t line_rate) { return {.line_rate = line_rate}; }

/// Factory defaults of a ConnectX-5 or -6 Lx (mlxconfig). The byte counter is set to 32767. softfeb reads
/// this number in units of 64 bytes, which gives the 2 MB of published tests. If the unit were bytes, the
/// counter would cause an increase every few packets.
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

/// Parameters of the ns-3 simulator of HPCC (github.com/alibaba-edu/High-Precision-Congestion-Control,
/// simulation/run.py) for links of 100 Gb/s. That simulator has no byte counter and no special rate after the
/// first CNP. Its lowest rate is 1 Gb/s. It counts increases from 0, so its fast recovery is one step longer.
constexpr PaperParameters ns3_parameters(std::uint64_t line_rate = 12'500'000'000) {
  return {.line_rate = line_rate,
          .min_rate = 125'000'000,
          .one_minus_g = 1020,
          .initial_alpha = 1024,
          .alpha_update = PaperParameters::AlphaUpdate::kEachPeriod,
          .alpha_interval = 1 * kMicrosecond,
          .increase_timer = 300 * kMicrosecond,
          .byte_counter = 0,
          .fast_recovery_steps = 1,
          .additive_step = 2'500'000,
          .hyper_step = 25'000'000,
          .hyper_step_after_timer = true,
          .decrease_interval = 4 * kMicrosecond,
          .gd = 11,
          .min_decrease_factor = 0,
          .clamp_target_rate = false,
          .clamp_target_rate_after_timer = true,
          .rate_on_first_cnp = 0};
}

/// Parameters with which SwCC's authors evaluated DCQCN (USENIX ATC 2025, sections 5.1 and 5.7). Alpha is
/// updated every 55 µs. Receivers send a CNP every 50 µs. Queues mark packets between 5 and 200 KB, with a
/// probability that rises to 1 %. All other parameters have the values of the DCQCN paper.
constexpr PaperParameters swcc_parameters(std::uint64_t line_rate) {
  return {.line_rate = line_rate, .alpha_interval = 55 * kMicrosecond};
}

}  // namespace softfeb::dcqcn
