// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/convergence.hpp"
#include "lab/fairness.hpp"
#include "lab/offered.hpp"
#include "lab/sample.hpp"
#include "lab/schedule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::lab {

/// What figures are made of: the part of a configuration that they need.
struct MetricsConfig {
  struct Board {
    Sending sending;
    std::uint64_t link_rate = 0;  ///< bytes per second on the wire; 0: unknown
    std::uint64_t asked = 0;      ///< payload bytes per second; 0: as much as it can
  };
  /// A sending queue pair.
  struct Flow {
    std::size_t board = 0;
    std::size_t qp = 0;                   ///< of the board
    std::optional<std::size_t> receiver;  ///< into Sample::endpoints; none: not ours
    std::size_t receiver_qp = 0;
    bool through_bottleneck = true;
    bool own_rate = true;  ///< false: an earlier one with the same congestion control counts it
    /// RC: where the receiver is not ours, completed bytes count as delivered. UC completes what was sent, so
    /// without a receiver of ours nothing is known of what its board delivers.
    bool acknowledged = true;

    bool delivery_known() const { return receiver || acknowledged; }
  };
  struct Port {
    std::uint32_t switch_index = 0;
    std::uint32_t link = 0;
  };

  std::vector<Board> boards;
  std::vector<Flow> flows;
  Time end = kNever;  ///< traffic stops then, at the latest
  Time interval = kMillisecond;
  std::optional<Port> bottleneck;
};

/// What happened between two samples `length` apart (real time: a little more). Boards that share the
/// bottleneck are looked at, all where there is none; those that send all the time count. Boards whose
/// delivered payload is not known (Flow::acknowledged) are left out.
struct Window {
  Time from = 0, to = 0;
  Time length = 0;  ///< asked for
  std::size_t boards_sending = 0;
  bool steady = false;             ///< Schedule::steady
  std::optional<Share> jain;       ///< of delivered payload; none with fewer than two boards
  std::optional<Share> port_used;  ///< of the bottleneck's rate, as wire bytes; none without one
};

/// Of all windows of one length in steady states.
struct WindowFigures {
  Time length = 0;
  std::uint64_t windows = 0;
  std::optional<Share> jain_min, jain_mean;
  std::optional<Share> port_used_min, port_used_mean;
};

/// What a run came to.
struct LabFigures {
  std::array<WindowFigures, 2> windows;
  std::vector<ChangeFigures> changes;
  std::vector<Time> starvation;  ///< of each board: longest time while it sends in which nothing arrived,
                                 ///< in whole intervals between samples
  std::uint64_t queue_bytes_max = 0;     ///< of the bottleneck
  std::uint64_t queue_bytes_mean = 0;    ///< of the bottleneck, of samples in steady states
  std::vector<std::uint64_t> delivered;  ///< payload bytes of each board
  /// Of each board: 0 where `delivered` and `starvation` mean nothing (Flow::acknowledged).
  std::vector<std::uint8_t> known;
  std::optional<Share> offered;     ///< Offered::share of the worst board
  std::optional<Share> demand_met;  ///< delivered of what was asked for, of the worst board that asks for
                                    ///< a rate

  const WindowFigures& over_10ms() const { return windows[0]; }
  const WindowFigures& over_100ms() const { return windows[1]; }
};

/// Makes figures of a run while it goes on. Memory does not grow with the run's length.
class Metrics : public Observer {
 public:
  static constexpr std::array<Time, 2> kWindows{10 * kMillisecond, 100 * kMillisecond};

  explicit Metrics(const MetricsConfig& config);

  /// Called for each window when it is over, the shorter ones first.
  void on_window(std::function<void(const Window&)> call) { call_ = std::move(call); }

  Time due() const override { return due_; }
  void add(const Sample& sample) override;

  /// So far.
  LabFigures figures() const;
  const MetricsConfig& config() const { return config_; }

 private:
  /// Of the bottleneck, as of a sample; rate 0: none seen.
  struct Port {
    std::uint64_t rate = 0;
    std::uint64_t wire_bytes = 0;
    std::uint64_t queue_bytes = 0;
    std::uint64_t queue_bytes_max = 0;
    Time at = 0;  ///< since traffic began
  };
  /// The window that is open, and figures of those before.
  struct Meter {
    Time from = 0;
    Time next = 0;                         ///< when it is over
    std::vector<std::uint64_t> delivered;  ///< at `from`
    std::uint64_t wire_bytes = 0;          ///< at `port_at`
    Time port_at = 0;
    WindowFigures figures{};
    std::uint64_t jain_windows = 0;
    std::uint64_t jain_sum = 0, port_sum = 0;

    void judge(const Window& w);
  };

  void count(const Sample& sample);
  void watch_starvation(Time at);
  void watch_queue(Time at);
  void watch_demands(Time at);
  void watch_offered(const Sample& sample);
  void watch_changes(Time at);
  void close(Meter& m, Time at);
  std::optional<Share> port_used(const Meter& m) const;
  std::vector<std::uint64_t> fair_rates();

  MetricsConfig config_;
  Schedule schedule_;
  std::vector<std::uint8_t> known_;    ///< boards whose delivered payload is known
  std::vector<std::uint8_t> sharing_;  ///< of them those that share the bottleneck
  std::function<void(const Window&)> call_;
  std::array<Meter, 2> meters_;
  std::vector<Change> changes_;
  std::size_t next_change_ = 0;
  Convergence convergence_;
  Time due_;
  Time last_ = 0;                         ///< time of the last sample
  std::vector<std::uint64_t> delivered_;  ///< of each board, at the last sample
  std::vector<std::uint64_t> before_;     ///< at the one before
  std::uint64_t through_ = 0;             ///< of it, payload that shares the bottleneck
  Port port_;
  std::vector<Time> hungry_;  ///< of each board: nothing delivered for so long
  std::vector<Time> starvation_;
  std::vector<Offered> offered_;
  struct Demand {
    Time sent_for = 0;
    std::uint64_t delivered = 0;
  };
  std::vector<Demand> demands_;  ///< of each board, while it sends
  std::uint64_t queue_sum_ = 0, queue_samples_ = 0;
};

}  // namespace softfeb::lab
