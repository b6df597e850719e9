// SPDX-License-Identifier: BSD-3-Clause
#include "report/live_table.hpp"

#include "lab/flows.hpp"
#include "stats/board_rates.hpp"
#include "stats/goodput.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr double kViewGbps = 8e-9;  // of a byte per second
constexpr Time kViewInterval = 250 * kMillisecond;
constexpr Time kLineInterval = kSecond;
/// In virtual time: as often as that we look at our clock.
constexpr Time kVirtualInterval = 10 * kMillisecond;
/// A copy of so many queue pairs' figures four times a second would cost workers more than a hundredth.
constexpr std::size_t kManyQps = 4000;

std::optional<double> offered_by(const config::BoardConfig& board) {
  double sum = 0;
  for (const config::QpConfig& qp : board.qps) {
    const std::optional<double> one = stats::offered_gbps(qp);
    if (!one) return std::nullopt;
    sum += *one * qp.count;
  }
  return board.qps.empty() ? std::nullopt : std::optional(sum);
}

double per_second(std::uint64_t now, std::uint64_t before, Time length) {
  return length == 0 ? 0.0 : static_cast<double>(now - before) / to_seconds(length);
}

}  // namespace

LiveTable::LiveTable(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
                     const fabric::NetworkConfig* network, Clock clock, bool quiet)
    : config_(config),
      network_(network),
      clock_(clock),
      quiet_(quiet),
      own_rates_(config.boards.size()),
      deliveries_(config, plans),
      boards_(config.boards.size()) {
  const std::vector<bool> own = lab::own_rates(config, plans);
  for (std::size_t i = 0; i < plans.size(); ++i) own_rates_[plans[i].board].push_back(own[i]);
  std::size_t qps = 0;
  for (const config::BoardConfig& b : config.boards) {
    offered_.push_back(offered_by(b));
    for (const config::QpConfig& qp : b.qps) qps += qp.count;
  }
  interval_ = terminal_.moves() && qps < kManyQps ? kViewInterval : kLineInterval;
  if (clock_ == Clock::kVirtual) interval_ = kVirtualInterval;
  due_ = quiet_ ? kNever : interval_;
}

bool LiveTable::early() {
  if (clock_ == Clock::kReal) return false;
  const auto now = std::chrono::steady_clock::now();
  const auto least = std::chrono::milliseconds(terminal_.moves() ? 250 : 1000);
  if (!shown_) shown_ = now;
  if (now - *shown_ < least) return true;
  shown_ = now;
  return false;
}

void LiveTable::add(const stats::Sample& sample) {
  if (quiet_) return;
  due_ = (std::max(sample.at, due_) / interval_ + 1) * interval_;
  if (early()) return;
  const std::string now = line(sample);
  if (!terminal_.moves()) return terminal_.print(now);
  LiveView view;
  view.heading = heading(sample, now);
  for (std::size_t b = 0; b < boards_.size(); ++b) view.boards.push_back(board(b, sample));
  if (network_ != nullptr && sample.network != nullptr) {
    ports_.resize(sample.network->ports.size());
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      view.ports.push_back(port(p, sample.network->ports[p], sample.network->taken_at));
    }
  }
  const Terminal::Size size = terminal_.size();
  terminal_.show(lay_out(view, size.columns - 1, size.rows - 1, terminal_.colours()));
}

void LiveTable::end(const stats::Sample& sample) {
  due_ = kNever;
  if (quiet_ || !terminal_.moves()) return;
  // The result's table follows: it has it all.
  terminal_.clear();
  terminal_.print(line(sample));
}

void LiveTable::note(const std::string& text) {
  if (!quiet_) terminal_.print(text);
}

std::string LiveTable::line(const stats::Sample& sample) {
  std::uint64_t frames = 0, payload = 0, retransmitted = 0, completed = 0, failed = 0, cnps = 0, rnrs = 0,
                timeouts = 0;
  std::size_t unresolved = 0;
  for (const engine::EndpointSnapshot& e : *sample.endpoints) {
    frames += e.endpoint.tx_frames;
    unresolved += e.unresolved;
    for (const engine::SendQpSnapshot& qp : e.send_qps) {
      payload += qp.requester.payload_bytes;
      retransmitted += qp.requester.retransmitted_packets;
      completed += qp.requester.messages_completed;
      failed += qp.requester.messages_failed;
      cnps += qp.counters.cnp_rx;
      rnrs += qp.requester.rnr_rx;
      timeouts += qp.requester.timeouts;
    }
  }
  const Time length = sample.at - last_;
  std::string text = fmt::format("{:7.1f} s  {:10.4f} Mpps  {}  {} messages  {} retransmitted",
                                 to_seconds(sample.at), per_second(frames, last_frames_, length) * 1e-6,
                                 payload_rate(sample, payload, length), completed, retransmitted);
  if (failed != 0) text += fmt::format("  {} FAILED", failed);
  if (timeouts != 0) text += fmt::format("  {} timeouts", timeouts);
  if (rnrs != 0) text += fmt::format("  {} times receiver not ready", rnrs);
  if (cnps != 0) text += fmt::format("  {} CNPs", cnps);
  if (unresolved != 0) text += fmt::format("  waiting for ARP of {} neighbours", unresolved);
  if (sample.network != nullptr) {
    std::uint64_t dropped = 0, pauses = 0, queue = 0;
    for (const fabric::PortSnapshot& p : sample.network->ports) {
      dropped += p.dropped;
      pauses += p.pause_tx;
      queue = std::max(queue, p.queue_bytes_peak);
    }
    text += fmt::format("  longest queue {} KiB  {} pauses  {} dropped", queue >> 10, pauses, dropped);
  }
  if (clock_ == Clock::kVirtual) text += "  in virtual time";
  last_ = sample.at;
  last_frames_ = frames;
  last_payload_ = payload;
  return text;
}

