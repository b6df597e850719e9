// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/virtual_run.hpp"

#include <algorithm>
#include <tuple>

namespace softfeb::simulator {

namespace {

/// Polling interval while waiting.
constexpr Time kSlice = kMillisecond;
/// Maximum wait for neighbours to answer.
constexpr Time kPatience = kSecond;
/// Time for frames still under way when all boards are done: more than the largest buffers hold.
constexpr Time kSettle = 10 * kSecond;

}  // namespace

VirtualRun::VirtualRun(const config::RunConfig& config, endpoints::Endpoints& endpoints, EventLoop& world,
                       const std::vector<stats::Observer*>& observers, const VirtualLab::Between& between)
    : config_(config), endpoints_(endpoints), world_(world), observers_(observers), between_(between) {
  for (const auto& board : endpoints.boards) all_.push_back(board.get());
  for (const auto& receiver : endpoints.receivers) all_.push_back(receiver.get());
  for (const engine::Endpoint* e : all_) snapshots_.push_back(engine::make_snapshot(*e));
  out_.network = world.network().make_snapshot();
  out_.changes_made.resize(config.changes.size(), 0);
}

VirtualOutcome VirtualRun::run() {
  find_neighbours();
  out_.origin = out_.measured_from = world_.now();
  plan_actions();
  observers_.begin();
  const Time end = config_.run.duration ? out_.origin + *config_.run.duration : kNever;
  bool on = true;
  if (config_.run.warmup != 0) {
    on = go(std::min(end, out_.origin + config_.run.warmup), true);
    if (on && !finished()) {
      out_.measured_from = world_.now();
      out_.baseline = snapshots_;
      take(out_.baseline);
    }
  }
  out_.interrupted = !on || !go(end, true);
  out_.stopped = world_.now();
  drain();
  settle();
  out_.ended = world_.now();
  const stats::Sample last = sample();
  observers_.end(last, &out_.network);
  out_.final = snapshots_;
  out_.events = world_.events();
  return out_;
}

/// Resolves neighbours before traffic, as in real time, so that no first packet waits for an answer.
void VirtualRun::find_neighbours() {
  const auto waiting = [](const auto& board) { return board->unresolved() != 0; };
  do {
    world_.run_until(world_.now() + kSlice);
  } while (world_.now() < kPatience &&
           std::any_of(endpoints_.boards.begin(), endpoints_.boards.end(), waiting));
}

void VirtualRun::plan_actions() {
  for (std::size_t b = 0; b < config_.boards.size(); ++b) {
    const config::BoardConfig& board = config_.boards[b];
    actions_.push_back({saturating_add(out_.origin, board.start), Action::Kind::kStart, b});
    if (board.stop) actions_.push_back({saturating_add(out_.origin, *board.stop), Action::Kind::kStop, b});
  }
  for (std::size_t c = 0; c < config_.changes.size(); ++c)
    actions_.push_back({saturating_add(out_.origin, config_.changes[c].at), Action::Kind::kChange, c});
  std::sort(actions_.begin(), actions_.end(), [](const Action& a, const Action& b) {
    return std::tie(a.at, a.kind, a.index) < std::tie(b.at, b.kind, b.index);
  });
}

void VirtualRun::act(const Action& action) {
  switch (action.kind) {
    case Action::Kind::kStart:
      endpoints_.boards[action.index]->start(world_.now());
      world_.touched(action.index);
      break;
    case Action::Kind::kStop:
      endpoints_.boards[action.index]->stop_traffic(world_.now());
      world_.touched(action.index);
      break;
    case Action::Kind::kChange:
      change(config_.changes[action.index]);
      out_.changes_made[action.index] = 1;
      break;
  }
}

void VirtualRun::change(const config::ChangeConfig& change) {
  engine::Board& board = *endpoints_.boards[change.board];
  for (const config::ChangeConfig::Part& part : change.parts) {
    const engine::CongestionSettings profile = endpoints::congestion_of(part.dcqcn);
    for (std::uint32_t k = 0; k < part.count; ++k)
      board.set_congestion(part.first + k, profile, world_.now());
  }
  world_.touched(change.board);
}

bool VirtualRun::finished() const {
  // Boards without QPs only answer ARP and ping and never finish.
  bool traffic = false;
  for (std::size_t b = 0; b < config_.boards.size(); ++b) {
    if (config_.boards[b].qps.empty()) continue;
    traffic = true;
    if (!endpoints_.boards[b]->finished()) return false;
  }
  return traffic;
}

bool VirtualRun::go(Time until, bool for_boards) {
  while (world_.now() < until && !(for_boards && finished())) {
    const Time slice = std::min(until, world_.now() + kSlice);
    for (;;) {
      const Time due = saturating_add(out_.origin, observers_.due());
      const Time action = next_action_ < actions_.size() ? actions_[next_action_].at : kNever;
      const Time next = std::min({slice, due, action});
      world_.run_until(next);
      if (next == due) observers_.add(sample(), &out_.network);
      if (next == action) act(actions_[next_action_++]);
      if (next == slice && next != due && next != action) break;
    }
    if (between_ && !between_(world_.now() - out_.origin)) return false;
  }
  return true;
}

void VirtualRun::drain() {
  next_action_ = actions_.size();
  for (std::size_t b = 0; b < config_.boards.size(); ++b) {
    endpoints_.boards[b]->stop_traffic(world_.now());
    world_.touched(b);
  }
  go(saturating_add(world_.now(), config_.run.drain_timeout), true);
  if (finished()) return;
  out_.flushed = true;
  for (std::size_t b = 0; b < config_.boards.size(); ++b) {
    endpoints_.boards[b]->flush(world_.now());
    world_.touched(b);
  }
}

void VirtualRun::settle() {
  const Time limit = world_.now() + kSettle;
  while (!world_.empty() && world_.now() < limit) {
    if (!go(world_.now() + kSlice, false)) return;
  }
}

stats::Sample VirtualRun::sample() {
  take(snapshots_);
  world_.network().take_snapshot(out_.network, world_.now());
  return {.at = world_.now() - out_.origin,
          .origin = out_.origin,
          .endpoints = &snapshots_,
          .network = &out_.network};
}

void VirtualRun::take(std::vector<engine::EndpointSnapshot>& out) const {
  for (std::size_t e = 0; e < all_.size(); ++e)
    engine::take_snapshot(*all_[e], out[e], 0, SIZE_MAX, world_.now());
}

}  // namespace softfeb::simulator
