// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "congestion/congestion_control.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace softfeb::congestion {

/// Parameters of Swift (Kumar et al., SIGCOMM 2020). Windows are in packets. The source of each default is
/// "paper", "htsim" (the simulator of NDP and EQDS, which is the only source of these values), or "ours".
struct SwiftParameters {
  std::uint32_t packet = 4108;           ///< bytes of a full packet from BTH through pad, at least 1 (ours)
  std::uint8_t hops = 1;                 ///< hop count if the acknowledgement carries none (ours)
  Time base_target = 25 * kMicrosecond;  ///< target of the fabric delay without scaling (ours)
  Time hop_delay = 1 * kMicrosecond;     ///< added to the target for each switch on the path (ours)
  Time fs_range = 100 * kMicrosecond;    ///< the most that flow scaling adds to the target (ours)
  /// If the window is at most this, flow scaling adds fs_range; must be above 0 (htsim).
  double fs_min_cwnd = 0.1;
  /// If the window is at least this, flow scaling adds nothing; must be above fs_min_cwnd (htsim).
  double fs_max_cwnd = 100;
  double ai = 1;  ///< additive increase, packets per round trip (htsim)
  /// The window decreases by the fraction beta · (delay − target) / delay; beta is 0–1 (htsim).
  double beta = 0.8;
  double max_mdf = 0.5;     ///< largest fraction by which a decrease reduces the window, 0–1 (htsim)
  double min_cwnd = 0.001;  ///< smallest window; must be above 0 (paper)
  double max_cwnd = 1000;   ///< largest window; at least min_cwnd (ours)
  double initial_cwnd = 8;  ///< window at the start (ours)
  /// Target of the receiver's delay; 0 means that there is no endpoint window (ours)
  Time endpoint_target = 0;
  double endpoint_gain = 1;  ///< weight of the receiver's newest delay, 0–1; 1 means no averaging (ours)
  /// Number of consecutive timeouts after which the window is reset to min_cwnd (htsim).
  std::uint32_t retx_reset_threshold = 5;
  /// The window does not grow while it is at least this many times the number of packets in flight, because
  /// the link or the application then limits the sender. With 0, the window always grows (ours).
  double limited_factor = 2;

  bool operator==(const SwiftParameters&) const = default;
};

/// Swift (Kumar et al., SIGCOMM 2020, algorithm 1 and section 3.5): two windows follow target delays by
/// additive increase and multiplicative decrease, one for the delay of the fabric and one for the delay of
/// the receiver. The smaller window applies. If it is below one packet, packets are spaced by RTT / window.
class alignas(64) Swift final : public CongestionControl {
 public:
  explicit Swift(const SwiftParameters& parameters = {});

  std::uint32_t ack_spacing() const override { return 0; }
  std::size_t memory() const override { return sizeof *this; }
  CongestionState state(Time now) const override;

  /// Sets new parameters at `now`. A window changes only if it is outside the new bounds. The endpoint window
  /// also changes if `endpoint_target` becomes 0.
  void set_parameters(const SwiftParameters& parameters, Time now);
  const SwiftParameters& parameters() const { return parameters_; }
  double fabric_cwnd() const { return fabric_.cwnd; }
  double endpoint_cwnd() const { return endpoint_.cwnd; }
  /// Returns the window in packets.
  double cwnd() const {
    return parameters_.endpoint_target == 0 ? fabric_.cwnd : std::min(fabric_.cwnd, endpoint_.cwnd);
  }
  /// Time between two packets in ps if the window is below one packet; otherwise 0.
  double pacing_delay() const { return cwnd() < 1 ? static_cast<double>(rtt_) / cwnd() : 0; }
  double target_delay() const { return target_; }       ///< target of the fabric delay, ps
  std::uint32_t timeouts() const { return timeouts_; }  ///< consecutive timeouts

 private:
  struct Window {
    double cwnd;
    Time last_decrease = kNever;  ///< kNever if the window has not decreased yet
  };

  Departure find_departure(std::uint32_t bytes, Time now) override;
  void on_sent(std::uint32_t, Time now) override { last_sent_ = now; }
  std::uint64_t find_window() const override;
  void on_ack(const Ack& ack, Time now) override;
  void on_nak(Nak nak, Time now) override;

  void scale_flows();
  double target_for(std::uint8_t hops) const;
  void follow(Window& window, double delay, double target, const Ack& ack, Time now);
  bool may_decrease(const Window& window, Time now) const;
  void decrease_for_loss(Time now);
  void set_cwnd(Window& window, double cwnd, Time now);
  double window_bytes() const { return std::max(1.0, cwnd() * parameters_.packet); }

  Window fabric_;
  Window endpoint_;
  Time rtt_;                 ///< last sample; before the first sample, base_target (ours)
  Time last_sent_ = kNever;  ///< kNever if nothing has been sent
  double target_ = 0;
  double fs_alpha_ = 0;  ///< flow scaling adds fs_alpha_ / √cwnd + fs_offset_ to the target
  double fs_offset_ = 0;
  double endpoint_delay_ = -1;  ///< average delay of the receiver, ps; negative if there is no sample yet
  std::uint32_t timeouts_ = 0;
  bool sampled_ = false;  ///< true once rtt_ is a sample
  SwiftParameters parameters_;
};

}  // namespace softfeb::congestion
