// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/real_driver.hpp"

#include "config/error.hpp"
#include "dataplane/huge_memory.hpp"
#include "dataplane/shared_triggers.hpp"
#include "dataplane/worker_stats.hpp"
#include "experiment/network_balance.hpp"
#include "experiment/peer_sessions.hpp"
#include "hostclock/tai.hpp"
#include "lab/idle_paths.hpp"
#include "report/announce.hpp"
#include "report/control_result.hpp"
#include "runtime/fault_setup.hpp"
#include "runtime/start_up.hpp"
#include "runtime/stop_signal.hpp"
#include "service/log.hpp"
#include "stats/outcome.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// Time for packets in flight to reach this process's receivers after the last sender has finished. No ring
/// delays packets for longer.
constexpr Time kSettle = 50 * kMillisecond;
/// Longest time to wait for packets in flight, because other hosts may send without a pause.
constexpr Time kLongestSettle = 2 * kSecond;
constexpr Time kPoll = 1 * kMillisecond;
constexpr Time kPollWhenIdle = 5 * kMillisecond;
constexpr Time kShortestNap = 20 * kMicrosecond;
/// Maximum time from a command until the workers publish totals that include its effect.
constexpr Time kTotalsAge = 5 * kMillisecond;
/// A start at a wall-clock time is announced to the workers this long in advance. The lead is longer than the
/// time for which a busy machine may preempt this thread. During the lead, NTP slews the wall clock by at
/// most 50 µs (500 ppm).
constexpr Time kStartLead = 100 * kMillisecond;
/// A run whose boards compute triggers may start later than `run.start_at` by at most this time.
constexpr Time kLateStart = kMillisecond;
/// Upper limit of the start time. Time overflows after 213 days.
constexpr Time kLatestStart = kNever / 2;
/// A board on a simulated network may be delayed this long without losing time on its link; longer delays
/// count as preemption. The limit can be much longer than on a port, because the network itself spaces the
/// frames, regardless of when they arrive, and its transmitters obey pause frames.
constexpr Time kNetworkSlack = dataplane::LoopCounters::kPreempted;

/// Largest path MTU in bytes that is assumed for ports of other hosts, because this process does not know
/// their devices.
constexpr std::uint32_t kLargestPathMtu = 4096;

std::vector<std::uint32_t> largest_pmtus(const runtime::DpdkRuntime& dpdk) {
  std::vector<std::uint32_t> all;
  for (const runtime::RunPort& p : dpdk.ports())
    all.push_back(p.is_here() ? p.port->largest_path_mtu(false) : kLargestPathMtu);
  return all;
}

}  // namespace

RealDriver::RealDriver(const Setup& setup, EventFiles& files)
    : setup_(setup),
      files_(files),
      config_(setup.run()),
      payloads_(config_),
      targets_(config_),
      dpdk_(config_, payloads_.arena_bytes()),
      start_at_(config_.run.start_at_unix_ns) {
  payloads_.stage([this](std::size_t bytes) { return dpdk_.arena().allocate(bytes); });
  if (config_.here)
    runtime::catch_stop_signals({SIGUSR1});  // see softfeb-mpi
  else
    runtime::catch_stop_signals();
  dpdk_.wait_for_links(config_.run.connect_timeout, setup.quiet);
}

RealDriver::~RealDriver() = default;

std::unique_ptr<RealDriver> RealDriver::make(const Setup& setup, EventFiles& files) {
  std::unique_ptr<RealDriver> driver(new RealDriver(setup, files));
  if (runtime::stop_signals() != 0) return nullptr;
  driver->connect();
  return driver;
}

void RealDriver::connect() {
  connect_sessions(setup_, dpdk_, targets_, payloads_);
  dpdk_.make_fault_injectors(targets_.all());
  if (setup_.network() != nullptr) lab::find_idle_paths(*setup_.network(), targets_.plans_to_complete());
  const std::uint32_t sample = config_.latency.sample.value_or(config::LatencyConfig::kSample);
  // Stages are recorded only in runs on one host. On two hosts, the times of a message are on two clocks.
  if (sample != 0 && !config_.here) {
    stages_.emplace(sample);
    for (std::size_t w = 0; w < config_.workers.count; ++w)
      stamps_.push_back(std::make_unique<dataplane::RingStamps>(sample));
  }
  std::vector<dataplane::RingStamps*> rings;
  for (const auto& s : stamps_) rings.push_back(s.get());
  const endpoints::BuildSettings settings{
      .largest_pmtus = largest_pmtus(dpdk_),
      .network_slack = setup_.network() == nullptr ? engine::LinkShaper::kSlack : kNetworkSlack,
      .for_worker = [this](std::size_t worker,
                           const std::function<void()>& make) { dpdk_.for_worker(worker, make); },
      .memory = &dataplane::HugeMemory::instance(),
      .stamps = {rings.begin(), rings.end()},
      .services = services()};
  endpoints_ = endpoints::make_endpoints(config_, targets_.all(), payloads_, settings);
  pool_ = std::make_unique<runtime::WorkerPool>(config_, dpdk_, endpoints_, setup_.network(), rings,
                                                &targets_.all());
}

