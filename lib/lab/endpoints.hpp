// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"
#include "engine/snapshot.hpp"
#include "lab/memory.hpp"
#include "lab/payloads.hpp"
#include "lab/plan.hpp"

#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

namespace softfeb::lab {

engine::Identity identity_of(const config::EndpointConfig& e);
/// The congestion control of a QP: its own, or its board's.
const config::DcqcnConfig& dcqcn_of(const config::BoardConfig& board, const config::QpConfig& qp);
engine::CongestionProfile congestion_of(const config::DcqcnConfig& d);
/// Congestion control of the metadata bus's QPs: the firmware's block always, with the board's own parameters
/// where its `dcqcn` is the firmware's.
dcqcn::FirmwareProfile bus_congestion(const config::BoardConfig& board);
void add_neighbours(engine::Endpoint& endpoint, const config::EndpointConfig& e);

/// The part of a receiver that plays the host for one board's metadata bus.
struct HostPlan {
  std::size_t receiver = 0;
  std::size_t first_slot = 0;  ///< of the receiver, one for each QP of the bus
  std::unique_ptr<HostMemory> memory;
};

/// Boards and receivers of a run, made of the configuration and of what the peers told.
struct Endpoints {
  std::vector<std::unique_ptr<engine::Board>> boards;        ///< as RunConfig::boards
  std::vector<std::unique_ptr<engine::Receiver>> receivers;  ///< as RunConfig::receivers
  std::vector<std::unique_ptr<ReceiverMemory>> memories;     ///< as RunConfig::receivers
  std::vector<std::optional<HostPlan>> hosts;                ///< as RunConfig::boards
};

/// Boards without queue pairs, which answer ARP and ping while peers are talked to.
Endpoints make_listeners(const config::RunConfig& config);

/// Calls `make`, which takes memory for what worker `worker` will have: where the caller sees to it that the
/// memory is near that worker's CPU.
using ForWorker = std::function<void(std::size_t worker, const std::function<void()>& make)>;

/// `largest_pmtus`: of each port, what its MTU holds. `network_slack`: LinkShaper's of boards at a network of
/// the lab. What one worker has is made together, so that it shares no cache lines with what others have, but
/// at its edges. `memory`: engine::BoardConfig's. Throws EnvironmentError when there is not enough memory.
Endpoints make_endpoints(
    const config::RunConfig& config, const Plans& plans, const Payloads& payloads,
    const std::vector<std::uint32_t>& largest_pmtus, Time network_slack = engine::LinkShaper::kSlack,
    const ForWorker& for_worker = [](std::size_t /*worker*/, const std::function<void()>& make) { make(); },
    std::pmr::memory_resource* memory = nullptr);

/// The run is over, with these figures: messages that were sent and never came are missing, too.
void close_maps(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final, Endpoints& endpoints);

}  // namespace softfeb::lab
