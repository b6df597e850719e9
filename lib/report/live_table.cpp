// SPDX-License-Identifier: BSD-3-Clause
#include "report/live_table.hpp"

#include "report/port_series.hpp"
#include "stats/goodput.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr double kViewGbps = 8e-9;  // Gb/s per byte per second
constexpr Time kViewInterval = 250 * kMillisecond;
constexpr Time kLineInterval = kSecond;
/// Virtual time between two reads of the wall clock.
constexpr Time kVirtualInterval = 10 * kMillisecond;
/// With this number of queue pairs or more, four snapshots a second would cost the workers more than 1 % of
/// their time.
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

LiveView::Port port_row(const std::string& name, const stats::PortInterval& port) {
  return {.name = name,
          .tx_gbps = port.sent * kViewGbps,
          .used = port.used,
          .queue = port.queue,
          .peak = port.peak,
          .longest = port.longest,
          .marked = port.total.ecn_marked,
          .dropped = port.total.dropped,
          .pauses = port.total.pause_tx};
}

}  // namespace

LiveTable::LiveTable(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
                     const fabric::NetworkConfig* network, Clock clock, bool quiet)
    : config_(config), network_(network), clock_(clock), quiet_(quiet), rates_(config, plans) {
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
  if (quiet_ || !service::log().writes(service::Level::kInfo)) return;
  due_ = (std::max(sample.at, due_) / interval_ + 1) * interval_;
  if (early()) return;
  const stats::RunInterval& interval = rates_.add(sample);
  const std::string now = line(sample, interval);
  if (!terminal_.moves()) return terminal_.print(now, service::Level::kInfo);
  LiveView view;
  view.heading = heading(sample, now);
  for (std::size_t b = 0; b < interval.boards.size(); ++b)
    view.boards.push_back(board(b, sample, interval.boards[b]));
  if (network_ != nullptr && sample.network != nullptr) {
    if (port_names_.empty()) port_names_ = port_names(*network_, *sample.network);
    for (std::size_t p = 0; p < interval.ports.size(); ++p)
      view.ports.push_back(port_row(port_names_[p], interval.ports[p]));
  }
  const Terminal::Size size = terminal_.size();
  terminal_.show(lay_out(view, size.columns - 1, size.rows - 1, terminal_.colours()));
}

void LiveTable::end(const stats::Sample& sample) {
  due_ = kNever;
  if (quiet_ || !terminal_.moves()) return;
  // Erase the live table: the result's table follows and is more complete.
  terminal_.clear();
  terminal_.print(line(sample, rates_.add(sample)));
}

void LiveTable::note(const std::string& text) {
  if (!quiet_) terminal_.print(text);
}

std::string LiveTable::line(const stats::Sample& sample, const stats::RunInterval& interval) const {
  const stats::SendCounts& n = interval.total;
  const bool known = interval.sum.carried.has_value();
  std::string text =
      fmt::format("{:7.1f} s  {:10.4f} Mpps  {:9.3f} Gb/s payload{}  {} messages  {} retransmitted",
                  to_seconds(sample.at), interval.frames * 1e-6,
                  interval.sum.carried.value_or(interval.sum.payload) * kViewGbps, known ? "" : " sent",
                  n.completed, n.retransmitted);
  if (n.failed != 0) text += fmt::format("  {} FAILED", n.failed);
  if (n.timeouts != 0) text += fmt::format("  {} timeouts", n.timeouts);
  if (n.rnr_naks != 0) text += fmt::format("  {} RNR NAKs", n.rnr_naks);
  if (n.cnps != 0) text += fmt::format("  {} CNPs", n.cnps);
  std::size_t unresolved = 0;
  for (const engine::EndpointSnapshot& e : *sample.endpoints) unresolved += e.unresolved;
  if (unresolved != 0) text += fmt::format("  {} neighbours unresolved", unresolved);
  if (sample.network != nullptr) {
    std::uint64_t queue = 0;
    for (const stats::PortInterval& p : interval.ports) queue = std::max(queue, p.peak);
    text += fmt::format("  longest queue {} KiB  {} pauses  {} dropped", queue >> 10,
                        interval.ports_total.pause_tx, interval.ports_total.dropped);
  }
  if (clock_ == Clock::kVirtual) text += "  virtual time";
  return text;
}

std::string LiveTable::heading(const stats::Sample& sample, const std::string& line) const {
  std::size_t sending = 0;
  for (const config::BoardConfig& c : config_.boards) {
    if (sample.at >= c.start && (!c.stop || sample.at < *c.stop)) ++sending;
  }
  return line + fmt::format("  {} of {} boards active", sending, config_.boards.size());
}

LiveView::Board LiveTable::board(std::size_t b, const stats::Sample& sample,
                                 const stats::BoardInterval& interval) const {
  using Mood = LiveView::Mood;
  const config::BoardConfig& c = config_.boards[b];
  const engine::EndpointSnapshot& e = (*sample.endpoints)[b];
  LiveView::Board row;
  row.name = c.endpoint.name;
  row.offered_gbps = offered_[b];
  row.cnps = interval.total.cnps;
  row.resent = interval.total.retransmitted;
  const stats::ControlState& control = interval.all.control;
  if (control.controls != 0) row.rc_gbps = control.rc * kViewGbps;
  if (const auto rtt = control.rtt.mean()) row.rtt_us = *rtt * 1e6;
  row.window_bytes = control.window.mean();
  row.sent_gbps = interval.all.sent * kViewGbps;

  const auto is = [&row](const char* state, Mood mood) {
    row.state = state;
    row.mood = mood;
  };
  if (sample.at < c.start) {
    is("waits", Mood::kDim);
  } else if (e.unresolved != 0) {
    is("ARP", Mood::kWarning);
  } else if (interval.total.failed != 0) {
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

}  // namespace softfeb::report
