// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"
#include "payloads.hpp"
#include "targets.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace softfeb::app {

engine::Identity identity_of(const config::EndpointConfig& e);
/// The congestion control of a QP: its own, or its board's.
const config::DcqcnConfig& dcqcn_of(const config::BoardConfig& board, const config::QpConfig& qp);
engine::CongestionProfile congestion_of(const config::DcqcnConfig& d);
void add_neighbours(engine::Endpoint& endpoint, const config::EndpointConfig& e);

/// Memory of a receiver's regions, one after the other: zeroed, and present before the first packet.
class ReceiverMemory {
 public:
  explicit ReceiverMemory(std::uint64_t bytes);
  ~ReceiverMemory();
  ReceiverMemory(const ReceiverMemory&) = delete;
  ReceiverMemory& operator=(const ReceiverMemory&) = delete;

  std::uint8_t* data() { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
};

/// Memory of a receiver that plays the host, for what one board is told to write: taken from the machine when
/// it is asked for.
class HostMemory {
 public:
  explicit HostMemory(std::uint64_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// The first `bytes`, at most all, present.
  std::uint8_t* first(std::uint64_t bytes);
  std::uint64_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t present_ = 0;
};

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
/// `largest_pmtus`: of each port, what its MTU holds. Throws EnvironmentError when there is not enough
/// memory.
Endpoints make_endpoints(const config::RunConfig& config, const Targets& targets, const Payloads& payloads,
                         const std::vector<std::uint32_t>& largest_pmtus);

}  // namespace softfeb::app
