// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/congestion_control.hpp"
#include "congestion/rate_pacer.hpp"
#include "congestion/timely_parameters.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::congestion {

/// TIMELY and Patched TIMELY: a rate that follows RTT samples. Below t_low it rises, above t_high it falls,
/// and between them it follows the gradient of the RTT (TIMELY), or gradient and RTT (Patched). A timeout
/// halves the rate. Ignores CNPs and NAKs.
class alignas(64) Timely final : public CongestionControl {
 public:
  explicit Timely(const TimelyParameters& parameters = {});

  std::uint32_t ack_spacing() const override { return parameters_.ack_spacing; }
  std::size_t memory() const override { return sizeof *this; }
  CongestionState state(Time now) const override;

  /// Sets new parameters at `now`. The rate changes only if it exceeds the new bounds.
  void set_parameters(const TimelyParameters& parameters, Time now);
  const TimelyParameters& parameters() const { return parameters_; }
  double rate() const { return pacer_.rate(); }
  double rtt_difference() const { return rtt_difference_; }  ///< D, smoothed, ps
  double gradient() const { return gradient_; }              ///< D / min_rtt
  std::uint32_t falling() const { return falling_; }         ///< consecutive samples with a negative gradient

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
  Time rtt_ = 0;               ///< last sample
  Time last_sample_ = kNever;  ///< kNever: the next sample has no predecessor
  double rtt_difference_ = 0;
  double gradient_ = 0;
  std::uint32_t falling_ = 0;
};

}  // namespace softfeb::congestion
