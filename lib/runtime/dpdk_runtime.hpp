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

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::runtime {

/// One port of the run with what belongs to it for its whole life.
struct RunPort {
  std::string name;
  std::unique_ptr<dataplane::Device> device;
  std::unique_ptr<dataplane::Port> port;
  std::vector<unsigned> workers;  ///< that have an endpoint here, ascending; TX queue = place in this list
  std::uint16_t queues = 1;
  std::uint32_t frame_bytes = 0;  ///< longest Ethernet frame
  /// By place in `workers`; empty without faults or capture.
  std::vector<std::unique_ptr<dataplane::FaultInjector>> tx_faults;
  std::vector<std::unique_ptr<dataplane::FaultInjector>> rx_faults;
  std::vector<std::unique_ptr<dataplane::Capture>> captures;
  /// With `pacing: timestamp`: the NIC's clock, and the stamps by place in `workers`; else none.
  std::unique_ptr<dataplane::PortClock> clock;
  std::vector<std::unique_ptr<dataplane::DepartureStamps>> stamps;

  /// "link up, 10 Gb/s", as the driver tells it now.
  std::string link_state() const;
  /// "port nic: link up, 10 Gb/s".
  std::string link_text() const { return "port " + name + ": " + link_state(); }
};

/// DPDK as a run needs it: environment, ports, pools, payload arena, clock. Members in the order of their
/// lives.
class DpdkRuntime {
 public:
  /// `arena_bytes` for payloads. Throws EnvironmentError, RequestError, ConfigError (a path MTU above the
  /// port's).
  DpdkRuntime(const config::RunConfig& config, std::size_t arena_bytes);
  ~DpdkRuntime();

  dataplane::Arena& arena() { return *arena_; }
  dataplane::Mempools& pools() { return pools_; }
  std::vector<RunPort>& ports() { return ports_; }
  const std::vector<RunPort>& ports() const { return ports_; }
  const dataplane::RunClock& clock() const { return clock_; }
  Time now() const { return clock_.now(); }
  /// Wall clock at Time 0 when it was read last, ns since 1970.
  std::uint64_t unix_origin_ns() const { return unix_origin_ns_; }
  /// Reads the wall clock again: NTP may have moved it, and our own clock drifts against it.
  std::uint64_t read_wall_clock() { return unix_origin_ns_ = dataplane::unix_origin_ns(clock_.clock()); }
  const std::vector<dataplane::LcoreSpec>& lcores() const { return lcores_; }
  /// The lcore of worker `w`.
  unsigned lcore(unsigned w) const { return lcores_[w + 1].id; }
  /// Calls `make`, whose memory is taken near worker `w`'s CPU.
  void for_worker(std::size_t w, const std::function<void()>& make) const;
  bool huge_pages() const { return eal_->huge_pages(); }

  /// Keeps our clock true, and reads the clocks of NICs that packets have times for. Call it often.
  void follow_clocks();

  /// Waits until every port has a link, `limit` at most or until a signal comes; tells every five seconds.
  /// Throws EnvironmentError where there is none by then.
  void wait_for_links(Time limit, bool quiet) const;

  /// Writes captures to their files; returns a line for each.
  std::vector<std::string> write_captures() const;

 private:
  void open_port(const config::RunConfig& config, std::size_t index);
  void check_path_mtu(const config::RunConfig& config, std::size_t index) const;
  void make_stamps(const config::RunConfig& config, std::size_t index);
  void make_faults(const config::RunConfig& config, std::size_t index);

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
