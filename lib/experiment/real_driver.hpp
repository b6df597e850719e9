// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "endpoints/targets.hpp"
#include "experiment/driver.hpp"
#include "experiment/event_files.hpp"
#include "experiment/live_services.hpp"
#include "experiment/service_reporter.hpp"
#include "experiment/setup.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "runtime/worker_pool.hpp"
#include "service/notifier.hpp"
#include "slowcontrol/control_service.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::experiment {

/// Drives a run in real time: DPDK ports, workers, slow control and the live page. Slow control is served
/// during every wait. Observers receive samples on the thread that calls pass(); all observers that are due
/// share one snapshot.
class RealDriver : public Driver {
 public:
  /// Opens the ports, waits for their links, requests queue pairs from remote receivers, creates the
  /// endpoints, and starts the workers. Returns null if a signal arrived while it waited for the links.
  /// `setup` and `files` must outlive the driver. Throws EnvironmentError, RequestError, ConfigError,
  /// PeerError.
  static std::unique_ptr<RealDriver> make(const Setup& setup, EventFiles& files);
  ~RealDriver() override;

  const endpoints::Plans& plans() const override { return targets_.all(); }
  const endpoints::Payloads& payloads() const override { return payloads_; }
  endpoints::Endpoints& endpoints() override { return endpoints_; }

  std::vector<stats::Observer*> open(const Say& say) override;
  Time now() const override { return dpdk_.now(); }
  Time begin(stats::Observers& observers) override;
  Passed pass(Time end, Until until, int stop_requests) override;
  int stop_requests() const override;
  bool finished() const override { return pool_->totals().unfinished == 0; }
  void begin_measurement() override { pool_->restart_cpu(); }
  std::vector<engine::EndpointSnapshot> endpoint_counters() override { return pool_->snapshot().endpoints; }
  Counters counters() override;
  std::vector<std::uint8_t> changes_made() const override { return pool_->changes_made(); }
  void stop_traffic() override;
  void flush() override;
  void settle() override;
  void close(stats::Outcome& outcome) override;

  bool virtual_time() const override { return false; }
  lab::Edge network_edge(const stats::Outcome& outcome) const override;
  std::vector<lab::Balance> balances() const override;
  std::vector<std::string> remarks(const stats::Outcome& outcome) const override;
  const endpoints::Targets* targets() const override { return &targets_; }
  const latency::StageFigures* stages() override;
  const std::vector<dataplane::CpuTimes>* cpu_times() const override { return &pool_->cpu_times(); }
  runtime::DpdkRuntime* dpdk() override { return &dpdk_; }

  void serve() override { service_->run_until(now()); }
  void conclude(const std::string& verdict, const std::string& text) override;
  void hold_page() override;

 protected:
  RealDriver(const Setup& setup, EventFiles& files);
  /// Carries out the second half of make(), after the links are up.
  void connect();
  /// Called during every wait, about once per millisecond.
  virtual void poll() {}
  /// Adds the counters of other hosts to a sample for observers.
  virtual void add_other_hosts(std::vector<engine::EndpointSnapshot>&) {}
  /// Returns the start of traffic on the clock of the run.
  Time started() const { return started_; }
  /// Waits for `length` before traffic starts. Takes no samples.
  void wait(Time length);
  /// Sets the wall-clock time at which traffic starts, in ns since 1970. Call before begin().
  void start_at(std::int64_t unix_ns) { start_at_ = unix_ns; }
  /// Converts `at` to wall-clock time, in ns since 1970, according to the current reading of the wall clock.
  std::int64_t wall_clock_of(Time at);
  const config::RunConfig& config() const { return config_; }
  /// Number of next hops that this process has not resolved yet.
  std::size_t unresolved();

 private:
  endpoints::EventServices services();
  /// Returns the time at which traffic begins, according to the current wall clock.
  Time start_time();
  void begin_events();
  void sample();
  /// Serves slow control for a short time, at most until `end`.
  void nap(Time end);
  Time next_sample() const { return saturating_add(started_, observers_->due()); }

  const Setup& setup_;
  EventFiles& files_;
  const config::RunConfig& config_;
  endpoints::Payloads payloads_;
  endpoints::Targets targets_;
  runtime::DpdkRuntime dpdk_;
  /// Indexed by worker; empty if the times of messages are not recorded.
  std::vector<std::unique_ptr<dataplane::RingStamps>> stamps_;
  std::optional<latency::StageTable> stages_;
  endpoints::Endpoints endpoints_;
  std::unique_ptr<runtime::WorkerPool> pool_;
  std::optional<slowcontrol::ControlService> service_;
  service::Notifier notifier_;
  std::optional<ServiceReporter> reporter_;
  std::optional<LiveServices> live_;
  std::vector<dataplane::CpuShares> cpu_;  ///< CPU shares of each worker, until the end of traffic
  stats::Observers* observers_ = nullptr;
  Time started_ = 0;
  std::optional<std::int64_t> start_at_;  ///< requested start of traffic, in ns since 1970
  double start_up_s_ = 0;
  std::uint64_t control_unserved_ = 0;
};

}  // namespace softfeb::experiment
