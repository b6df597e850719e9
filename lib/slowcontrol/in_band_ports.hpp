// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "runtime/worker_pool.hpp"
#include "slowcontrol/in_band.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace softfeb::slowcontrol {

/// In-band slow control of all boards of a run, with an InBandPort for each port queue that carries
/// datagrams of a served board. Used only on the control thread.
class InBandPorts {
 public:
  /// All arguments must outlive this object.
  InBandPorts(const config::RunConfig& config, runtime::DpdkRuntime& dpdk, runtime::WorkerPool& pool)
      : config_(config), dpdk_(dpdk), pool_(pool) {}

  /// Serves `udp_port` at the board's own address to the senders that `allow` accepts. The link lives as long
  /// as this object. Throws EnvironmentError if there is not enough memory for the frames.
  InBandLink& serve(std::size_t board, std::uint16_t udp_port, InBandLink::Allow allow);

  /// Passes received datagrams to their links. Returns their number.
  std::size_t poll(Time now);

 private:
  InBandPort& port_of(const config::EndpointConfig& endpoint);

  const config::RunConfig& config_;
  runtime::DpdkRuntime& dpdk_;
  runtime::WorkerPool& pool_;
  std::map<std::pair<std::size_t, unsigned>, std::unique_ptr<InBandPort>> ports_;  ///< key: port and worker
};

}  // namespace softfeb::slowcontrol
