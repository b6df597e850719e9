// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/convergence.hpp"
#include "lab/fairness.hpp"
#include "lab/offered.hpp"
#include "lab/schedule.hpp"
#include "stats/sample.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::lab {

/// The part of a configuration that metrics need.
struct MetricsConfig {
  struct Board {
    Sending sending;
    std::uint64_t link_rate = 0;  ///< bytes per second on the wire; 0 if unknown
    std::uint64_t asked = 0;      ///< requested payload rate, bytes per second; 0 means unlimited
  };
  /// A sending queue pair.
  struct Flow {
    std::size_t board = 0;
    std::size_t qp = 0;                   ///< index of the QP on its board
    std::optional<std::size_t> receiver;  ///< index in Sample::endpoints; empty if the receiver is external
    std::size_t receiver_qp = 0;
    bool through_bottleneck = true;
    /// False if the flow shares a CongestionControl object with an earlier flow. The rate of the object is
    /// then counted only for the earlier flow.
    bool own_rate = true;
    /// True for RC: if the receiver is external, completed bytes count as delivered. False for UC, which
    /// completes a message when it is sent: with an external receiver, the delivered payload is unknown.
    bool acknowledged = true;

    bool delivery_known() const { return receiver || acknowledged; }
  };
  struct Port {
    std::uint32_t switch_index = 0;
    std::uint32_t link = 0;
  };

  std::vector<Board> boards;
  std::vector<Flow> flows;
  Time end = kNever;  ///< time since traffic began by which all boards have stopped
  Time interval = kMillisecond;
  std::optional<Port> bottleneck;
};

/// Statistics of the interval between two samples that are `length` apart (slightly more in real time).
/// Covers the boards that send throughout the interval and share the bottleneck; without a bottleneck, all
/// boards that send throughout. Excludes boards whose delivered payload is unknown (Flow::acknowledged).
struct Window {
  Time from = 0, to = 0;
  Time length = 0;  ///< nominal length of the window
  std::size_t boards_sending = 0;
  bool steady = false;        ///< true if Schedule::steady() holds for the window
  std::optional<Share> jain;  ///< Jain's index of delivered payload; empty with fewer than two boards
  /// Used share of the bottleneck's rate, in wire bytes; empty without a bottleneck.
  std::optional<Share> port_used;
};

/// Statistics over all windows of one length in steady states.
struct WindowStats {
  Time length = 0;
  std::uint64_t windows = 0;
  std::optional<Share> jain_min, jain_mean;
  std::optional<Share> port_used_min, port_used_mean;
};

/// Results of a run.
struct LabStats {
  std::array<WindowStats, 2> windows;
  std::vector<ChangeStats> changes;
  std::vector<Time> starvation;          ///< per board: longest time of sending without any delivery
  std::uint64_t queue_bytes_max = 0;     ///< longest queue at the bottleneck
  std::uint64_t queue_bytes_mean = 0;    ///< mean queue at the bottleneck, over samples in steady states
  std::vector<std::uint64_t> delivered;  ///< payload bytes per board
  /// Per board: 1 if `delivered` and `starvation` are known, otherwise 0 (see Flow::acknowledged).
  std::vector<std::uint8_t> known;
  std::optional<Share> offered;  ///< lowest Offered::share of all boards
  /// Delivered payload divided by requested payload; the lowest quotient of all boards.
  std::optional<Share> demand_met;

  const WindowStats& over_10ms() const { return windows[0]; }
  const WindowStats& over_100ms() const { return windows[1]; }
};

/// Computes the metrics during the run. Memory use does not depend on the length of the run.
class Metrics : public stats::Observer {
 public:
  static constexpr std::array<Time, 2> kWindows{10 * kMillisecond, 100 * kMillisecond};

  explicit Metrics(const MetricsConfig& config);

  /// Sets a function that is called at the end of each window. If two windows end at the same time, the
  /// function is called for the shorter window first.
  void on_window(std::function<void(const Window&)> call) { call_ = std::move(call); }

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;

  /// Returns the results so far.
  LabStats figures() const;
  const MetricsConfig& config() const { return config_; }

 private:
  /// State of the bottleneck port in a sample. A rate of 0 means that no sample has contained the port yet.
  struct Port {
    std::uint64_t rate = 0;
    std::uint64_t wire_bytes = 0;
    std::uint64_t queue_bytes = 0;
    std::uint64_t queue_bytes_max = 0;
    Time at = 0;  ///< time since traffic began
  };
  /// The current window, and the statistics of all earlier windows.
  struct Meter {
    Time from = 0;
    Time next = 0;                         ///< time at which the window ends
    std::vector<std::uint64_t> delivered;  ///< payload bytes per board at time `from`
    std::uint64_t wire_bytes = 0;          ///< wire bytes of the bottleneck port at time `port_at`
    Time port_at = 0;
    WindowStats figures{};
    std::uint64_t jain_windows = 0;
    std::uint64_t jain_sum = 0, port_sum = 0;

    void judge(const Window& w);
  };

  void count(const stats::Sample& sample);
  void watch_starvation(Time at);
  void watch_queue(Time at);
  void watch_demands(Time at);
  void watch_offered(const stats::Sample& sample);
  void watch_changes(Time at);
  void close(Meter& m, Time at);
  std::optional<Share> port_used(const Meter& m) const;
  std::vector<std::uint64_t> fair_rates();

  MetricsConfig config_;
  Schedule schedule_;
  std::vector<std::uint8_t> known_;    ///< per board: 1 if the delivered payload is known
  std::vector<std::uint8_t> sharing_;  ///< per board: 1 if known and, with a bottleneck, sharing it
  std::function<void(const Window&)> call_;
  std::array<Meter, 2> meters_;
  std::vector<Change> changes_;
  std::size_t next_change_ = 0;
  Convergence convergence_;
  Time due_;
  Time last_ = 0;                         ///< time of the latest sample that has been processed
  std::vector<std::uint64_t> delivered_;  ///< payload bytes per board at the latest sample
  std::vector<std::uint64_t> before_;     ///< payload bytes per board at the sample before the latest
  std::uint64_t through_ = 0;             ///< payload in `delivered_` that passes the bottleneck
  Port port_;
  std::vector<Time> hungry_;  ///< per board: time of sending since the last delivery
  std::vector<Time> starvation_;
  std::vector<Offered> offered_;
  struct Demand {
    Time sent_for = 0;
    std::uint64_t delivered = 0;
  };
  std::vector<Demand> demands_;  ///< sending time and delivered bytes of each board
  std::uint64_t queue_sum_ = 0, queue_samples_ = 0;
};

}  // namespace softfeb::lab
