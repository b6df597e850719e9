// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/random_traffic.hpp"

#include "base/rng.hpp"

#include <algorithm>

namespace softfeb::endpoints {

namespace {

/// The random sequences of a queue pair.
enum class Sequence : std::uint8_t { kLengths, kArrivals };

/// Seed of one random sequence of a queue pair. Board, queue pair and sequence enter the seed one after the
/// other, so that no two sequences overlap.
std::uint64_t seed_of(const config::RunConfig& config, const QpPlan& plan, std::uint32_t on_board,
                      Sequence sequence) {
  std::uint64_t seed = plan.config->traffic.seed.value_or(config.run.seed);
  for (const std::uint64_t part : {std::uint64_t{plan.board}, std::uint64_t{on_board}}) {
    seed = Rng::nth(seed, part);
  }
  return Rng::nth(seed, static_cast<std::uint64_t>(sequence));
}

}  // namespace

MessageLengths lengths_of(const config::RunConfig& config, const QpPlan& plan) {
  const config::TrafficConfig& traffic = plan.config->traffic;
  if (!traffic.lengths) return {};
  return {traffic.lengths->cdf.get(), seed_of(config, plan, plan.on_board, Sequence::kLengths)};
}

std::uint64_t backlog_of(const BoardMessages& messages, Time end) {
  std::uint64_t sum = 0;
  for (const auto& arrivals : messages.arrivals) sum += arrivals->backlog(end);
  return sum;
}

std::shared_ptr<engine::Arrivals> RandomTraffic::arrivals_of(const QpPlan& plan) {
  const config::ArrivalsConfig& c = *plan.config->traffic.arrivals;
  const bool group = c.queue == config::ArrivalsConfig::Queue::kGroup;
  std::shared_ptr<engine::Arrivals> own;
  std::shared_ptr<engine::Arrivals>& arrivals = group ? shared_[{plan.board, plan.config}] : own;
  if (arrivals) return arrivals;
  const double rate = group ? c.rate : c.rate / plan.config->count;
  const std::uint32_t first = group ? plan.on_board - plan.number : plan.on_board;
  arrivals = std::make_shared<engine::Arrivals>(std::max(1.0, static_cast<double>(kSecond) / rate),
                                                seed_of(config_, plan, first, Sequence::kArrivals));
  if (!plan.config->traffic.messages) boards_[plan.board].arrivals.push_back(arrivals);
  return arrivals;
}

std::shared_ptr<const engine::MessageTimesConfig> RandomTraffic::of(const QpPlan& plan) {
  const config::TrafficConfig& traffic = plan.config->traffic;
  if (!traffic.random()) return nullptr;
  BoardMessages& board = boards_[plan.board];
  if (!board.times) board.times = std::make_shared<engine::CompletionTimes>();
  auto c = std::make_shared<engine::MessageTimesConfig>();
  c->lengths = lengths_of(config_, plan);
  c->median = traffic.median_length();
  c->times = board.times;
  c->path = plan.idle_path;
  const Time start = config_.boards[plan.board].start;
  c->count_after = config_.run.warmup > start ? config_.run.warmup - start : 0;
  if (!traffic.arrivals) return c;
  c->arrivals = arrivals_of(plan);
  c->shared_arrivals = traffic.arrivals->queue == config::ArrivalsConfig::Queue::kGroup;
  return c;
}

}  // namespace softfeb::endpoints
