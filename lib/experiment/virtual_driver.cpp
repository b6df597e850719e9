// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/virtual_driver.hpp"

#include "config/error.hpp"
#include "endpoints/link_rules.hpp"
#include "endpoints/qp_congestion.hpp"
#include "experiment/endpoint_archive.hpp"
#include "experiment/ensemble.hpp"
#include "experiment/huge_heap.hpp"
#include "lab/idle_paths.hpp"
#include "simulator/parted_loop.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace softfeb::experiment {

namespace {

constexpr std::size_t kCacheLine = 64;
/// Interval at which virtual time is interrupted to poll for signals and conditions.
constexpr Time kSlice = kMillisecond;
/// Maximum time to wait for neighbours to be resolved.
constexpr Time kPatience = kSecond;
/// Maximum time to wait for frames in flight after all boards have finished. Even the largest buffers cannot
/// delay frames for this long.
constexpr Time kSettleLimit = 10 * kSecond;

[[noreturn]] void refuse(const config::Where& where, const std::string& what, const std::string& fix) {
  throw config::ConfigError({{where, what, fix}});
}

/// Requests huge pages (use_huge_heap()), and returns `config`. The call is made before the simulation is
/// allocated.
const config::LabConfig& prepared(const config::LabConfig& config) {
  use_huge_heap();
  return config;
}

void check(const config::LabConfig& config, const endpoints::Plans& plans) {
  for (const endpoints::QpPlan& plan : plans.all()) {
    if (!endpoints::needs_session(plan)) continue;
    refuse(plan.config->to_where,
           plan.config->to_text + " is another process, which cannot run in virtual time",
           "use a receiver of this file, or run the lab in real time");
  }
  const auto& boards = config.run.boards;
  for (std::size_t e = 0; e < boards.size() + config.run.receivers.size(); ++e) {
    if (config.station_of[e]) continue;
    const config::EndpointConfig& endpoint =
        e < boards.size() ? boards[e].endpoint : config.run.receivers[e - boards.size()].endpoint;
    refuse(endpoint.where, endpoint.name + " is at a DPDK port, which virtual time does not have",
           "give it a link in `network.links`, or run the lab in real time");
  }
}

}  // namespace

VirtualDriver::VirtualDriver(const config::LabConfig& config, Poll poll,
                             const endpoints::EventServices& services, bool takes_times,
                             const simulator::Parting& parting, simulator::Exchange* exchange,
                             const simulator::MakeSimulation& make)
    : config_(prepared(config)),
      poll_(std::move(poll)),
      exchange_(exchange == nullptr ? solo_ : *exchange),
      payloads_(config.run),
      plans_(config.run) {
  check(config, plans_);
  payloads_.stage([this](std::size_t bytes) {
    auto& memory = arena_.emplace_back(std::make_unique<std::uint8_t[]>(bytes + kCacheLine));
    const auto over = reinterpret_cast<std::uintptr_t>(memory.get()) % kCacheLine;
    const MutableByteSpan block(memory.get() + (over == 0 ? 0 : kCacheLine - over), bytes);
    payload_blocks_.push_back(block);
    return block;
  });
  lab::find_idle_paths(config, plans_);
  const std::uint32_t sample = config.run.latency.sample.value_or(config::LatencyConfig::kVirtualSample);
  if (takes_times && sample != 0) stamps_.emplace(sample);
  if (stamps_ && parting.parts > 1) logged_.emplace(sample);
  endpoints::BuildSettings settings;
  settings.largest_pmtus.assign(config.run.ports.size(), board::kMaxPacketPayload);
  settings.network_slack = 0;  // in virtual time no worker is late, so a board has nothing to catch up on
  latency::Stamps* const stamps = logged_   ? static_cast<latency::Stamps*>(&*logged_)
                                  : stamps_ ? &*stamps_
                                            : nullptr;
  if (stamps != nullptr) settings.stamps.assign(config.run.workers.count, stamps);
  settings.services = services;
  endpoints_ = endpoints::make_endpoints(config.run, plans_, payloads_, settings);
  for (const auto& board : endpoints_.boards) all_.push_back(board.get());
  for (const auto& receiver : endpoints_.receivers) all_.push_back(receiver.get());
  std::vector<simulator::Seat> seats;
  for (engine::Endpoint* e : all_) seats.push_back({e, *config.station_of[seats.size()]});
  fabric::NetworkConfig network = config.network;
  endpoints::add_link_rules(config, plans_, network);
  loop_ = make ? make(network, seats)
               : std::make_unique<simulator::PartedLoop>(network, seats, parting, exchange_, payload_blocks_,
                                                         logged_ ? &*logged_ : nullptr);
  if (stamps != nullptr) loop_->report_times(*stamps);
  for (const engine::Endpoint* e : all_) snapshots_.push_back(engine::make_snapshot(*e));
  network_ = loop_->make_snapshot();
  changes_made_.resize(config.run.changes.size(), 0);
}

