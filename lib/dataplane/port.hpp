// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/capabilities.hpp"
#include "dataplane/device.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/pacing_offload.hpp"
#include "dataplane/path_mtu.hpp"
#include "engine/port_options.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::dataplane {

using engine::FlowControl;
using engine::Promiscuous;

struct PortConfig {
  std::string name;          ///< name of the port, for messages
  std::uint16_t queues = 1;  ///< number of queues in each direction; each queue belongs to one worker
  std::uint32_t rx_descriptors = 1024;
  std::uint32_t tx_descriptors = 1024;
  /// Requested MTU in bytes, counted from the IP header. If this is empty, the port keeps its own MTU or, if
  /// only the buffers limit the length of frames, uses the MTU that the longest RoCE packet needs.
  std::optional<std::uint32_t> mtu;
  /// Size of a receive buffer in bytes. 0 means large enough for a whole frame, or 16 KiB if frames can be
  /// longer. Buffers shorter than a frame require scatter.
  std::uint32_t rx_buffer = 0;
  std::uint32_t rx_held = 512;  ///< maximum number of received packets that the application uses at one time
  unsigned lcores = 1;          ///< number of lcores of the process; each has a mempool cache
  /// If true, receive interrupts are requested, so that idle workers need not poll. Used only if the driver
  /// supports them.
  bool receive_interrupts = false;
  FlowControl flow_control = FlowControl::kLeave;
  Promiscuous promiscuous = Promiscuous::kAuto;
  PacingConfig pacing;           ///< Port() throws EnvironmentError if the port does not support this pacing
  std::vector<MacAddress> macs;  ///< MAC addresses of the boards and receivers
};

struct LinkState {
  bool up = false;
  std::uint64_t bps = 0;  ///< bits per second; 0 if unknown
};

struct PortCounters {
  std::uint64_t rx_packets = 0, rx_bytes = 0, rx_missed = 0, rx_errors = 0, rx_no_mbuf = 0;
  std::uint64_t tx_packets = 0, tx_bytes = 0, tx_errors = 0;
};

/// Result of apply_flow_control().
struct FlowControlResult {
  bool held = true;      ///< true if the requested setting is in effect
  std::string in_words;  ///< description for the user, for example "net_vhost has no flow control"
};

/// A configured port, started by the constructor and stopped by the destructor. For set-up only; workers call
/// rte_eth_rx_burst() and rte_eth_tx_burst() with id() and their queue.
class Port {
 public:
  /// Throws EnvironmentError or RequestError. `device` and `pools` must outlive the port.
  Port(const Device& device, PortConfig config, Mempools& pools);
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  std::uint16_t id() const { return device_.port_id(); }
  const Device& device() const { return device_; }
  /// True when the driver signals received packets (rte_eth_dev_rx_intr_ctl_q_get_fd()).
  bool receive_interrupts() const { return receive_interrupts_; }
  const PortConfig& config() const { return config_; }
  const Capabilities& capabilities() const { return capabilities_; }
  /// Current MTU in bytes, counted from the IP header.
  std::uint32_t mtu() const { return mtu_; }
  /// Largest path MTU, in bytes, at which packets fit the port's MTU.
  std::uint32_t largest_path_mtu(bool ipv6) const { return max_path_mtu(mtu_, ipv6); }
  /// Returns instructions for obtaining a larger MTU.
  std::string mtu_fix(std::uint32_t wanted_mtu) const;
  bool promiscuous() const { return promiscuous_; }
  const FlowControlResult& flow_control() const { return flow_control_; }
  /// Warnings for the user; none of them prevents a run.
  const std::vector<std::string>& warnings() const { return warnings_; }

  LinkState link() const;
  PortCounters counters() const;
  /// The driver's extended statistics (xstats) that are not 0.
  std::vector<std::pair<std::string, std::uint64_t>> extended_counters() const;

 private:
  void open(Mempools& pools);
  /// Configures and starts the port, with or without interrupts according to receive_interrupts_.
  void start(Mempools& pools);
  void configure(Mempools& pools);
  void setup_queues(Mempools& pools, std::uint64_t rx_offloads, std::uint64_t tx_offloads);
  void apply_mtu();
  void apply_addresses();
  void apply_pacing();
  [[noreturn]] void fail(const std::string& what, int status) const;

  const Device& device_;
  PortConfig config_;
  Capabilities capabilities_;
  std::uint32_t wanted_mtu_ = 0;
  std::uint32_t mtu_ = 0;
  std::uint16_t rx_descriptors_ = 0;
  std::uint16_t tx_descriptors_ = 0;
  bool promiscuous_ = false;
  bool receive_interrupts_ = false;
  std::vector<rte_mempool*> rx_pools_;  ///< one pool per queue
  FlowControlResult flow_control_;
  std::vector<std::string> warnings_;
};

/// Sets flow control on a started port.
FlowControlResult apply_flow_control(std::uint16_t port, const std::string& driver, FlowControl wanted);

/// Makes a started port pass received pause frames on to the host, if the port has such a setting. Returns
/// false if the port has no such setting; it may nevertheless pass pause frames on.
bool forward_pause_frames(std::uint16_t port);

std::string to_string(FlowControl mode);

}  // namespace softfeb::dataplane
