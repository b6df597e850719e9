// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/arena.hpp"
#include "dataplane/device.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/tx_builder.hpp"
#include "environment.hpp"

#include <memory>
#include <string>

namespace softfeb::bench {

/// A port, and the PortQueue that runs the endpoint on it.
class Station {
 public:
  /// Resources shared by stations; must outlive them.
  struct Ground {
    explicit Ground(std::size_t arena_bytes) : arena(arena_bytes) {}
    dataplane::Mempools pools;
    dataplane::Arena arena;  ///< for payloads
    dataplane::DeviceFactory factory;
  };

  /// `device`: as in a configuration; `pmtu`: the largest path MTU to support.
  Station(const Environment& environment, Ground& ground, const std::string& device, std::uint32_t pmtu,
          const roce::MacAddress& mac);
  ~Station();
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;

  /// Sets the only endpoint of this port. It must exist until leave() or the next call.
  void seat(engine::Endpoint& endpoint);
  void leave() { port_queue_.reset(); }

  /// Addresses of the current endpoint.
  dataplane::PortQueue& port_queue() { return *port_queue_; }

 private:
  std::unique_ptr<dataplane::Device> device_;
  std::unique_ptr<dataplane::Port> port_;
  std::unique_ptr<dataplane::TxBuilder> builder_;
  std::unique_ptr<dataplane::PortMap> map_;
  std::unique_ptr<dataplane::PortQueue> port_queue_;
};

}  // namespace softfeb::bench
