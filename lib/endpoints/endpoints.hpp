// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/memory.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"
#include "engine/snapshot.hpp"

#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

/// lib/endpoints builds boards and receivers from a configuration. Start with plan.hpp, which expands the
/// configuration to one plan per sending QP. targets.hpp exchanges connection data with remote receivers.
/// payloads.hpp provides the data to send, and memory.hpp the memory of receivers. make_endpoints() below
/// combines them. The library may include lib/config, lib/engine, lib/peers and everything below them. It
/// runs before traffic starts or after it has ended, never on the packet path.
namespace softfeb::endpoints {

engine::Identity identity_of(const config::EndpointConfig& e);
/// Congestion control parameters of a QP: its own, or its board's if it has none.
const config::DcqcnConfig& dcqcn_of(const config::BoardConfig& board, const config::QpConfig& qp);
engine::CongestionSettings congestion_of(const config::DcqcnConfig& d);
/// Congestion control for the QPs of the metadata bus: always the firmware's algorithm, with the board's
/// parameters if its `dcqcn` selects the firmware.
dcqcn::FirmwareSettings bus_congestion(const config::BoardConfig& board);
void add_neighbours(engine::Endpoint& endpoint, const config::EndpointConfig& e);

/// The host side of one board's metadata bus, at a receiver.
struct HostPlan {
  std::size_t receiver = 0;
  std::size_t first_slot = 0;  ///< first slot of the receiver; one slot per QP of the bus
  std::unique_ptr<HostMemory> memory;
};

/// Boards and receivers of a run, built from the configuration and the peers' answers.
struct Endpoints {
  std::vector<std::unique_ptr<engine::Board>> boards;        ///< indexed like RunConfig::boards
  std::vector<std::unique_ptr<engine::Receiver>> receivers;  ///< indexed like RunConfig::receivers
  std::vector<std::unique_ptr<ReceiverMemory>> memories;     ///< indexed like RunConfig::receivers
  std::vector<std::optional<HostPlan>> hosts;                ///< indexed like RunConfig::boards
};

/// Boards without queue pairs, which answer ARP and ping during the exchange with peers.
Endpoints make_listeners(const config::RunConfig& config);

/// Calls `make`, which allocates memory for worker `worker`. The caller ensures that this memory is local to
/// the worker's CPU.
using ForWorker = std::function<void(std::size_t worker, const std::function<void()>& make)>;

/// `largest_pmtus`: largest path MTU per port that fits the port's MTU. `network_slack`: LinkShaper slack of
/// boards in a lab network. Objects of one worker are allocated together, so different workers share cache
/// lines at most at the edges. `memory`: see engine::BoardConfig. Throws EnvironmentError if memory runs out.
Endpoints make_endpoints(
    const config::RunConfig& config, const Plans& plans, const Payloads& payloads,
    const std::vector<std::uint32_t>& largest_pmtus, Time network_slack = engine::LinkShaper::kSlack,
    const ForWorker& for_worker = [](std::size_t /*worker*/, const std::function<void()>& make) { make(); },
    std::pmr::memory_resource* memory = nullptr);

/// Completes the receivers' maps of missing messages with the statistics in `final`: messages that were sent
/// but never arrived are also missing.
void close_maps(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final, Endpoints& endpoints);

}  // namespace softfeb::endpoints
