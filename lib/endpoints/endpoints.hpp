// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/events.hpp"
#include "endpoints/memory.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "endpoints/random_traffic.hpp"
#include "endpoints/transfers.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"

#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

/// lib/endpoints builds boards and receivers from a configuration. Start with plan.hpp, which expands the
/// configuration to one plan per sending QP. targets.hpp exchanges connection data with remote receivers.
/// payloads.hpp provides the data to send, and memory.hpp the memory of receivers. make_endpoints() below
/// creates the boards and receivers from all of these; closing.hpp completes the receivers' maps at the end.
/// The library may include lib/config, lib/engine, lib/peers and everything below them. Its code runs before
/// traffic starts or after traffic has ended, never on the packet path.
namespace softfeb::endpoints {

/// Describes the receiver that acts as the host of one board's metadata bus.
struct HostPlan {
  std::size_t receiver = 0;
  /// First of the receiver's slots for this board; there is one slot per QP of the bus.
  std::size_t first_slot = 0;
  std::unique_ptr<HostMemory> memory;
};

/// Boards and receivers of a run, built from the configuration and the peers' answers.
struct Endpoints {
  EventData events;                                          ///< outlives boards and receivers
  std::vector<std::unique_ptr<engine::Board>> boards;        ///< indexed like RunConfig::boards
  std::vector<std::unique_ptr<engine::Receiver>> receivers;  ///< indexed like RunConfig::receivers
  std::vector<std::unique_ptr<ReceiverMemory>> memories;     ///< indexed like RunConfig::receivers
  std::vector<std::optional<HostPlan>> hosts;                ///< indexed like RunConfig::boards
  std::vector<BoardMessages> messages;                       ///< indexed like RunConfig::boards
  Transfers transfers;
};

/// Creates boards and receivers without queue pairs. They answer ARP and ping during the exchange with peers.
Endpoints make_listeners(const config::RunConfig& config);

/// Calls `make`, which allocates memory for worker `worker`. Ensures that this memory is local to the
/// worker's CPU.
using ForWorker = std::function<void(std::size_t worker, const std::function<void()>& make)>;
/// A ForWorker that does not control where the memory is.
inline void anywhere(std::size_t /*worker*/, const std::function<void()>& make) { make(); }

/// Settings for make_endpoints() that are not in the configuration.
struct BuildSettings {
  std::vector<std::uint32_t> largest_pmtus;         ///< per port: largest path MTU that fits the port's MTU
  Time network_slack = engine::LinkShaper::kSlack;  ///< LinkShaper slack of boards in a lab network
  ForWorker for_worker = anywhere;
  std::pmr::memory_resource* memory = nullptr;  ///< engine::BoardConfig::memory
  /// Objects that record the times of messages, indexed by worker; empty if no times are recorded.
  std::vector<latency::Stamps*> stamps{};
  EventServices services{};
};

/// Creates all boards and receivers. The objects of a worker are allocated together, so two workers can share
/// a cache line only at the boundary of their memory. Throws EnvironmentError if memory runs out.
Endpoints make_endpoints(const config::RunConfig& config, const Plans& plans, const Payloads& payloads,
                         const BuildSettings& settings);

}  // namespace softfeb::endpoints
