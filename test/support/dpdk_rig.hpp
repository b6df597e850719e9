// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/arena.hpp"
#include "dataplane/device.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/tx_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace softfeb::test {

/// Resources that the ports of a test share. They must outlive the ports.
struct DpdkRig {
  explicit DpdkRig(std::size_t arena_bytes = 1U << 16) : arena(arena_bytes) {}

  dataplane::Mempools pools;
  dataplane::Arena arena;            ///< memory for payloads
  dataplane::DeviceFactory factory;  ///< joins the two ends of a net_ring
};

struct RigPortConfig {
  std::string device = "net_null";   ///< device name, as in a configuration
  std::uint32_t frame_bytes = 4300;  ///< longest frame in bytes, from the Ethernet header to the iCRC
  std::uint32_t ring = 256;          ///< capacity of a net_ring in packets
  /// Maximum number of packets that are built and not yet freed, in addition to those in the ring.
  std::uint32_t held = 256;
  unsigned workers = 1;  ///< number of workers that share the port
  dataplane::PortConfig port{.rx_descriptors = 256, .tx_descriptors = 256};
};

/// A port, its endpoints, and the dependencies of its port queues. Destroy the port queues before this
/// object.
class RigPort {
 public:
  RigPort(DpdkRig& rig, const RigPortConfig& config);
  RigPort(const RigPort&) = delete;
  RigPort& operator=(const RigPort&) = delete;

  const dataplane::Port& port() const { return port_; }
  std::uint16_t id() const { return port_.id(); }

  /// Makes `worker` the owner of `endpoint`, which must outlive the port queues. Throws std::logic_error if
  /// the endpoint's address is already used.
  void add(engine::Endpoint& endpoint, unsigned worker = 0);
  /// Removes all endpoints. No port queue may exist at that time.
  void clear();

  struct Queue {
    unsigned worker = 0;
    std::vector<std::uint16_t> rx_queues = {0};
    std::uint16_t burst = 32;
    dataplane::PortQueue::Deps parts{};  ///< make_queue() sets the members `map` and `builder`
  };
  /// Creates the port queue of a worker. It uses the TX queue with the worker's number, if the port has this
  /// queue.
  std::unique_ptr<dataplane::PortQueue> make_queue(const Queue& queue);
  std::unique_ptr<dataplane::PortQueue> make_queue() { return make_queue(Queue{}); }

 private:
  DpdkRig& rig_;
  RigPortConfig config_;
  std::unique_ptr<dataplane::Device> device_;
  dataplane::Port port_;
  std::unique_ptr<dataplane::PortMap> map_;
  std::vector<std::unique_ptr<dataplane::TxBuilder>> builders_;  ///< indexed by worker
};

}  // namespace softfeb::test
