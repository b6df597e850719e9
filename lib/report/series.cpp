// SPDX-License-Identifier: BSD-3-Clause
#include "report/series.hpp"

#include "dataplane/error.hpp"
#include "endpoints/qp_congestion.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr const char* kPerQp =
    "time_s,board,qpn,rc_gbps,rt_gbps,alpha,sent_gbps,goodput_gbps,cnp_rx,retransmitted";
constexpr const char* kPerBoard =
    "time_s,board,qps,rc_gbps,rc_min_gbps,rc_max_gbps,rt_gbps,alpha_mean,sent_gbps,goodput_gbps,cnp_rx,"
    "retransmitted";
constexpr const char* kStatePerQp = ",rtt_us,window_bytes,utilization,target_delay_us";
constexpr const char* kStatePerBoard = ",rtt_mean_us,window_mean_bytes,utilization_mean,target_delay_mean_us";

constexpr double kGbps = 8e-9;     // Gb/s per byte per second
constexpr double kSeriesUs = 1e6;  // microseconds per second

std::optional<double> scaled(const std::optional<double>& value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

/// True if a queue pair has an algorithm other than DCQCN.
bool has_other_algorithm(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans) {
  return std::any_of(plans.begin(), plans.end(), [&](const endpoints::QpPlan& plan) {
    return endpoints::congestion_config_of(config.boards[plan.board], *plan.config).algorithm ==
           config::CongestionConfig::Algorithm::kOther;
  });
}

}  // namespace

Series::Series(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
               const std::string& path)
    : plans_(plans),
      plans_of_(config.boards.size()),
      rates_(config, plans),
      file_(path),
      interval_(config.run.series_interval),
      due_(interval_),
      per_board_(plans.size() > config.run.series_qps),
      state_columns_(has_other_algorithm(config, plans)) {
  for (const auto& b : config.boards) boards_.push_back(b.endpoint.name);
  for (std::size_t i = 0; i < plans.size(); ++i) plans_of_[plans[i].board].push_back(i);
  text_ = per_board_ ? kPerBoard : kPerQp;
  if (state_columns_) text_ += per_board_ ? kStatePerBoard : kStatePerQp;
  file_.write(text_ + '\n');
  text_.clear();
}

void Series::append(const std::optional<double>& value) {
  text_ += ',';
  if (value) fmt::format_to(std::back_inserter(text_), "{:.9g}", *value);
}

void Series::append_rate(const stats::ControlState& control, double rate) {
  append(control.controls != 0 ? std::optional(rate * kGbps) : std::nullopt);
}

void Series::append_qp(const endpoints::QpPlan& plan, const stats::SendInterval& qp) {
  const stats::ControlState& c = qp.control;
  fmt::format_to(std::back_inserter(text_), "{:#x}", plan.qpn);
  append_rate(c, c.rc);
  append_rate(c, c.rt);
  append_rates(qp);
}

void Series::append_sum(const stats::SendInterval& sum) {
  const stats::ControlState& c = sum.control;
  fmt::format_to(std::back_inserter(text_), "{}", sum.qps);
  for (const double rate : {c.rc, c.rc_min, c.rc_max, c.rt}) append_rate(c, rate);
  append_rates(sum);
}

void Series::append_rates(const stats::SendInterval& row) {
  append(row.control.alpha.mean());
  append(row.sent * kGbps);
  append(scaled(row.goodput, kGbps));
  fmt::format_to(std::back_inserter(text_), ",{},{}", row.counts.cnps, row.counts.retransmitted);
  if (state_columns_) append_state(row.control);
  text_ += '\n';
}

void Series::append_state(const stats::ControlState& control) {
  append(scaled(control.rtt.mean(), kSeriesUs));
  append(control.window.mean());
  append(control.utilization.mean());
  append(scaled(control.target_delay.mean(), kSeriesUs));
}

void Series::append_board(std::size_t b, const stats::BoardInterval& board) {
  const auto begin_row = [&] {
    fmt::format_to(std::back_inserter(text_), "{:.9f},{},", board.at, boards_[b]);
  };
  if (board.seconds <= 0 || plans_of_[b].empty()) return;
  if (per_board_) {
    begin_row();
    return append_sum(board.configured);
  }
  for (const std::size_t i : plans_of_[b]) {
    begin_row();
    append_qp(plans_[i], board.qps[plans_[i].on_board]);
  }
}

void Series::add(const stats::Sample& sample) {
  if (!failure_.empty()) return;
  Time now = std::max(sample.at, due_);
  const stats::RunInterval& interval = rates_.add(sample);
  for (std::size_t b = 0; b < boards_.size(); ++b) {
    const engine::EndpointSnapshot& e = (*sample.endpoints)[b];
    append_board(b, interval.boards[b]);
    if (e.taken_at > sample.origin) now = std::max(now, e.taken_at - sample.origin);
  }
  due_ = (now / interval_ + 1) * interval_;
  try {
    file_.write(text_);
  } catch (const dataplane::EnvironmentError& e) {
    failure_ = e.reason();
  }
  text_.clear();
}

void Series::end(const stats::Sample& sample) {
  add(sample);
  due_ = kNever;
}

void Series::finish() {
  if (!failure_.empty()) throw dataplane::EnvironmentError(failure_, "free space on that disk");
  file_.commit();
}

}  // namespace softfeb::report
