// SPDX-License-Identifier: BSD-3-Clause
#include "report/series.hpp"

#include "dataplane/error.hpp"
#include "lab/flows.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr const char* kPerQp =
    "time_s,board,qpn,rc_gbps,rt_gbps,alpha,sent_gbps,goodput_gbps,cnp_rx,retransmitted\n";
constexpr const char* kPerBoard =
    "time_s,board,qps,rc_gbps,rc_min_gbps,rc_max_gbps,rt_gbps,alpha_mean,sent_gbps,goodput_gbps,cnp_rx,"
    "retransmitted\n";

constexpr double kGbps = 8e-9;  // of a byte per second

}  // namespace

/// Of one QP, or the sum of a board's.
struct Series::Row {
  std::string_view board;
  std::uint32_t qpn = 0;
  std::size_t qps = 0;
  std::size_t controlled = 0;  ///< QPs with a congestion control, of which the next five are
  double rc = 0;
  double rc_min = 0;
  double rc_max = 0;
  double rt = 0;
  double alpha = 0;
  std::optional<double> goodput = 0;  ///< bytes per second
  std::uint64_t counted_bytes = 0;    ///< this and the next two in the interval
  std::uint64_t cnps = 0;
  std::uint64_t retransmitted = 0;

  void add(const Row& qp, bool own_rate) {
    ++qps;
    if (qp.controlled != 0 && own_rate) {
      rc_min = controlled == 0 ? qp.rc : std::min(rc_min, qp.rc);
      rc_max = std::max(rc_max, qp.rc);
      rc += qp.rc;
      rt += qp.rt;
      alpha += qp.alpha;
      ++controlled;
    }
    goodput = goodput && qp.goodput ? std::optional(*goodput + *qp.goodput) : std::nullopt;
    counted_bytes += qp.counted_bytes;
    cnps += qp.cnps;
    retransmitted += qp.retransmitted;
  }
};

Series::Series(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
               const std::string& path)
    : plans_(plans),
      plans_of_(config.boards.size()),
      before_(plans.size()),
      deliveries_(config, plans),
      own_rate_(lab::own_rates(config, plans)),
      last_ns_(config.boards.size(), 0),
      file_(path),
      interval_(config.run.series_interval),
      due_(interval_),
      aggregated_(plans.size() > config.run.series_qps) {
  for (const auto& b : config.boards) boards_.push_back(b.endpoint.name);
  for (std::size_t i = 0; i < plans.size(); ++i) plans_of_[plans[i].board].push_back(i);
  file_.write(aggregated_ ? kPerBoard : kPerQp);
}

Series::Row Series::take(std::size_t i, const stats::Sample& sample, double interval) {
  const endpoints::QpPlan& plan = plans_[i];
  const engine::SendQpSnapshot& qp = (*sample.endpoints)[plan.board].send_qps[plan.on_board];
  Row row;
  row.board = boards_[plan.board];
  row.qpn = plan.qpn;
  if (qp.congestion) {
    row.controlled = 1;
    row.rc = static_cast<double>(qp.congestion->rate) * kGbps;
    row.rt = static_cast<double>(qp.congestion->target_rate) * kGbps;
    row.alpha = static_cast<double>(qp.congestion->alpha) / qp.congestion->alpha_one;
  }
  Before& before = before_[i];
  const Before now{qp.counters.counted_bytes,
                   deliveries_.delivered(plan.board, plan.on_board, *sample.endpoints), qp.counters.cnp_rx,
                   qp.requester.retransmitted_packets};
  row.goodput = stats::delivered_rate(before.delivered, now.delivered, interval, sample.origin);
  row.counted_bytes = now.counted_bytes - before.counted_bytes;
  row.cnps = now.cnps - before.cnps;
  row.retransmitted = now.retransmitted - before.retransmitted;
  before = now;
  return row;
}

void Series::append(const Row& row, double seconds, double interval) {
  const auto out = std::back_inserter(text_);
  const auto number = [&](bool there, double v) {
    text_ += ',';
    if (there) fmt::format_to(out, "{:.9g}", v);
  };
  const bool rates = row.controlled != 0;
  fmt::format_to(out, "{:.9f},{},", seconds, row.board);
  if (aggregated_) {
    fmt::format_to(out, "{}", row.qps);
  } else {
    fmt::format_to(out, "{:#x}", row.qpn);
  }
  number(rates, row.rc);
  if (aggregated_) {
    number(rates, row.rc_min);
    number(rates, row.rc_max);
  }
  number(rates, row.rt);
  number(rates,
         aggregated_ ? row.alpha / static_cast<double>(std::max<std::size_t>(1, row.controlled)) : row.alpha);
  number(true, static_cast<double>(row.counted_bytes) * kGbps / interval);
  number(row.goodput.has_value(), row.goodput.value_or(0) * kGbps);
  fmt::format_to(out, ",{},{}\n", row.cnps, row.retransmitted);
}

void Series::add_board(std::size_t board, const stats::Sample& sample) {
  const engine::EndpointSnapshot& e = (*sample.endpoints)[board];
  const Time origin = sample.origin;
  // In whole nanoseconds, as it is written: who multiplies a rate by the time between two rows gets the
  // bytes.
  const std::uint64_t ns = e.taken_at > origin ? (e.taken_at - origin) / kNanosecond : 0;
  if (ns <= last_ns_[board]) return;  // what has happened stays for the next sample
  const double interval = static_cast<double>(ns - last_ns_[board]) * 1e-9;
  last_ns_[board] = ns;
  Row sum;
  for (const std::size_t i : plans_of_[board]) {
    const Row row = take(i, sample, interval);
    sum.add(row, own_rate_[i]);
    if (!aggregated_) append(row, static_cast<double>(ns) * 1e-9, interval);
  }
  sum.board = boards_[board];
  if (aggregated_ && sum.qps != 0) append(sum, static_cast<double>(ns) * 1e-9, interval);
}

void Series::add(const stats::Sample& sample) {
  if (!failure_.empty()) return;
  Time now = std::max(sample.at, due_);
  for (std::size_t b = 0; b < boards_.size(); ++b) {
    const engine::EndpointSnapshot& e = (*sample.endpoints)[b];
    add_board(b, sample);
    if (e.taken_at > sample.origin) now = std::max(now, e.taken_at - sample.origin);
  }
  due_ = (now / interval_ + 1) * interval_;
  try {
    file_.write(text_);
  } catch (const dataplane::EnvironmentError& e) {
    failure_ = e.what();
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
