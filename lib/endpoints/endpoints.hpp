// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/events.hpp"
#include "endpoints/memory.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "endpoints/random_traffic.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"
#include "engine/snapshot.hpp"

#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

/// lib/endpoints builds boards and receivers from a configuration. Start with plan.hpp, which expands the
/// configuration to one plan per sending QP. targets.hpp exchanges connection data with remote receivers.
/// payloads.hpp provides the data to send, and memory.hpp the memory of receivers. make_endpoints() below
/// combines them. The library may include lib/config, lib/engine, lib/peers and everything below them. It
/// runs before traffic starts or after it has ended, never on the packet path.
namespace softfeb::endpoints {

engine::Identity identity_of(const config::EndpointConfig& e);
/// The QP's own congestion control parameters or, if it has none, those of its board.
const config::CongestionConfig& congestion_config_of(const config::BoardConfig& board,
                                                     const config::QpConfig& qp);
engine::CongestionSettings congestion_of(const config::CongestionConfig& d);
/// Congestion control for the QPs of the metadata bus: always the firmware's algorithm, with the board's
/// parameters if its `dcqcn` selects the firmware.
dcqcn::FirmwareSettings bus_congestion(const config::BoardConfig& board);
void add_neighbours(engine::Endpoint& endpoint, const config::EndpointConfig& e);

/// Describes the receiver that acts as the host of one board's metadata bus.
struct HostPlan {
  std::size_t receiver = 0;
  /// First of the receiver's slots for this board; there is one slot per QP of the bus.
  std::size_t first_slot = 0;
  std::unique_ptr<HostMemory> memory;
};

/// A group of queue pairs that send transfers together.
struct TransferGroup {
  std::optional<std::size_t> receiver;  ///< empty: a remote receiver
  bool registered = false;
  std::unique_ptr<engine::TransferProgress> progress;
};

/// Boards and receivers of a run, built from the configuration and the peers' answers.
struct Endpoints {
  EventData events;                                          ///< outlives boards and receivers
  std::vector<std::unique_ptr<engine::Board>> boards;        ///< indexed like RunConfig::boards
  std::vector<std::unique_ptr<engine::Receiver>> receivers;  ///< indexed like RunConfig::receivers
  std::vector<std::unique_ptr<ReceiverMemory>> memories;     ///< indexed like RunConfig::receivers
  std::vector<std::optional<HostPlan>> hosts;                ///< indexed like RunConfig::boards
  std::vector<BoardMessages> messages;                       ///< indexed like RunConfig::boards
  /// Times at which transfers were posted, indexed like RunConfig::receivers, then by board that sends to it.
  std::vector<std::map<std::size_t, std::unique_ptr<engine::TransferTimes>>> transfers;
  std::vector<TransferGroup> transfer_groups;
};

/// Creates boards without queue pairs. They answer ARP and ping during the exchange with peers.
Endpoints make_listeners(const config::RunConfig& config);

/// Calls `make`, which allocates memory for worker `worker`. The caller ensures that this memory is local to
/// the worker's CPU.
using ForWorker = std::function<void(std::size_t worker, const std::function<void()>& make)>;
/// A ForWorker for memory that may be anywhere.
inline void anywhere(std::size_t /*worker*/, const std::function<void()>& make) { make(); }

/// Creates all boards and receivers. `largest_pmtus`: largest path MTU per port that fits the port's MTU.
/// `network_slack`: LinkShaper slack of boards in a lab network. The objects of a worker are allocated
/// together, so two workers share a cache line at most where their memory meets. `memory`: see
/// engine::BoardConfig. `stamps`: take the times of messages, indexed by worker; empty: times are not taken.
/// `services`: what event data needs.
/// Throws EnvironmentError if memory runs out.
Endpoints make_endpoints(const config::RunConfig& config, const Plans& plans, const Payloads& payloads,
                         const std::vector<std::uint32_t>& largest_pmtus,
                         Time network_slack = engine::LinkShaper::kSlack,
                         const ForWorker& for_worker = anywhere, std::pmr::memory_resource* memory = nullptr,
                         std::span<latency::Stamps* const> stamps = {}, const EventServices& services = {});

/// Adds messages that were sent but never arrived to the receivers' maps of missing messages, and closes
/// their windows. `final` contains the statistics after the run, which ended at `now`.
void close_maps(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final, Time now,
                Endpoints& endpoints);
/// Number of messages in the closed windows of a receiver that were never sent, because a stream stopped
/// before others.
std::uint64_t not_sent(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final,
                       const Endpoints& endpoints, std::size_t receiver);

}  // namespace softfeb::endpoints
