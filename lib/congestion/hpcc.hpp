// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "congestion/congestion_control.hpp"
#include "congestion/rate_pacer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace softfeb::congestion {

/// Parameters of HPCC (Li et al., SIGCOMM 2019). The source of each default is "paper", "simulator" (the
/// authors' simulator, based on ns-3), or "ours".
struct HpccParameters {
  /// Rate of the sender's link in bytes per second, counting BTH through pad. The window is at most line_rate
  /// · base_rtt.
  std::uint64_t line_rate = 1'250'000'000;
  std::uint64_t min_rate = 1'250'000;  ///< at least 1; the smallest window is min_rate · base_rtt (ours)
  Time base_rtt = 13 * kMicrosecond;   ///< T, slightly above the longest RTT without queues (paper)
  double eta = 0.95;                   ///< target utilization, above 0 (paper, section 5.1)
  std::uint32_t max_stage = 5;         ///< additive steps before a multiplicative step (paper, section 5.1)
  /// Additive step, bytes. The paper's formula is line_rate · base_rtt · (1 - eta) / flows; 80 bytes are
  /// 50 Mb/s at the base RTT (simulator).
  double w_ai = 80;
  double initial_u = 1;  ///< value of U before the first measurement (simulator)
  /// Records older than this time are not compared with new records (ours). The limit is about half the time
  /// after which the 24-bit time of a record wraps.
  Time stale_after = 8 * kMillisecond;

  bool operator==(const HpccParameters&) const = default;
};

/// HPCC (Li et al., SIGCOMM 2019, algorithm 1): the window follows the load of the busiest port on the path,
/// as reported by INT records. Packets are paced at window / T. HPCC ignores CNPs. It also ignores NAKs,
/// because it does not use loss as a congestion signal. After a timeout, HPCC only discards the records of
/// the previous acknowledgement.
class alignas(64) Hpcc final : public CongestionControl {
 public:
  explicit Hpcc(const HpccParameters& parameters = {});

  std::uint32_t ack_spacing() const override { return 0; }
  std::size_t memory() const override { return sizeof *this; }
  CongestionState state(Time now) const override;

  /// Sets new parameters at `now`. The window changes only if it is outside the new bounds.
  void set_parameters(const HpccParameters& parameters, Time now);
  const HpccParameters& parameters() const { return parameters_; }
  double window_bytes() const { return window_; }         ///< W of the paper, in bytes
  double reference_window() const { return reference_; }  ///< W^c of the paper, in bytes
  double rate() const { return pacer_.rate(); }           ///< W / T, in bytes per second
  double utilization() const { return u_; }               ///< U in the paper
  std::uint32_t stage() const { return stage_; }  ///< additive steps since the last multiplicative step
  std::uint64_t last_update() const { return last_update_; }

 private:
  struct Load {
    double u = 0;
    Time interval = 0;  ///< interval over which u was measured; 0 if no record was usable
  };

  Departure find_departure(std::uint32_t bytes, Time now) override;
  void on_start(Time now) override { pacer_.start(now); }
  void on_sent(std::uint32_t bytes, Time now) override { pacer_.sent(bytes, now); }
  Departure on_sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) override;
  std::uint64_t find_window() const override;
  void on_ack(const Ack& ack, Time now) override;
  void on_nak(Nak nak, Time now) override;

  bool comparable(std::span<const IntRecord> records, std::uint16_t path, Time now) const;
  void keep(std::span<const IntRecord> records, std::uint16_t path, Time now);
  std::optional<Load> busiest_port(std::span<const IntRecord> records) const;
  void average(const Load& load);
  void adjust(bool new_round, std::uint64_t sent, Time now);
  double bounded(double window) const;

  double window_;
  RatePacer pacer_;
  double reference_;
  double u_;
  std::uint64_t last_update_ = 0;  ///< number of packets sent when the reference window last changed
  Time heard_ = 0;                 ///< time at which the records in seen_ arrived
  HpccParameters parameters_;
  std::uint32_t stage_ = 0;
  std::uint16_t path_ = 0;
  /// Number of records in seen_; 0 if there are no previous records.
  std::uint8_t count_ = 0;
  std::array<IntRecord, kMaxIntRecords> seen_;  ///< records of the previous acknowledgement
};

}  // namespace softfeb::congestion
