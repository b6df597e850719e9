// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/control_service.hpp"

#include "dataplane/cpus.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <rte_pause.h>
#include <sys/prctl.h>

namespace softfeb::slowcontrol {

namespace {

constexpr int kHandlers = 64;  ///< maximum number of socket and timer handlers run per iteration
/// Maximum time to spin while waiting for a worker's answer. A worker with a CPU of its own answers within
/// one iteration of its loop. Because such an iteration is shorter than the shortest possible sleep, spinning
/// gets the answer sooner.
constexpr Time kSpin = 20 * kMicrosecond;
constexpr Time kNap = 20 * kMicrosecond;
/// Intervals for polling the in-band datagrams of workers that never sleep. Such workers do not ring the
/// doorbell, which would wake this thread. kInBandSoon applies while datagrams arrive; kInBandLater applies
/// once none has arrived for kQuiet.
constexpr Time kInBandSoon = 50 * kMicrosecond;
constexpr Time kInBandLater = 500 * kMicrosecond;
constexpr Time kQuiet = 20 * kMillisecond;
constexpr Time kStopLimit = 1 * kSecond;
/// Limits on the messages about closed connections, for all boards together: at most kClosedAtOnce messages
/// at once, and kClosedPerSecond per second on average.
constexpr unsigned kClosedAtOnce = 8;
constexpr unsigned kClosedPerSecond = 1;

std::chrono::nanoseconds length(Time time) { return std::chrono::nanoseconds(time / kNanosecond); }

}  // namespace

ControlService::ControlService(const config::RunConfig& config, runtime::DpdkRuntime& dpdk,
                               runtime::WorkerPool& pool, const endpoints::Endpoints& endpoints,
                               std::function<void(const std::string&)> say)
    : dpdk_(dpdk),
      pool_(pool),
      work_(boost::asio::make_work_guard(io_)),
      timer_(io_),
      doorbell_(io_),
      in_band_ports_(config, dpdk, pool),
      ports_(dpdk.ports()),
      closed_(say, "connections closed; the result lists the last ones of each link", kClosedPerSecond,
              kClosedAtOnce),
      spins_(!dataplane::shares_cpus(dpdk.lcores())) {
  const ControlDeps deps{.config = &config,
                         .dpdk = &dpdk,
                         .pool = &pool,
                         .endpoints = &endpoints,
                         .in_band = &in_band_ports_,
                         .ports = &ports_,
                         .io = &io_,
                         .waiting = [this](RegisterBus& bus) { waiting_.push_back(&bus); },
                         .say = std::move(say),
                         .closed = [this](const std::string& line, Time now) { closed_.add(line, now); }};
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    if (!config.boards[b].control || !config.is_here(config.boards[b].endpoint)) continue;
    boards_.push_back(std::make_unique<BoardControl>(deps, b));
    in_band_ = in_band_ || boards_.back()->in_band();
  }
  rung_ = in_band_ && pool.rings_control_thread();
  if (rung_) {
    doorbell_.assign(pool.control_doorbell().fd());
    await_doorbell();
  }
  // With the default timer slack of 50 µs, a sleep of 20 µs would last 70 µs.
  if (!boards_.empty()) prctl(PR_SET_TIMERSLACK, 1'000UL, 0UL, 0UL, 0UL);
}

std::vector<telemetry::LinkView> ControlService::links() const {
  std::vector<telemetry::LinkView> views;
  for (const auto& board : boards_) {
    for (std::size_t i = 0; i < BoardControl::kLinkNames.size(); ++i) {
      const ControlLink& link = board->link(i);
      const srp::RssiServer& server = link.server();
      views.push_back({.board = board->board(),
                       .link = BoardControl::kLinkNames[i],
                       .open = server.open(),
                       .peer = server.status().peer,
                       .in_band = link.in_band(),
                       .connections = server.status().reconnects,
                       .history = &link.history()});
    }
  }
  return views;
}

ControlService::~ControlService() {
  stop();
  if (doorbell_.is_open()) doorbell_.release();
}

void ControlService::await_doorbell() {
  doorbell_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](const boost::system::error_code& error) {
                         if (error) return;
                         pool_.control_doorbell().clear();
                         await_doorbell();
                       });
}

void ControlService::run_until(Time until) {
  for (;;) {
    serve(dpdk_.now());
    if (dpdk_.now() >= until) return;
    if (waiting_.empty()) {
      wait(until);
    } else {
      wait_for_workers();
    }
  }
}

/// Runs one iteration of the service's loop. The work of an iteration is bounded.
void ControlService::serve(Time now) {
  if (!serves()) return;
  for (int i = 0; i < kHandlers && io_.poll_one() != 0; ++i) {
  }
  if (in_band_) serve_in_band(now);
  serve_waiting(dpdk_.now());
}

void ControlService::serve_in_band(Time now) {
  if (in_band_ports_.poll(now) != 0) in_band_at_ = now;
  for (const auto& board : boards_) {
    if (board->in_band()) board->run_timers(now);
  }
}

/// Polls the buses in `waiting_`. A bus that must wait again during the same access adds itself to the list
/// again.
void ControlService::serve_waiting(Time now) {
  if (waiting_.empty()) return;
  serving_.clear();
  serving_.swap(waiting_);
  for (RegisterBus* bus : serving_) {
    if (!bus->poll(now)) waiting_.push_back(bus);
  }
}

/// Waits briefly for the answer to the first bus in `waiting_`. The other buses are polled in the next
/// iteration.
void ControlService::wait_for_workers() {
  const Time give_up = dpdk_.now() + kSpin;
  while (spins_ && dpdk_.now() < give_up) {
    if (waiting_.front()->answered()) return;
    rte_pause();
  }
  std::this_thread::sleep_for(length(kNap));
}

void ControlService::wait(Time until) {
  const Time now = dpdk_.now();
  if (now >= until) return;
  if (!serves()) {
    std::this_thread::sleep_for(length(until - now));
    return;
  }
  Time span = until - now;
  if (rung_) {
    pool_.control_doorbell().arm();
    // Poll again, because the worker did not ring the doorbell for datagrams that arrived before arm().
    if (in_band_ports_.poll(now) != 0) {
      pool_.control_doorbell().disarm();
      return;
    }
    const Time due = in_band_deadline();
    span = std::min(span, due > now ? due - now : 0);
  } else if (in_band_) {
    span = std::min(span, now - in_band_at_ < kQuiet ? kInBandSoon : kInBandLater);
  }
  timer_.expires_after(length(span));
  timer_.async_wait([](const boost::system::error_code&) {});
  io_.run_one();
  // Cancel the timer now, so that its handler runs in the next iteration and does not end the next wait.
  timer_.cancel();
  pool_.control_doorbell().disarm();
}

Time ControlService::in_band_deadline() const {
  Time at = kNever;
  for (const auto& board : boards_) {
    if (board->in_band()) at = std::min(at, board->deadline());
  }
  return at;
}

void ControlService::stop() {
  if (stopped_) return;
  stopped_ = true;
  const Time limit = dpdk_.now() + kStopLimit;
  for (const auto& board : boards_) board->close(dpdk_.now());
  while (!waiting_.empty() && dpdk_.now() < limit) {
    serve_waiting(dpdk_.now());
    std::this_thread::sleep_for(length(kNap));
  }
  waiting_.clear();
  in_band_ = false;
  timer_.cancel();
  io_.poll();
  closed_.flush();
}

}  // namespace softfeb::slowcontrol