/// RC counts first transmissions, because lost packets are sent again. UC counts what the receiver accepted,
/// because the network may drop the rest.
std::string LiveTable::payload_rate(const stats::Sample& sample, std::uint64_t payload, Time length) {
  stats::Delivered now;
  std::uint64_t rc = 0;
  for (std::size_t b = 0; b < boards_.size(); ++b) {
    const auto& qps = (*sample.endpoints)[b].send_qps;
    for (std::size_t i = 0; i < qps.size(); ++i) {
      if (qps[i].uc) {
        now += deliveries_.delivered(b, i, *sample.endpoints);
      } else {
        rc += qps[i].requester.payload_bytes;
      }
    }
  }
  now.acknowledged = rc;
  const auto known = stats::delivered_rate(last_delivered_, now, to_seconds(length), sample.origin);
  const double rate = known.value_or(per_second(payload, last_payload_, length));
  last_delivered_ = now;
  return fmt::format("{:9.3f} Gb/s payload{}", rate * kViewGbps, known ? "" : " sent");
}

std::string LiveTable::heading(const stats::Sample& sample, const std::string& line) const {
  std::size_t sending = 0;
  for (std::size_t b = 0; b < boards_.size(); ++b) {
    const config::BoardConfig& c = config_.boards[b];
    if (sample.at >= c.start && (!c.stop || sample.at < *c.stop)) ++sending;
  }
  return line + fmt::format("  {} of {} boards on", sending, boards_.size());
}

LiveView::Board LiveTable::board(std::size_t b, const stats::Sample& sample) {
  using Mood = LiveView::Mood;
  const config::BoardConfig& c = config_.boards[b];
  const engine::EndpointSnapshot& e = (*sample.endpoints)[b];
  const std::vector<bool>& own = own_rates_[b];
  LiveView::Board row;
  row.name = c.endpoint.name;
  row.offered_gbps = offered_[b];
  Sent now;
  now.at = std::max(e.taken_at, sample.origin) - sample.origin;
  std::uint64_t failed = 0;
  for (const engine::SendQpSnapshot& qp : e.send_qps) {
    now.counted_bytes += qp.counters.counted_bytes;
    row.cnps += qp.counters.cnp_rx;
    row.resent += qp.requester.retransmitted_packets;
    failed += qp.requester.messages_failed;
  }
  const stats::BoardRates rates = stats::board_rates(e, own.size(), [&own](std::size_t i) { return own[i]; });
  if (rates.controls != 0) row.rc_gbps = rates.rc * kViewGbps;
  const Time length = now.at > boards_[b].at ? now.at - boards_[b].at : 0;
  row.sent_gbps = per_second(now.counted_bytes, boards_[b].counted_bytes, length) * kViewGbps;
  if (length != 0) boards_[b] = now;

  const auto is = [&row](const char* state, Mood mood) {
    row.state = state;
    row.mood = mood;
  };
  if (sample.at < c.start) {
    is("waits", Mood::kDim);
  } else if (e.unresolved != 0) {
    is("ARP", Mood::kWarning);
  } else if (failed != 0) {
    is("failed", Mood::kBad);
  } else if (row.sent_gbps > 0) {
    is("sends", row.resent != 0 ? Mood::kWarning : Mood::kGood);
  } else if (e.finished || (c.stop && sample.at >= *c.stop)) {
    is("done", Mood::kDim);
  } else {
    is("idle", Mood::kPlain);
  }
  return row;
}

LiveView::Port LiveTable::port(std::size_t p, const fabric::PortSnapshot& s, Time at) {
  LiveView::Port row;
  row.name = port_name(s);
  const Time length = at > ports_[p].at ? at - ports_[p].at : 0;
  const double bytes = per_second(s.tx_wire_bytes, ports_[p].wire_bytes, length);
  if (length != 0) ports_[p] = {s.tx_wire_bytes, at};
  row.tx_gbps = bytes * kViewGbps;
  row.used = s.rate == 0 ? 0.0 : bytes / static_cast<double>(s.rate);
  row.queue = s.queue_bytes;
  row.peak = s.queue_bytes_peak;
  row.longest = s.queue_bytes_max;
  row.marked = s.ecn_marked;
  row.dropped = s.dropped;
  row.pauses = s.pause_tx;
  return row;
}

std::string LiveTable::port_name(const fabric::PortSnapshot& s) const {
  const auto name = [this](const fabric::NodeRef& node) {
    return node.kind == fabric::NodeRef::Kind::kSwitch ? network_->switches[node.index].name
                                                       : network_->stations[node.index].name;
  };
  return network_->switches[s.switch_index].name + "." + name(s.peer);
}

}  // namespace softfeb::report