Time VirtualDriver::begin(stats::Observers& observers) {
  observers_ = &observers;
  const auto resolved = [this] {
    for (std::size_t b = 0; b < endpoints_.boards.size(); ++b)
      if (loop_->simulates(b) && endpoints_.boards[b]->unresolved() != 0) return false;
    return true;
  };
  do {
    loop_->run_until(now() + kSlice);
  } while (now() < kPatience && !exchange_.all(resolved()));
  started_ = now();
  endpoints_.events.begin(started_, {});
  plan_actions();
  observers.begin();
  return started_;
}

void VirtualDriver::plan_actions() {
  for (std::size_t b = 0; b < config_.run.boards.size(); ++b) {
    const config::BoardConfig& board = config_.run.boards[b];
    actions_.push_back({saturating_add(started_, board.start), Action::Kind::kStart, b});
    if (board.stop) actions_.push_back({saturating_add(started_, *board.stop), Action::Kind::kStop, b});
  }
  for (std::size_t c = 0; c < config_.run.changes.size(); ++c)
    actions_.push_back({saturating_add(started_, config_.run.changes[c].at), Action::Kind::kChange, c});
  std::sort(actions_.begin(), actions_.end(), [](const Action& a, const Action& b) {
    return std::tie(a.at, a.kind, a.index) < std::tie(b.at, b.kind, b.index);
  });
}

void VirtualDriver::act(const Action& action) {
  switch (action.kind) {
    case Action::Kind::kStart:
      loop_->change(action.index, [&] { endpoints_.boards[action.index]->start(now()); });
      break;
    case Action::Kind::kStop:
      loop_->change(action.index, [&] { endpoints_.boards[action.index]->stop_traffic(now()); });
      break;
    case Action::Kind::kChange:
      change(config_.run.changes[action.index]);
      changes_made_[action.index] = 1;
      break;
  }
}

void VirtualDriver::change(const config::ChangeConfig& change) {
  loop_->change(change.board, [&] {
    engine::Board& board = *endpoints_.boards[change.board];
    for (const config::ChangeConfig::Part& part : change.parts) {
      const engine::CongestionSettings settings = endpoints::congestion_of(part.congestion);
      for (std::uint32_t k = 0; k < part.count; ++k) board.set_congestion(part.first + k, settings, now());
    }
  });
}

bool VirtualDriver::finished() const {
  bool finished = true;
  for (std::size_t b = 0; b < config_.run.boards.size() && finished; ++b)
    finished = config_.run.boards[b].qps.empty() || !loop_->simulates(b) || endpoints_.boards[b]->finished();
  return exchange_.all(finished);
}

