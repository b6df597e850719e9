// SPDX-License-Identifier: BSD-3-Clause
#include "lab/rate_watch.hpp"

#include "dcqcn/firmware_dcqcn.hpp"
#include "roce/headers.hpp"

#include <algorithm>
#include <map>

namespace softfeb::lab {

namespace {

SentSample sent_by(const engine::EndpointSnapshot& board, const std::vector<std::size_t>& qps) {
  SentSample s;
  s.at = board.taken_at;
  for (const std::size_t i : qps) {
    const engine::SendQpSnapshot& qp = board.send_qps[i];
    s.counted += qp.counters.counted_bytes;
    s.sending = s.sending || qp.counters.first_sent != kNever;
  }
  if (const auto& state = board.send_qps[qps.front()].congestion) {
    s.credit = state->credit;
    s.spilled = state->spilled;
  }
  return s;
}

void keep_worst(std::optional<double>& worst, double value) {
  worst = worst ? std::max(*worst, value) : value;
}

}  // namespace

RateWatch::RateWatch(std::vector<engine::Board*> boards, Time interval)
    : boards_(std::move(boards)), interval_(interval), due_(interval) {
  for (std::size_t b = 0; b < boards_.size(); ++b) find_controls(b);
}

void RateWatch::find_controls(std::size_t b) {
  engine::Board& board = *boards_[b];
  std::map<const congestion::CongestionControl*, std::size_t> met;
  for (std::size_t i = 0; i < board.first_bus_qp(); ++i) {
    const auto* const firmware = dynamic_cast<const dcqcn::FirmwareDcqcn*>(board.qp(i).congestion());
    if (firmware == nullptr) continue;
    const auto [at, first] = met.try_emplace(firmware, controls_.size());
    if (first) {
      const dcqcn::ReactionPoint& point = firmware->reaction_point();
      controls_.push_back({.board = b, .origin = {point.parameters(), point.build()}});
    }
    Control& c = controls_[at->second];
    c.qps.push_back(i);
    const std::uint32_t pmtu = board.qp(i).requester().config().pmtu;
    c.packet = std::max(c.packet, pmtu + static_cast<std::uint32_t>(roce::kMaxTransportHeaders));
  }
  if (!met.empty()) board.keep_congestion_log(kEvents);
}

void RateWatch::add(const stats::Sample& sample) {
  while (due_ <= sample.at) due_ += interval_;
  for (Control& c : controls_) {
    if (c.samples.size() < kSamples) c.samples.push_back(sent_by((*sample.endpoints)[c.board], c.qps));
  }
}

RateStats RateWatch::figures_of(const Control& c) const {
  const engine::CongestionLog& log = boards_[c.board]->congestion_log();
  std::vector<engine::CongestionEvent> events;
  for (const engine::CongestionEvent& e : log.events()) {
    if (std::find(c.qps.begin(), c.qps.end(), e.qp) != c.qps.end()) events.push_back(e);
  }
  std::span<const SentSample> samples = c.samples;
  if (!log.complete()) {
    const auto known = std::partition_point(
        samples.begin(), samples.end(), [&](const SentSample& s) { return s.at < log.events().back().at; });
    samples = samples.first(static_cast<std::size_t>(known - samples.begin()));
  }
  RateStats f{.board = c.board, .qp = c.qps.front()};
  f.cnps = static_cast<std::size_t>(
      std::count_if(events.begin(), events.end(), [](const auto& e) { return !e.profile; }));
  f.tracking = track_rate(c.origin, events, samples, kTracked, c.packet);
  f.sawtooth = compare_sawtooth(c.origin, events, samples, c.packet, kSwing);
  return f;
}

std::vector<RateStats> RateWatch::figures() const {
  std::vector<RateStats> out;
  for (const Control& c : controls_) out.push_back(figures_of(c));
  return out;
}

std::optional<double> worst_tracking(const std::vector<RateStats>& figures) {
  std::optional<double> worst;
  for (const RateStats& f : figures) {
    if (f.tracking.windows != 0) keep_worst(worst, f.tracking.worst);
  }
  return worst;
}

std::optional<double> worst_sawtooth(const std::vector<RateStats>& figures) {
  std::optional<double> worst;
  for (const RateStats& f : figures) {
    if (const auto difference = f.sawtooth.difference()) keep_worst(worst, *difference);
  }
  return worst;
}

}  // namespace softfeb::lab
