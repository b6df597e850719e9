// SPDX-License-Identifier: BSD-3-Clause
#include "lab/metrics.hpp"

#include "base/uint128.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::lab {

namespace {

std::vector<Sending> sending_of(const MetricsConfig& config) {
  std::vector<Sending> all;
  for (const auto& b : config.boards) all.push_back(b.sending);
  return all;
}

std::uint64_t delivered_of(const MetricsConfig::Flow& f, const std::vector<engine::EndpointSnapshot>& e) {
  if (f.receiver) return e[*f.receiver].receive_qps[f.receiver_qp].responder.payload_bytes;
  return f.acknowledged ? e[f.board].send_qps[f.qp].completed_payload_bytes : 0;
}

const fabric::PortSnapshot* find(const fabric::NetworkSnapshot* network,
                                 const std::optional<MetricsConfig::Port>& port) {
  if (network == nullptr || !port) return nullptr;
  const auto at = std::find_if(network->ports.begin(), network->ports.end(), [&](const auto& p) {
    return p.switch_index == port->switch_index && p.link == port->link;
  });
  return at == network->ports.end() ? nullptr : &*at;
}

void lower(std::optional<Share>& least, Share value) { least = std::min(least.value_or(value), value); }

}  // namespace

Metrics::Metrics(const MetricsConfig& config)
    : config_(config),
      schedule_(sending_of(config), config.end),
      known_(config.boards.size(), 1),
      sharing_(config.boards.size(), 0),
      changes_(schedule_.changes()),
      due_(config.interval),
      delivered_(config.boards.size(), 0),
      before_(delivered_),
      hungry_(config.boards.size(), 0),
      starvation_(config.boards.size(), 0),
      demands_(config.boards.size()) {
  for (const auto& f : config_.flows) {
    if (f.through_bottleneck || !config_.bottleneck) sharing_[f.board] = 1;
  }
  for (const auto& f : config_.flows) {
    if (!f.delivery_known()) known_[f.board] = sharing_[f.board] = 0;
  }
  for (std::size_t i = 0; i < kWindows.size(); ++i) {
    meters_[i].figures.length = kWindows[i];
    meters_[i].next = kWindows[i];
    meters_[i].delivered = delivered_;
  }
  std::vector<std::vector<std::size_t>> owners(config_.boards.size());
  for (const auto& f : config_.flows) {
    if (f.own_rate) owners[f.board].push_back(f.qp);
  }
  for (std::size_t b = 0; b < owners.size(); ++b)
    offered_.emplace_back(config_.boards[b].link_rate, config_.boards[b].asked, std::move(owners[b]));
}

void Metrics::add(const stats::Sample& sample) {
  if (sample.at <= last_) return;  // no time has passed; the next sample will include these events
  due_ = (sample.at / config_.interval + 1) * config_.interval;
  count(sample);
  if (last_ >= schedule_.end()) {
    last_ = sample.at;
    return;  // traffic has ended; data that was sent earlier still arrives, but is not evaluated
  }
  watch_starvation(sample.at);
  watch_demands(sample.at);
  watch_queue(sample.at);
  watch_offered(sample);
  watch_changes(sample.at);
  for (Meter& m : meters_) {
    if (sample.at >= m.next) close(m, sample.at);
  }
  last_ = sample.at;
}

void Metrics::count(const stats::Sample& sample) {
  const auto& endpoints = *sample.endpoints;
  std::swap(before_, delivered_);
  std::fill(delivered_.begin(), delivered_.end(), 0);
  through_ = 0;
  for (const auto& f : config_.flows) {
    const std::uint64_t bytes = delivered_of(f, endpoints);
    delivered_[f.board] += bytes;
    if (f.through_bottleneck) through_ += bytes;
  }
  bool fewer = false;
  for (std::size_t b = 0; b < config_.boards.size(); ++b) {
    if (!endpoints[b].finished || !schedule_.sends(b, last_, sample.at)) continue;
    schedule_.finished(b, sample.at);
    fewer = true;
  }
  if (fewer) changes_ = schedule_.changes();
  if (const auto* p = find(sample.network, config_.bottleneck)) {
    port_ = {p->rate, p->tx_wire_bytes, p->queue_bytes, p->queue_bytes_max,
             sample.network->taken_at - std::min(sample.network->taken_at, sample.origin)};
  }
}

void Metrics::watch_starvation(Time at) {
  for (std::size_t b = 0; b < delivered_.size(); ++b) {
    // A board that stops at this sample may have run out of data earlier, so it does not count as starved.
    const bool sends = schedule_.sends(b, last_, at) && schedule_[b].stop != at;
    const bool starves = sends && known_[b] != 0 && delivered_[b] == before_[b];
    hungry_[b] = starves ? hungry_[b] + (at - last_) : 0;
    starvation_[b] = std::max(starvation_[b], hungry_[b]);
  }
}

