// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/demux.hpp"
#include "engine/endpoint.hpp"
#include "fabric/event_tree.hpp"
#include "fabric/network.hpp"
#include "lab/frame_pool.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::lab {

/// Endpoints at the stations of a network, in virtual time: the clock jumps from event to event, and what
/// happens depends on nothing but the configuration and its seeds. Events at one time: the network's first,
/// then endpoints in their order.
class World {
 public:
  struct Seat {
    engine::Endpoint* endpoint = nullptr;
    std::uint32_t station = 0;
  };

  /// Endpoints outlive the world; nobody else drives them. What arrives at stations without an endpoint is
  /// gone.
  World(const fabric::NetworkConfig& config, const std::vector<Seat>& seats);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Time now() const { return now_; }
  /// Everything up to and at `end` happens. Throws std::runtime_error when more is under way than a run may
  /// hold (FramePool::kMost frames).
  void run_until(Time end);
  /// Somebody told endpoint `seat` something at now(): what it has to say leaves at once.
  void touched(std::size_t seat) { serve(static_cast<std::uint32_t>(seat), now_); }

  /// No frame is under way.
  bool empty() const { return network_.next_event() == kNever; }
  fabric::Network& network() { return network_; }
  const fabric::Network& network() const { return network_; }

  /// Deliveries and turns of endpoints so far: what the speed of a run is counted in.
  std::uint64_t events() const { return events_done_; }
  /// Frames that were delivered to a station and are not for its endpoint (flooded, or for another address),
  /// or to one without an endpoint.
  std::uint64_t passed_over() const { return passed_over_; }

 private:
  static constexpr std::size_t kBurst = 8;
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  struct Place {
    Seat seat;
    engine::Demux own;  ///< what is flooded and for others is not its business
  };

  void deliver(const fabric::Network::Delivery& delivery);
  bool receive(Place& place, const PoolFrame& frame);
  void serve(std::uint32_t seat, Time now);
  void prepare(std::size_t i);

  FramePool pool_;
  fabric::Network network_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_of_;  ///< by station
  fabric::EventTree next_;               ///< of endpoints
  std::array<PoolFrame*, kBurst> frames_{};
  std::array<engine::TxFrame, kBurst> out_{};
  Time now_ = 0;
  std::uint64_t events_done_ = 0;
  std::uint64_t passed_over_ = 0;
};

}  // namespace softfeb::lab
