// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "congestion/congestion_control.hpp"
#include "congestion/rate_pacer.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::congestion {

enum class TimelyVariant : std::uint8_t {
  kTimely,   ///< Mittal et al., "TIMELY", SIGCOMM 2015, algorithm 1
  kPatched,  ///< Zhu et al., "ECN or Delay", CoNEXT 2016, algorithm 2
};

/// Parameters of TIMELY and Patched TIMELY. Rates are in bytes per second; CongestionControl defines which
/// bytes count. The source of each default is "TIMELY" or "CoNEXT" (the papers above), "sample code"
/// (published by the authors of TIMELY), or "ours" (a choice that the papers leave open).
struct TimelyParameters {
  TimelyVariant variant = TimelyVariant::kTimely;
  std::uint64_t line_rate = 1'250'000'000;  ///< largest rate
  std::uint64_t min_rate = 1'250'000;       ///< smallest rate, at least 1; default: one additive step (ours)
  std::uint64_t initial_rate = 1'250'000'000;  ///< the line rate (ours); TIMELY: line rate / (flows + 1)
  double alpha = 0.875;                        ///< weight of the newest RTT difference, 0–1 (TIMELY)
  /// Strength of decreases, 0–1 (TIMELY). A positive gradient reduces the rate by the fraction beta ·
  /// gradient. An RTT above t_high reduces the rate by the fraction beta · (1 − t_high / RTT). Patched TIMELY
  /// uses beta only for an RTT above t_high. It does not use beta_patched in this case, because the queue of
  /// an incast would then drain very slowly (ours, sample code).
  double beta = 0.8;
  std::uint64_t delta = 1'250'000;   ///< additive step, 10 Mb/s (TIMELY)
  Time t_low = 50 * kMicrosecond;    ///< RTTs below this time always increase the rate (TIMELY)
  Time t_high = 500 * kMicrosecond;  ///< RTTs above this time always decrease the rate (TIMELY)
  Time min_rtt = 20 * kMicrosecond;  ///< divisor of RTT differences; at least 1 ps (CoNEXT, footnote 4)
  std::uint32_t hai_events = 5;      ///< consecutive negative gradients before hyperactive increase (TIMELY)
  std::uint32_t hai_factor = 5;      ///< steps per sample during hyperactive increase (TIMELY)
  /// Lower bound of the factor by which a decrease multiplies the rate, 0–1 (sample code).
  double max_decrease = 0.5;
  Time rtt_offset = 0;       ///< subtracted from each RTT: the wire time of the packet (TIMELY)
  Time update_interval = 0;  ///< minimum time between two samples that are used; 0 if all are used (ours)
  /// Time without samples after which the previous RTT is ignored (ours).
  Time idle_reset = 5 * kMillisecond;
  double timeout_factor = 0.5;  ///< factor applied to the rate at a timeout, 0–1 (ours)
  /// For patched TIMELY: RTT at which the error is 0; at least 1 ps. The default equals t_low (CoNEXT).
  Time rtt_ref = 50 * kMicrosecond;
  /// For patched TIMELY: fraction by which a relative error of 1 cuts the rate, 0–1 (CoNEXT).
  double beta_patched = 0.008;
  std::uint32_t ack_spacing = 16'384;  ///< counted bytes per RTT sample (TIMELY)

  bool operator==(const TimelyParameters&) const = default;
};

/// TIMELY and Patched TIMELY adjust a rate to RTT samples. The rate rises if the RTT is below t_low, and
/// falls if the RTT is above t_high. In between, the rate follows the gradient of the RTT (TIMELY), or both
/// the gradient and the RTT (Patched). A timeout multiplies the rate by timeout_factor. Ignores CNPs and
/// NAKs.
class alignas(64) Timely final : public CongestionControl {
 public:
  explicit Timely(const TimelyParameters& parameters = {});

  std::uint32_t ack_spacing() const override { return parameters_.ack_spacing; }
  std::size_t memory() const override { return sizeof *this; }
  CongestionState state(Time now) const override;

  /// Sets new parameters at `now`. The rate changes only if it is outside the new bounds.
  void set_parameters(const TimelyParameters& parameters, Time now);
  const TimelyParameters& parameters() const { return parameters_; }
  double rate() const { return pacer_.rate(); }
  /// D in the paper, the smoothed RTT difference, in ps.
  double rtt_difference() const { return rtt_difference_; }
  double gradient() const { return gradient_; }       ///< smoothed RTT difference divided by min_rtt
  std::uint32_t falling() const { return falling_; }  ///< consecutive samples with a negative gradient

 private:
  Departure find_departure(std::uint32_t bytes, Time now) override;
  void on_start(Time now) override { pacer_.start(now); }
  void on_sent(std::uint32_t bytes, Time now) override { pacer_.sent(bytes, now); }
  Departure on_sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) override;
  void on_ack(const Ack& ack, Time now) override;
  void on_nak(Nak nak, Time now) override;

  void smooth(Time rtt, Time now);
  double next_rate(Time rtt) const;
  double rate_between_thresholds(Time rtt) const;
  double reduced(double factor) const;
  void set_rate(double rate, Time now);

  RatePacer pacer_;
  TimelyParameters parameters_;
  Time rtt_ = 0;               ///< last RTT sample
  Time last_sample_ = kNever;  ///< kNever if there is no previous RTT to compare with
  double rtt_difference_ = 0;
  double gradient_ = 0;
  std::uint32_t falling_ = 0;
};

}  // namespace softfeb::congestion