/// Runs until `end`. Takes samples and carries out actions when they are due.
void VirtualDriver::run_slice(Time end) {
  for (;;) {
    const Time due = exchange_.lead(saturating_add(started_, observers_->due()));
    const Time action = next_action_ < actions_.size() ? actions_[next_action_].at : kNever;
    const Time next = std::min({end, due, action});
    loop_->run_until(next);
    if (next == due) {
      take_counters();
      loop_->take_snapshot(network_);
      observers_->add({.at = now() - started_, .origin = started_, .endpoints = &snapshots_}, &network_);
    }
    if (next == action) act(actions_[next_action_++]);
    if (next == end && next != due && next != action) return;
  }
}

std::uint64_t VirtualDriver::payload_hash() const {
  std::uint64_t hash = 0;
  for (const ByteSpan block : payload_blocks_) hash = hash_of(block, hash);
  return hash;
}

Driver::Passed VirtualDriver::pass(Time end, Until until, int stop_requests) {
  const auto done = [&] { return until == Until::kFinished && finished(); };
  while (now() < end && !done()) {
    run_slice(std::min(end, now() + kSlice));
    collect_stamps();
    if (!exchange_.all(poll_() <= stop_requests)) return Passed::kStopped;
  }
  return done() ? Passed::kFinished : Passed::kTime;
}

void VirtualDriver::stop_traffic() {
  next_action_ = actions_.size();
  for (std::size_t b = 0; b < endpoints_.boards.size(); ++b) {
    loop_->change(b, [&] { endpoints_.boards[b]->stop_traffic(now()); });
  }
}

void VirtualDriver::flush() {
  for (std::size_t b = 0; b < endpoints_.boards.size(); ++b) {
    loop_->change(b, [&] { endpoints_.boards[b]->flush(now()); });
  }
}

void VirtualDriver::settle() {
  const Time limit = now() + kSettleLimit;
  while (!loop_->empty() && now() < limit) pass(now() + kSlice, Until::kTime, INT32_MAX);
}

void VirtualDriver::take_counters() {
  for (std::size_t e = 0; e < all_.size(); ++e)
    if (loop_->simulates(e)) engine::take_snapshot(*all_[e], snapshots_[e], 0, SIZE_MAX, now());
  if (exchange_.size() > 1) gather_counters();
}

/// Gives process 0 the snapshots of all endpoints.
void VirtualDriver::gather_counters() {
  std::vector<std::uint8_t> mine;
  ArchiveWriter out(mine);
  for (std::uint64_t e = 0; e < all_.size(); ++e) {
    if (!loop_->simulates(e)) continue;
    out.item(e);
    write_snapshot(snapshots_[e], out);
  }
  exchange_.gather(mine, [this](std::uint32_t, ByteSpan bytes) {
    for (ArchiveReader in(bytes); !in.empty();) {
      std::uint64_t e = 0;
      in.item(e);
      read_snapshot(*all_.at(e), failures_, in, snapshots_[e]);
    }
  });
}

/// Gives process 0 the results of all endpoints.
void VirtualDriver::close(stats::Outcome&) {
  if (exchange_.size() == 1) return;
  std::vector<std::uint8_t> mine;
  ArchiveWriter out(mine);
  for (std::uint64_t e = 0; e < all_.size(); ++e) {
    if (!loop_->simulates(e)) continue;
    out.item(e);
    write_endpoint(endpoints_, e, out);
  }
  exchange_.gather(mine, [this](std::uint32_t rank, ByteSpan bytes) {
    if (rank == 0) return;
    for (ArchiveReader in(bytes); !in.empty();) {
      std::uint64_t e = 0;
      in.item(e);
      read_endpoint(endpoints_, e, in);
    }
  });
}

std::vector<engine::EndpointSnapshot> VirtualDriver::endpoint_counters() {
  take_counters();
  return snapshots_;
}

Counters VirtualDriver::counters() {
  take_counters();
  loop_->take_snapshot(network_);
  collect_stamps();
  return {snapshots_, network_};
}

}  // namespace softfeb::experiment
