// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/endpoint.hpp"
#include "fabric/config.hpp"
#include "fabric/snapshot.hpp"
#include "latency/stamps.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace softfeb::simulator {

/// An endpoint and its place in the network.
struct Seat {
  engine::Endpoint* endpoint = nullptr;
  std::uint32_t station = 0;  ///< index into NetworkConfig::stations
};

/// Drives endpoints, and the network between them, in virtual time. softfeb uses PartedLoop; examples/ns3
/// contains an implementation that uses another simulator.
class Simulation {
 public:
  virtual ~Simulation() = default;

  virtual Time now() const = 0;
  /// Runs all events up to and including `end`. Throws std::runtime_error if the network holds too many
  /// frames.
  virtual void run_until(Time end) = 0;
  /// Calls `what`, which may change endpoint `seat` at now(), if this process simulates this endpoint. Then
  /// sends the frames that are due.
  virtual void change(std::size_t seat, const std::function<void()>& what) = 0;
  /// True if this process simulates endpoint `seat`.
  virtual bool simulates(std::size_t seat) const = 0;
  /// True if no frame is in flight.
  virtual bool empty() = 0;

  /// make_snapshot() returns a snapshot with room for all ports; take_snapshot() fills it with the state at
  /// now().
  virtual fabric::NetworkSnapshot make_snapshot() const = 0;
  virtual void take_snapshot(fabric::NetworkSnapshot& out) = 0;
  /// See fabric::Network::report_times().
  virtual void report_times(latency::Stamps& stamps) = 0;
  /// Passes the times that other parts of the network have recorded, if any, to `table`.
  virtual void collect_stamps(latency::Stamps* /*table*/) {}

  /// Number of events processed so far. Used to measure the speed of the simulation.
  virtual std::uint64_t events() const = 0;
  /// Number of frames that were delivered to a station but not accepted by an endpoint: the frame was flooded
  /// or sent to another address, or the station has no endpoint.
  virtual std::uint64_t passed_over() const = 0;
};

/// Creates a simulation. The endpoints must outlive it.
using MakeSimulation =
    std::function<std::unique_ptr<Simulation>(const fabric::NetworkConfig&, const std::vector<Seat>&)>;

}  // namespace softfeb::simulator
