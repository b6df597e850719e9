// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "conformance/own_target.hpp"
#include "conformance/prober.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/tx_builder.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// The ports of a conformance run, polled by the calling thread: the port with the board's addresses and, for
/// the target own:, the port of softfeb's receiver.
class ConformanceWire {
 public:
  /// Opens the ports and waits for their links. Throws EnvironmentError, RequestError, ConfigError.
  ConformanceWire(const config::RunConfig& config, conformance::OwnTarget* own);
  ~ConformanceWire();

  Time now() const { return dpdk_.now(); }
  /// Polls all ports once. Returns how long the thread has been preempted since the previous call.
  Time poll();
  void send(std::vector<std::uint8_t> frame) { first_->send(std::move(frame)); }
  /// Number of frames that the port has not accepted yet.
  std::size_t waiting() const { return first_->waiting(); }
  /// Returns the packets that have arrived for the board since the last call.
  std::vector<conformance::Answer> take_answers();
  /// Number of packets that the ports have lost.
  std::uint64_t dropped() const;

  /// Returns the MAC address of the next hop to `ip`: the address of a static neighbour, or the address that
  /// ARP or neighbour discovery finds within `run.connect_timeout`. Throws EnvironmentError if there is no
  /// answer.
  roce::MacAddress resolve(const roce::IpAddress& ip);
  const engine::Identity& board() const { return first_->identity(); }
  const std::optional<engine::Identity>& v6_board() const { return v6_identity_; }
  /// Largest path MTU in bytes that the board's port permits.
  std::uint32_t largest_path_mtu() const;

 private:
  void add_prober(std::unique_ptr<conformance::Prober>& prober, const engine::Identity& identity);
  void add_port(std::size_t port);

  const config::RunConfig& config_;
  runtime::DpdkRuntime dpdk_;
  std::unique_ptr<conformance::Prober> first_, second_, v6_;
  std::optional<engine::Identity> v6_identity_;
  std::vector<std::unique_ptr<dataplane::PortMap>> maps_;  ///< indexed like RunConfig::ports
  std::vector<std::unique_ptr<dataplane::TxBuilder>> builders_;
  std::vector<std::unique_ptr<dataplane::PortQueue>> queues_;
  std::size_t board_port_ = 0;
  Time polled_ = 0;
  Time cpu_time_ = 0;  ///< CPU time of the thread at the previous poll()
};

/// Returns the addresses of softfeb's own receiver, which is the first receiver in the file, and of the
/// board. Throws ConfigError if the file has no receiver.
conformance::OwnTargetConfig own_addresses(const config::RunConfig& config);

}  // namespace softfeb::experiment