void Metrics::watch_demands(Time at) {
  for (std::size_t b = 0; b < delivered_.size(); ++b) {
    if (config_.boards[b].asked == 0 || !schedule_.sends(b, last_, at)) continue;
    demands_[b].sent_for += at - last_;
    demands_[b].delivered += delivered_[b] - before_[b];
  }
}

void Metrics::watch_queue(Time at) {
  if (!schedule_.steady(last_, at)) return;
  queue_sum_ += port_.queue_bytes;
  ++queue_samples_;
}

void Metrics::watch_offered(const stats::Sample& sample) {
  for (std::size_t b = 0; b < offered_.size(); ++b) {
    const bool sends = schedule_.sends(b, last_, sample.at) && schedule_[b].stop != sample.at;
    offered_[b].add((*sample.endpoints)[b], sample.at - last_, sends);
  }
}

void Metrics::watch_changes(Time at) {
  for (; next_change_ < changes_.size() && changes_[next_change_].at <= at; ++next_change_) {
    Change change = changes_[next_change_];
    std::erase_if(change.sending, [&](std::size_t b) { return sharing_[b] == 0; });
    convergence_.begin(change);
  }
  if (config_.bottleneck && convergence_.pending()) convergence_.add(at, delivered_, fair_rates());
}

/// Returns the max-min fair shares of the port's payload rate among the boards that are sending.
std::vector<std::uint64_t> Metrics::fair_rates() {
  const auto payload = [&](std::uint64_t wire_rate) {
    return port_.wire_bytes == 0
               ? 0
               : static_cast<std::uint64_t>(Uint128{wire_rate} * through_ / port_.wire_bytes);
  };
  const std::vector<std::size_t>& sending = convergence_.changes().back().change.sending;
  std::vector<std::uint64_t> demands;
  for (const std::size_t b : sending) {
    const auto& board = config_.boards[b];
    std::uint64_t demand = board.asked == 0 ? UINT64_MAX : board.asked;
    if (board.link_rate != 0) demand = std::min(demand, payload(board.link_rate));
    demands.push_back(demand);
  }
  const std::vector<std::uint64_t> shares = fair_shares(payload(port_.rate), demands);
  std::vector<std::uint64_t> all(config_.boards.size(), 0);
  for (std::size_t i = 0; i < sending.size(); ++i) all[sending[i]] = shares[i];
  return all;
}

std::optional<Share> Metrics::port_used(const Meter& m) const {
  if (port_.rate == 0 || port_.at <= m.port_at) return std::nullopt;
  const Uint128 room = Uint128{port_.rate} * (port_.at - m.port_at);
  return static_cast<Share>(Uint128{port_.wire_bytes - m.wire_bytes} * kSecond * kWhole / room);
}

void Metrics::close(Meter& m, Time at) {
  Window w{m.from, at, m.figures.length, 0, schedule_.steady(m.from, at), std::nullopt, port_used(m)};
  std::vector<std::uint64_t> shares;
  for (std::size_t b = 0; b < delivered_.size(); ++b) {
    if (sharing_[b] != 0 && schedule_.sends(b, m.from, at)) shares.push_back(delivered_[b] - m.delivered[b]);
  }
  w.boards_sending = shares.size();
  w.jain = jain_index(shares);
  if (w.steady && w.boards_sending != 0) m.judge(w);
  if (call_) call_(w);
  m.from = at;
  m.next = (at / m.figures.length + 1) * m.figures.length;
  m.delivered = delivered_;
  m.wire_bytes = port_.wire_bytes;
  m.port_at = port_.at;
}

void Metrics::Meter::judge(const Window& w) {
  ++figures.windows;
  if (w.jain) {
    lower(figures.jain_min, *w.jain);
    ++jain_windows;
    jain_sum += *w.jain;
    figures.jain_mean = jain_sum / jain_windows;
  }
  if (w.port_used) {
    lower(figures.port_used_min, *w.port_used);
    port_sum += *w.port_used;
    figures.port_used_mean = port_sum / figures.windows;
  }
}

LabStats Metrics::figures() const {
  LabStats f;
  for (std::size_t i = 0; i < kWindows.size(); ++i) f.windows[i] = meters_[i].figures;
  f.changes = convergence_.changes();
  f.starvation = starvation_;
  f.queue_bytes_max = port_.queue_bytes_max;
  f.queue_bytes_mean = queue_samples_ == 0 ? 0 : queue_sum_ / queue_samples_;
  f.delivered = delivered_;
  f.known = known_;
  for (std::size_t b = 0; b < demands_.size(); ++b) {
    const Uint128 asked = Uint128{config_.boards[b].asked} * demands_[b].sent_for / kSecond;
    if (asked == 0 || known_[b] == 0) continue;
    const Uint128 met = Uint128{demands_[b].delivered} * kWhole / asked;
    const auto share = static_cast<Share>(std::min<Uint128>(met, kWhole));
    f.demand_met = std::min(f.demand_met.value_or(share), share);
  }
  for (const Offered& o : offered_) {
    const auto share = o.share();
    if (share) f.offered = std::min(f.offered.value_or(*share), *share);
  }
  return f;
}

}  // namespace softfeb::lab