endpoints::EventServices RealDriver::services() {
  endpoints::EventServices services = event_services(config_, &files_);
  services.messages = true;
  services.make_triggers = [](const engine::TriggerBusConfig& triggers) {
    return std::make_unique<dataplane::SharedTriggers>(triggers);
  };
  return services;
}

std::vector<stats::Observer*> RealDriver::open(const Say& say) {
  service_.emplace(config_, dpdk_, *pool_, endpoints_, say);
  pool_->wait_by([this](Time length) { service_->run_until(now() + length); });
  if (!setup_.quiet) {
    report::announce_run(config_, dpdk_, *pool_);
    report::announce_control(config_, *service_);
  }
  targets_.begin();
  reporter_.emplace(config_, targets_.plans(), notifier_);
  live_.emplace(LiveServicesDeps{.config = &config_,
                                 .plans = &targets_.plans(),
                                 .lab = setup_.network(),
                                 .web = setup_.page,
                                 .asked_for = setup_.page_asked_for,
                                 .dpdk = &dpdk_,
                                 .pool = pool_.get(),
                                 .service = &*service_,
                                 .say = say});
  std::vector<stats::Observer*> observers = live_->observers();
  observers.push_back(&*reporter_);
  notifier_.status(start_at_ ? "waiting for the start of traffic" : "starting traffic");
  notifier_.ready();
  return observers;
}

int RealDriver::stop_requests() const { return runtime::stop_signals(); }

Time RealDriver::start_time() {
  const Time earliest = now() + kMillisecond;
  if (!start_at_) return earliest;
  const std::int64_t ns = *start_at_ - static_cast<std::int64_t>(dpdk_.read_wall_clock());
  if (ns <= 0) return earliest;
  return std::max(earliest, std::min(static_cast<Time>(ns), kLatestStart / kNanosecond) * kNanosecond);
}

Time RealDriver::begin(stats::Observers& observers) {
  observers_ = &observers;
  started_ = start_time();
  start_up_s_ = runtime::seconds_since_exec() + to_seconds(kMillisecond);
  observers.begin();
  // The wall clock may be slewed or stepped during the wait, so it is read again shortly before the start.
  while (started_ > now() + kStartLead && stop_requests() == 0) {
    pass(std::min(started_ - kStartLead, now() + kSecond), Until::kTime, 0);
    notifier_.alive();
    started_ = start_time();
  }
  begin_events();
  pool_->start(started_);
  pass(started_ + kMillisecond, Until::kTime, 0);
  pool_->restart_cpu();
  return started_;
}

/// Starts the triggers. They end when the duration of the run has elapsed, so that all processes of a
/// detector have the same triggers.
void RealDriver::begin_events() {
  if (config_.triggers.empty()) return;
  std::uint64_t begin = dpdk_.read_wall_clock() + started_ / kNanosecond;
  if (const auto at = start_at_) {
    const bool computed = std::any_of(config_.triggers.begin(), config_.triggers.end(),
                                      [](const config::TriggerConfig& t) { return !t.message; });
    if (computed && begin > static_cast<std::uint64_t>(*at) + kLateStart / kNanosecond) {
      throw config::ConfigError(
          {{config_.place(config_.run.where, "start_at"),
            "has passed, but all boards of a detector count triggers from this time", "write a later time"}});
    }
    begin = static_cast<std::uint64_t>(*at);
  }
  endpoints_.events.begin(started_, detector::tai_of(begin, hostclock::tai_ahead()));
  if (config_.run.duration) endpoints_.events.end(saturating_add(started_, *config_.run.duration));
}

Driver::Passed RealDriver::pass(Time end, Until until, int stop_requests) {
  for (;;) {
    if (this->stop_requests() > stop_requests) return Passed::kStopped;
    if (until == Until::kFinished && finished()) return Passed::kFinished;
    if (now() >= end) return Passed::kTime;
    nap(end);
    pool_->collect_cpu();
    if (now() >= started_) sample();
  }
}

const latency::StageFigures* RealDriver::stages() {
  if (!stages_) return nullptr;
  for (const auto& stamps : stamps_) stamps->drain(*stages_);
  return &stages_->figures();
}

