// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/congestion_control.hpp"
#include "congestion/hpcc_parameters.hpp"
#include "congestion/rate_pacer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace softfeb::congestion {

/// HPCC (Li et al., SIGCOMM 2019, algorithm 1): the window follows the load of the busiest port on the path,
/// which INT records report. Packets are paced at window / T. Ignores CNPs and, since loss is not a
/// congestion signal, NAKs; a timeout only discards the records.
class alignas(64) Hpcc final : public CongestionControl {
 public:
  explicit Hpcc(const HpccParameters& parameters = {});

  std::uint32_t ack_spacing() const override { return 0; }
  std::size_t memory() const override { return sizeof *this; }
  CongestionState state(Time now) const override;

  /// Sets new parameters at `now`. The window changes only if it exceeds the new bounds.
  void set_parameters(const HpccParameters& parameters, Time now);
  const HpccParameters& parameters() const { return parameters_; }
  double window_bytes() const { return window_; }         ///< W, counted bytes
  double reference_window() const { return reference_; }  ///< W^c of the paper, counted bytes
  double rate() const { return pacer_.rate(); }           ///< W / T, bytes per second
  double utilization() const { return u_; }               ///< U
  std::uint32_t stage() const { return stage_; }          ///< additive steps since the last other one
  std::uint64_t last_update() const { return last_update_; }

 private:
  /// What is needed of a previous record.
  struct Seen {
    std::uint32_t at_ns = 0;
    std::uint32_t tx_bytes = 0;
    std::uint32_t queue = 0;
  };
  struct Load {
    double u = 0;
    Time interval = 0;  ///< over which u was measured; 0 if no record was usable
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
  std::uint64_t last_update_ = 0;  ///< packets sent when the reference window last changed
  Time heard_ = 0;                 ///< arrival of the records in seen_
  HpccParameters parameters_;
  std::uint32_t stage_ = 0;
  std::uint16_t path_ = 0;
  std::uint8_t count_ = 0;  ///< records in seen_; 0: none to compare with
  std::array<Seen, kMaxIntRecords> seen_;
};

}  // namespace softfeb::congestion
