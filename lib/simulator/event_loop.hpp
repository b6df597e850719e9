// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/demux.hpp"
#include "engine/endpoint.hpp"
#include "fabric/event_calendar.hpp"
#include "fabric/network.hpp"
#include "simulator/frame_pool.hpp"
#include "simulator/order.hpp"
#include "simulator/simulation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::simulator {

/// Event loop for the endpoints of a network in virtual time. The clock jumps from event to event, and the
/// run depends only on the configuration and its seeds. Simultaneous events run in a fixed order: first the
/// events of the network, then those of the endpoints, by index.
class EventLoop {
 public:
  /// Endpoints must outlive the EventLoop. Code that changes an endpoint directly must call touched()
  /// afterwards. Frames for stations without an endpoint are discarded. If `slice` is not null, the EventLoop
  /// runs only the endpoints and the network of this slice, which must outlive the EventLoop.
  EventLoop(const fabric::NetworkConfig& config, const std::vector<Seat>& seats,
            const fabric::Slice* slice = nullptr);
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  Time now() const { return now_; }
  /// Runs all events up to and including `end`. Throws std::runtime_error if more than
  /// FramePool::limit_for() frames are in flight.
  void run_until(Time end);
  /// Sends the frames of endpoint `seat` that are due. Call it after changing the endpoint at now().
  void touched(std::size_t seat) { serve(static_cast<std::uint32_t>(seat), now_); }

  /// True if endpoint `seat` belongs to the slice.
  bool simulates(std::size_t seat) const {
    return slice_ == nullptr || slice_->stations[places_[seat].seat.station] != 0;
  }
  /// Time of the next event; kNever if there is none.
  Time next_event() const { return std::min(next_.time(), network_.next_event()); }
  FramePool& pool() { return pool_; }

  /// Sets the number of the current step (Order::step). The caller counts the steps.
  void set_step(std::uint64_t step) { step_ = step; }
  /// Returns the position of the current event in the global order of events.
  Order order() const;
  /// A flow whose source is in the slice, and the position of its first packet in the global order.
  struct NewFlow {
    Order order;
    fabric::FlowKey flow;
  };
  /// With a slice: the flows that have begun since the caller last cleared this list.
  std::vector<NewFlow>& new_flows() { return new_flows_; }

  /// True if no frame is in flight.
  bool empty() const { return network_.next_event() == kNever; }
  fabric::Network& network() { return network_; }
  const fabric::Network& network() const { return network_; }

  /// Number of deliveries to stations plus number of serve() calls so far. Used to measure the speed of the
  /// simulation.
  std::uint64_t events() const { return events_done_; }
  /// Number of frames that were delivered to a station but not accepted by an endpoint: the frame was flooded
  /// or sent to another address, or the station has no endpoint.
  std::uint64_t passed_over() const { return passed_over_; }

 private:
  static constexpr std::size_t kBurst = 8;
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  struct Place {
    Seat seat;
    engine::Demux own;  ///< selects the frames for this endpoint; other frames are ignored
  };

  void deliver(const fabric::Network::Delivery& delivery);
  static bool is_for(const Place& place, const roce::ParsedFrame& frame);
  bool receive(Place& place, const PoolFrame& frame);
  void serve(std::uint32_t seat, Time now);
  void prepare(std::size_t i);
  void note_flows();

  FramePool pool_;
  fabric::Network network_;
  const fabric::Slice* slice_;  ///< null if the loop simulates the whole network
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_of_;  ///< for each station, its index in places_; kNobody if it has none
  fabric::EventCalendar next_;           ///< next event of each endpoint
  std::array<PoolFrame*, kBurst> frames_{};
  std::array<engine::TxFrame, kBurst> out_{};
  Time now_ = 0;
  std::uint64_t events_done_ = 0;
  std::uint64_t passed_over_ = 0;
  std::uint64_t step_ = 0;
  /// Index of the endpoint that is sending on its own, not in response to a delivery; kNobody if there is
  /// none.
  std::uint32_t serving_ = kNobody;
  std::size_t flows_noted_ = 0;
  std::vector<NewFlow> new_flows_;
};

}  // namespace softfeb::simulator
