// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/phases.hpp"

#include "endpoints/closing.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <utility>

namespace softfeb::experiment {

namespace {

using Passed = Driver::Passed;
using Until = Driver::Until;

/// Returns the condition that ends the traffic. Boards without queue pairs only answer ARP and ping, so
/// they never finish.
Until end_of_traffic(const config::RunConfig& config) {
  const bool any = std::any_of(config.boards.begin(), config.boards.end(), [](const config::BoardConfig& b) {
    return !b.qps.empty() || (b.traffic_gen && b.traffic_gen->start);
  });
  return any ? Until::kFinished : Until::kTime;
}

constexpr Time kEdge = kSecond;

/// True if the goodput of receivers with windows is measured without the first second of traffic and without
/// the last second of the run. This is done only in real time, where boards and workers need time to start.
bool cuts_edges(const config::RunConfig& config, const Driver& driver) {
  const auto windows = [](const config::ReceiverConfig& r) { return r.windows.has_value(); };
  return !driver.virtual_time() && config.run.duration &&
         *config.run.duration >= std::max(config.run.warmup, kEdge) + 2 * kEdge &&
         std::any_of(config.receivers.begin(), config.receivers.end(), windows);
}

std::vector<stats::GoodputMark> goodput_marks(const config::RunConfig& config, Driver& driver) {
  const std::vector<engine::EndpointSnapshot> all = driver.endpoint_counters();
  std::vector<stats::GoodputMark> marks;
  for (std::size_t r = config.boards.size(); r < all.size(); ++r)
    marks.push_back(stats::GoodputMark::of(all[r]));
  return marks;
}

/// Lets traffic run until `end`. If cuts_edges(), records the counters between which goodput is measured.
Passed measure(const config::RunConfig& config, Driver& driver, Time end, Until until, stats::Outcome& out) {
  if (!cuts_edges(config, driver)) return driver.pass(end, until, 0);
  Passed why = driver.pass(std::max(driver.now(), out.started + kEdge), until, 0);
  if (why != Passed::kTime) return why;
  out.goodput_from = goodput_marks(config, driver);
  why = driver.pass(end - kEdge, until, 0);
  if (why != Passed::kTime) return why;
  out.goodput_to = goodput_marks(config, driver);
  return driver.pass(end, until, 0);
}

/// Runs warm-up and measurement. Returns the reason why traffic ended.
Passed send(const config::RunConfig& config, Driver& driver, stats::Outcome& out) {
  const Until until = end_of_traffic(config);
  const Time end = config.run.duration ? out.started + *config.run.duration : kNever;
  if (config.run.warmup != 0) {
    const Passed why = driver.pass(std::min(end, out.started + config.run.warmup), until, 0);
    out.ended_in_warmup = why != Passed::kTime;
    if (out.ended_in_warmup) return why;
    driver.begin_measurement();
    out.baseline = driver.endpoint_counters();
    out.measured_from = driver.now();
    for (const auto& e : out.baseline) out.measured_from = std::min(out.measured_from, e.taken_at);
  }
  return measure(config, driver, end, until, out);
}

std::string drain_note(Time timeout, int signals) {
  std::ostringstream text;
  text << "draining: waiting up to " << to_seconds(timeout) << " s for outstanding requests (Ctrl-C"
       << (signals == 0 ? "" : " again") << " to abandon them)";
  return text.str();
}

void drain(const config::RunConfig& config, Driver& driver, stats::Outcome& out, const Driver::Say& say) {
  const int signals = driver.stop_requests();
  const Time limit = saturating_add(driver.now(), config.run.drain_timeout);
  driver.stop_traffic();
  if (driver.finished()) return;
  if (!driver.virtual_time()) say(drain_note(config.run.drain_timeout, signals));
  if (driver.pass(limit, Until::kFinished, signals) == Passed::kFinished) return;
  out.flushed = true;
  driver.flush();
}

}  // namespace

stats::Outcome run_phases(const config::RunConfig& config, Driver& driver, std::vector<stats::Observer*> list,
                          const Driver::Say& say) {
  stats::Observers observers(std::move(list));
  stats::Outcome out;
  out.deliveries = stats::DeliveryMap(config, driver.plans().all());
  out.started = out.measured_from = driver.begin(observers);
  out.interrupted = send(config, driver, out) == Passed::kStopped;
  // A signal may have ended the traffic before its scheduled start; the end must not precede the start.
  out.stopped = std::max(driver.now(), out.started);
  drain(config, driver, out, say);
  driver.settle();
  Counters last = driver.counters();
  out.final = std::move(last.endpoints);
  out.network = std::move(last.network);
  out.ended = std::max(driver.now(), out.started);
  observers.end({.at = out.ended - out.started,
                 .origin = out.started,
                 .endpoints = &out.final,
                 .stages = driver.stages(),
                 .cpu = driver.cpu_times()},
                out.network ? &*out.network : nullptr);
  out.changes_made = driver.changes_made();
  driver.close(out);
  endpoints::close_maps(driver.plans(), out.final, out.ended, driver.endpoints());
  out.stages = driver.stages();
  return out;
}

lab::RunStats lab_stats(const config::LabConfig& config, Driver& driver, const stats::Outcome& o,
                        const lab::Metrics& metrics) {
  const stats::Sample last{.at = o.ended - o.started,
                           .origin = o.started,
                           .endpoints = &o.final,
                           .network = o.network ? &*o.network : nullptr};
  lab::RunStats stats = lab::run_stats(config, driver.plans(), driver.endpoints(), driver.payloads(), metrics,
                                       last, driver.network_edge(o));
  lab::add_fault_rules(stats, config, o);
  for (lab::Balance& balance : driver.balances()) stats.balances.push_back(std::move(balance));
  stats.virtual_time = driver.virtual_time();
  return stats;
}

}  // namespace softfeb::experiment
