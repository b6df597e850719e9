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

/// Drives endpoints, and the network between them, in virtual time. EventLoop is the one that softfeb uses.
/// examples/ns3 has one that runs in another simulator.
class Simulation {
 public:
  virtual ~Simulation() = default;

  virtual Time now() const = 0;
  /// Runs all events up to and including `end`. Throws std::runtime_error if the network holds too many
  /// frames.
  virtual void run_until(Time end) = 0;
  /// Sends the frames of endpoint `seat` that are due. Call it after changing the endpoint at now().
  virtual void touched(std::size_t seat) = 0;
  /// True if no frame is in flight.
  virtual bool empty() const = 0;

  /// Returns a snapshot with room for all ports, and take_snapshot() fills it with the state at now().
  virtual fabric::NetworkSnapshot make_snapshot() const = 0;
  virtual void take_snapshot(fabric::NetworkSnapshot& out) = 0;
  /// See fabric::Network::report_times().
  virtual void report_times(latency::Stamps& stamps) = 0;

  /// Number of steps so far, which measures the speed of the simulation.
  virtual std::uint64_t events() const = 0;
  /// Number of frames that were delivered to a station but not accepted by an endpoint: the frame was flooded
  /// or sent to another address, or the station has no endpoint.
  virtual std::uint64_t passed_over() const = 0;
};

/// Makes a simulation. Endpoints must outlive it.
using MakeSimulation =
    std::function<std::unique_ptr<Simulation>(const fabric::NetworkConfig&, const std::vector<Seat>&)>;

}  // namespace softfeb::simulator
