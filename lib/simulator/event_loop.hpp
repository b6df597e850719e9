// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/demux.hpp"
#include "engine/endpoint.hpp"
#include "fabric/event_calendar.hpp"
#include "fabric/network.hpp"
#include "simulator/frame_pool.hpp"
#include "simulator/simulation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::simulator {

/// Event loop for the endpoints of a network in virtual time. The clock jumps from event to event, and the
/// run depends only on the configuration and its seeds. Simultaneous events run in a fixed order: first the
/// events of the network, then those of the endpoints, by index.
class EventLoop final : public Simulation {
 public:
  /// Endpoints must outlive the EventLoop. Code that changes an endpoint directly must call touched()
  /// afterwards. Frames for stations without an endpoint are discarded.
  EventLoop(const fabric::NetworkConfig& config, const std::vector<Seat>& seats);
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  Time now() const override { return now_; }
  /// Throws std::runtime_error if more than FramePool::kMost frames are in flight.
  void run_until(Time end) override;
  void touched(std::size_t seat) override { serve(static_cast<std::uint32_t>(seat), now_); }
  bool empty() const override { return network_.next_event() == kNever; }

  fabric::NetworkSnapshot make_snapshot() const override { return network_.make_snapshot(); }
  void take_snapshot(fabric::NetworkSnapshot& out) override { network_.take_snapshot(out, now_); }
  void report_times(latency::Stamps& stamps) override { network_.report_times(stamps); }

  /// Number of deliveries to stations plus number of serve() calls.
  std::uint64_t events() const override { return events_done_; }
  std::uint64_t passed_over() const override { return passed_over_; }

 private:
  static constexpr std::size_t kBurst = 8;
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  struct Place {
    Seat seat;
    engine::Demux own;  ///< selects the frames for this endpoint; other frames are ignored
  };

  void deliver(const fabric::Network::Delivery& delivery);
  bool receive(Place& place, const PoolFrame& frame);
  void serve(std::uint32_t seat, Time now);
  void prepare(std::size_t i);

  FramePool pool_;
  fabric::Network network_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_of_;  ///< indexed by station
  fabric::EventCalendar next_;           ///< next event of each endpoint
  std::array<PoolFrame*, kBurst> frames_{};
  std::array<engine::TxFrame, kBurst> out_{};
  Time now_ = 0;
  std::uint64_t events_done_ = 0;
  std::uint64_t passed_over_ = 0;
};

}  // namespace softfeb::simulator
