// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/host_link.hpp"
#include "experiment/host_part.hpp"
#include "experiment/real_driver.hpp"
#include "hosts/clock_difference.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// Drives a run in real time on several hosts. Each process has all endpoints, but runs only those of its
/// host. When all hosts are ready, process 0 chooses the wall-clock time at which traffic starts. Traffic
/// ends on all hosts together: when all boards have finished, after the duration of the run, or after a stop
/// request on any host. At the end, process 0 receives the counters of all hosts, so its endpoints and its
/// outcome describe the whole run. While traffic runs, its observers receive the latest counters that the
/// other hosts have sent.
///
/// A process that is told to end (HostLink::ended) stops without waiting for the other processes, and keeps
/// its own results.
class HostsDriver final : public RealDriver {
 public:
  /// Same as RealDriver::make(). `link` must outlive the driver. `clock` was measured before the run.
  static std::unique_ptr<HostsDriver> make(const Setup& setup, EventFiles& files, HostLink& link,
                                           const hosts::ClockReading& clock);

  Time begin(stats::Observers& observers) override;
  Passed pass(Time end, Until until, int stop_requests) override;
  int stop_requests() const override;
  bool finished() const override;
  void stop_traffic() override;
  void settle() override;
  Counters counters() override;
  void close(stats::Outcome& outcome) override;
  std::vector<std::string> remarks(const stats::Outcome& outcome) const override;

  /// True in process 0 if the outcome contains the parts of all hosts. Call after close().
  bool complete() const { return complete_; }
  /// True if the hosts have agreed on a start time. False if a stop request arrived before they agreed.
  bool began() const { return began_; }

  std::vector<stats::Observer*> open(const Say& say) override;

 protected:
  void poll() override;
  void add_other_hosts(std::vector<engine::EndpointSnapshot>& endpoints) override;

 private:
  HostsDriver(const Setup& setup, EventFiles& files, HostLink& link, const hosts::ClockReading& clock);
  std::size_t here() const { return *config().here; }
  void resolve_neighbours();
  /// Waits until all hosts are ready, and returns the wall-clock time at which traffic starts, in ns since
  /// 1970; 0 if a stop request arrived.
  std::int64_t agree_on_start();
  std::int64_t choose_start() const;
  void collect(stats::Outcome& outcome);

  HostLink& link_;
  void send_counters();
  Say say_;
  Time sample_due_ = kNever;  ///< time at which to send counters, in processes other than 0
  std::uint64_t stage_ = 1;   ///< value for Told::kFinished: 1 during traffic, 2 during the drain
  std::int64_t planned_ns_ = 0;
  bool began_ = false;
  bool complete_ = false;
  stats::HostOutcome figures_;
};

}  // namespace softfeb::experiment