void RealDriver::wait(Time length) {
  dpdk_.follow_clocks();
  poll();
  service_->run_until(now() + length);
}

std::int64_t RealDriver::wall_clock_of(Time at) {
  return static_cast<std::int64_t>(dpdk_.read_wall_clock() + at / kNanosecond);
}

std::size_t RealDriver::unresolved() {
  std::size_t n = 0;
  for (const engine::EndpointSnapshot& e : endpoint_counters()) n += e.unresolved;
  return n;
}

void RealDriver::nap(Time end) {
  dpdk_.follow_clocks();
  poll();
  stages();
  const Time from = now();
  const Time longest = config_.workers.idle == config::IdlePolicy::kSleep ? kPollWhenIdle : kPoll;
  const Time due = std::min(end, next_sample());
  service_->run_until(from + std::clamp(due > from ? due - from : 0, kShortestNap, longest));
}

void RealDriver::sample() {
  const Time at = now();
  control_unserved_ += pool_->drain_control();
  if (at < next_sample()) return;
  runtime::PoolSnapshot s = pool_->snapshot();
  add_other_hosts(s.endpoints);
  observers_->add({.at = at - started_,
                   .origin = started_,
                   .endpoints = &s.endpoints,
                   .stages = stages(),
                   .cpu = cpu_times()},
                  s.network ? &*s.network : nullptr);
}

Counters RealDriver::counters() {
  runtime::PoolSnapshot s = pool_->snapshot();
  return {std::move(s.endpoints), std::move(s.network)};
}

void RealDriver::stop_traffic() {
  notifier_.status("traffic has stopped; waiting for outstanding requests");
  pool_->collect_cpu();
  cpu_ = pool_->cpu();
  pool_->stop_traffic();
  pass(now() + kTotalsAge, Until::kTime, stop_requests());
}

void RealDriver::flush() {
  pool_->flush();
  pass(now() + kSecond, Until::kFinished, stop_requests());
}

void RealDriver::settle() {
  const auto received = [this] { return pool_->totals().port_queues.rx_packets; };
  if (setup_.network() != nullptr) pool_->close_network();
  // If the configuration has no receivers, the packets go to other programs. Wait once, so that the NIC can
  // transmit the packets that it still holds before the port is stopped.
  const bool once = config_.receivers.empty() && setup_.network() == nullptr;
  const Time limit = now() + kLongestSettle;
  std::uint64_t before = received();
  while (now() < limit) {
    pass(now() + kSettle, Until::kTime, INT32_MAX);
    const std::uint64_t after = received();
    if (once || after == before) return;
    before = after;
  }
}

void RealDriver::close(stats::Outcome& o) {
  // When systemd has received the message of stopping(), it limits the time until the process ends. A run
  // that continues after its result is known (with --hold, or a lab that is then repeated in virtual time)
  // must therefore not send the message here.
  if (!setup_.options.hold && setup_.network() == nullptr) notifier_.stopping();
  notifier_.status("writing the result");
  o.start_up_s = start_up_s_;
  o.control_unserved = control_unserved_;
  // Stop the service before its results are read. The results must include the connections that stop()
  // closes.
  service_->stop();
  o.totals = pool_->totals();
  o.control.resize(config_.boards.size());
  for (const auto& board : service_->boards()) o.control[board->board()] = report::control_result(*board);
  for (const auto& w : pool_->workers()) o.workers.push_back(w->totals());
  o.cpu = std::move(cpu_);
  // Stop the workers before the sessions end: as long as workers run, they may accept trigger messages, so
  // the number of triggers is not final.
  pool_->quit();
  for (const runtime::RunPort& port : dpdk_.ports()) o.fault_rules.push_back(runtime::rule_counters(port));
  end_sessions(config_, endpoints_.events, targets_, o);
}

lab::Edge RealDriver::network_edge(const stats::Outcome& o) const {
  return edge_of(setup_.lab, dpdk_, *pool_, o);
}

std::vector<lab::Balance> RealDriver::balances() const { return {ring_balance(setup_.lab, dpdk_)}; }

std::vector<std::string> RealDriver::remarks(const stats::Outcome& o) const {
  return setup_.network() == nullptr ? std::vector<std::string>{} : lateness_lines(setup_.lab, o);
}

void RealDriver::conclude(const std::string& verdict, const std::string& text) {
  live_->conclude(verdict, text);
}

void RealDriver::hold_page() {
  if (!setup_.quiet && live_->serves()) service::notice("serving the live page until Ctrl-C");
  notifier_.status("the run has ended; serving its result");
  live_->hold([this] { notifier_.alive(); });
}

}  // namespace softfeb::experiment
