// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "dataplane/arena.hpp"
#include "dataplane/capture.hpp"
#include "dataplane/cpus.hpp"
#include "dataplane/departure_stamps.hpp"
#include "dataplane/device.hpp"
#include "dataplane/eal.hpp"
#include "dataplane/fault_injector.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"
#include "dataplane/port_clock.hpp"
#include "dataplane/run_clock.hpp"
#include "endpoints/plan.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::runtime {

/// A port of the run, with the objects that have the same lifetime. If the port belongs to another host
/// (config::RunConfig::is_here), only `name` is set.
struct RunPort {
  std::string name;
  std::unique_ptr<dataplane::Device> device;
  std::unique_ptr<dataplane::Port> port;
  /// Workers with an endpoint on this port, in ascending order, or worker 0 if there are none. The index of a
  /// worker in this vector is the number of its TX queue.
  std::vector<unsigned> workers;
  std::uint16_t queues = 1;
  std::uint32_t frame_bytes = 0;  ///< longest Ethernet frame, in bytes
  /// tx_faults, rx_faults and captures are indexed like `workers`. tx_faults and rx_faults are empty without
  /// fault injection, captures is empty without capture.
  std::vector<std::unique_ptr<dataplane::FaultInjector>> tx_faults;
  std::vector<std::unique_ptr<dataplane::FaultInjector>> rx_faults;
  std::vector<std::unique_ptr<dataplane::Capture>> captures;
  /// These two members are set only with `pacing: timestamp`. `clock` is the NIC's clock; `stamps` are the
  /// departure stamps, indexed like `workers`.
  std::unique_ptr<dataplane::PortClock> clock;
  std::vector<std::unique_ptr<dataplane::DepartureStamps>> stamps;

  bool is_here() const { return port != nullptr; }
  /// Current link state from the driver, for example "link up, 10 Gb/s".
  std::string link_state() const;
  /// Port name and link state, for example "port nic: link up, 10 Gb/s".
  std::string link_text() const { return "port " + name + ": " + link_state(); }
};

/// The DPDK resources of a run: EAL, ports, mempools, payload arena and clock. Members are declared in the
/// order of initialization.
class DpdkRuntime {
 public:
  /// `arena_bytes` is the size of the payload arena. Throws EnvironmentError, RequestError or ConfigError.
  /// For example, a path MTU that exceeds the MTU of its port is a ConfigError.
  DpdkRuntime(const config::RunConfig& config, std::size_t arena_bytes);
  ~DpdkRuntime();

  dataplane::Arena& arena() { return *arena_; }
  dataplane::Mempools& pools() { return pools_; }
  std::vector<RunPort>& ports() { return ports_; }
  const std::vector<RunPort>& ports() const { return ports_; }
  const dataplane::RunClock& clock() const { return clock_; }
  Time now() const { return clock_.now(); }
  /// Wall-clock time at the origin of clock(), in ns since 1970, according to the last read_wall_clock().
  std::uint64_t unix_origin_ns() const { return unix_origin_ns_; }
  /// Reads the wall clock again, because NTP may have adjusted it, and clock() drifts relative to it.
  std::uint64_t read_wall_clock() { return unix_origin_ns_ = dataplane::unix_origin_ns(clock_.clock()); }
  const std::vector<dataplane::LcoreSpec>& lcores() const { return lcores_; }
  /// Returns the lcore of worker `w`.
  unsigned lcore(unsigned w) const { return lcores_[w + 1].id; }
  /// Calls `make`. Memory that `make` allocates comes from the NUMA node of worker `w`'s CPU.
  void for_worker(std::size_t w, const std::function<void()>& make) const;
  bool huge_pages() const { return eal_->huge_pages(); }

  /// Corrects the drift of clock(), and reads the clocks of NICs that send packets at given times. Must be
  /// called often.
  void follow_clocks();

  /// Waits until every port has a link, for at most `limit` or until a signal arrives. Prints a line every
  /// five seconds unless `quiet`. Throws EnvironmentError on timeout.
  void wait_for_links(Time limit, bool quiet) const;

  /// Creates the fault injection of all ports. Call this once, before the workers start and when `plans` is
  /// complete. Throws ConfigError if the fault rules need too much memory.
  void make_fault_injectors(const endpoints::Plans& plans);

  /// Writes captures to their files. Returns one line per file.
  std::vector<std::string> write_captures() const;

 private:
  void open_port(const config::RunConfig& config, std::size_t index);
  void check_path_mtu(const config::RunConfig& config, std::size_t index) const;
  void make_stamps(const config::RunConfig& config, std::size_t index);
  void make_captures(const config::RunConfig& config, std::size_t index);
  void make_faults(const endpoints::Plans& plans, std::size_t index);

  const config::RunConfig& config_;
  dataplane::RunClock clock_;
  std::vector<dataplane::LcoreSpec> lcores_;
  std::unique_ptr<dataplane::Eal> eal_;
  std::uint64_t unix_origin_ns_ = 0;
  dataplane::Mempools pools_;
  std::unique_ptr<dataplane::Arena> arena_;
  std::unique_ptr<dataplane::DeviceFactory> factory_;
  std::vector<RunPort> ports_;
};

}  // namespace softfeb::runtime
