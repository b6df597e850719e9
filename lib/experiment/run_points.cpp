// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_points.hpp"

#include "base/error.hpp"
#include "experiment/event_files.hpp"
#include "experiment/phases.hpp"
#include "experiment/virtual_driver.hpp"
#include "lab/flows.hpp"
#include "lab/metrics_config.hpp"
#include "report/registration_result.hpp"
#include "runtime/stop_signal.hpp"
#include "stats/goodput.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <thread>

namespace softfeb::experiment {

study::PointRun run_point(const config::LabConfig& config) {
  study::PointRun point;
  try {
    VirtualDriver driver(config, runtime::stop_signals, event_services(config.run, nullptr));
    lab::Metrics metrics(lab::make_metrics_config(config, lab::flows_of(config.run, driver.plans().all())));
    const stats::Outcome outcome = run_phases(config.run, driver, {&metrics}, [](const std::string&) {});
    point.run = report::judge_lab(config, lab_stats(config, driver, outcome, metrics));
    point.goodput_gbps = stats::total_goodput_gbps(config.run, outcome);
    point.latency_us = report::transfer_latency_us(driver.endpoints());
    point.done = !outcome.interrupted;
  } catch (const EnvironmentError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    point.error = e.what();
  }
  return point;
}

void run_in_threads(const std::vector<std::size_t>& items, std::size_t threads,
                    const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex lock;
  std::size_t failed_at = items.size();
  std::exception_ptr error;
  const auto loop = [&] {
    for (std::size_t i = next++; i < items.size() && !failed && runtime::stop_signals() == 0; i = next++) {
      try {
        work(items[i]);
      } catch (...) {
        const std::lock_guard guard(lock);
        failed = true;
        if (i < failed_at) error = std::current_exception();
        failed_at = std::min(failed_at, i);
      }
    }
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < std::min(threads, items.size()); ++t) others.emplace_back(loop);
  loop();
  for (std::thread& t : others) t.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace softfeb::experiment
