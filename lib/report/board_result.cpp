// SPDX-License-Identifier: BSD-3-Clause
#include "report/board_result.hpp"

#include "endpoints/qp_congestion.hpp"
#include "report/congestion_result.hpp"
#include "report/control_result.hpp"
#include "report/result_qps.hpp"
#include "stats/goodput.hpp"

#include <algorithm>
#include <vector>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); }

double gbps(std::uint64_t bytes_per_second) { return static_cast<double>(bytes_per_second) * 8e-9; }

/// Returns the rate at which the QP is paced; nullopt if it is not paced.
std::optional<double> rc_gbps(const engine::SendQpSnapshot& s, const stats::QpRates& f) {
  return s.congestion ? gbps(s.congestion->rate) : f.offered_gbps;
}

std::uint64_t naks(const roce::RequesterCounters& r) {
  return r.nak_sequence_rx + r.nak_invalid_request_rx + r.nak_remote_access_rx + r.nak_remote_operational_rx +
         r.nak_invalid_rd_rx;
}

/// Returns null for algorithms that have no alpha.
Json alpha(const congestion::CongestionState& c) { return or_null(stats::alpha_of(c)); }

Json send_qp(const endpoints::QpPlan& plan, const config::CongestionConfig& congestion,
             const stats::Outcome& o) {
  const engine::SendQpSnapshot& s = o.final[plan.board].send_qps[plan.on_board];
  const roce::RequesterCounters& r = s.requester;
  const stats::QpRates f = stats::rates_of(plan, o);
  Json j{{"qpn", plan.qpn},
         {"dest_qpn", plan.target.qpn},
         {"dest_ip", plan.target.ip.to_string()},
         {"transport", plan.config->transport == roce::Transport::kRc ? "RC" : "UC"},
         {"tx_packets", r.packets},
         {"tx_payload_bytes", r.payload_bytes},
         {"tx_counted_bytes", s.counters.counted_bytes}};
  stats::add_rates(j, f);
  j.update({{"messages_posted", s.messages_made},
            {"messages_completed", r.messages_completed},
            {"messages_failed", r.messages_failed},
            {"first_failure", s.failure ? Json(roce::to_string(*s.failure)) : Json(nullptr)},
            {"first_failure_status", s.failure ? Json(static_cast<unsigned>(*s.failure)) : Json(nullptr)},
            {"retransmitted_packets", r.retransmitted_packets},
            {"timeouts", r.timeouts},
            {"ack_rx", r.ack_rx},
            {"nak_rx",
             {{"sequence", r.nak_sequence_rx},
              {"invalid_request", r.nak_invalid_request_rx},
              {"remote_access", r.nak_remote_access_rx},
              {"remote_operational", r.nak_remote_operational_rx},
              {"invalid_rd_request", r.nak_invalid_rd_rx}}},
            {"rnr_rx", r.rnr_rx},
            {"responses_ignored", r.responses_ignored},
            {"cnp_rx", s.counters.cnp_rx},
            {"offered_gbps", or_null(f.offered_gbps)},
            {"rate_error", or_null(f.rate_error)},
            {"rc_gbps", or_null(rc_gbps(s, f))},
            {"rt_gbps", s.congestion ? Json(gbps(s.congestion->target_rate)) : Json(nullptr)},
            {"alpha", s.congestion ? alpha(*s.congestion) : Json(nullptr)},
            {"pacing_given_up_s", to_seconds(s.pacing_given_up)},
            {"congestion", congestion_result(congestion, stats::control_of(s))}});
  if (s.congestion) add_plugin_state(j["congestion"], *s.congestion);
  return j;
}

/// Determines whether a QP failed or had trouble.
Attention attention_to(const engine::SendQpSnapshot& s) {
  const roce::RequesterCounters& r = s.requester;
  const bool given_up = s.failure || r.messages_failed != 0 || s.counters.completions_out_of_order != 0;
  if (given_up || s.messages_made != r.messages_completed || (!s.on_bus && !s.resolved))
    return Attention::kFailed;
  const bool trouble = r.retransmitted_packets != 0 || r.timeouts != 0 || naks(r) != 0 || r.rnr_rx != 0;
  return trouble ? Attention::kTrouble : Attention::kNone;
}

/// Sums over a board's QPs.
class Totals {
 public:
  void add(const engine::SendQpSnapshot& s) {
    sum_ += s.requester;
    counted_ += s.counters.counted_bytes;
    made_ += s.messages_made;
    cnps_ += s.counters.cnp_rx;
  }
  void put(Json& summary) const {
    summary["tx_packets"] = sum_.packets;
    summary["tx_payload_bytes"] = sum_.payload_bytes;
    summary["tx_counted_bytes"] = counted_;
    summary["messages_posted"] = made_;
    summary["messages_completed"] = sum_.messages_completed;
    summary["messages_failed"] = sum_.messages_failed;
    summary["retransmitted_packets"] = sum_.retransmitted_packets;
    summary["timeouts"] = sum_.timeouts;
    summary["ack_rx"] = sum_.ack_rx;
    summary["nak_rx"] = naks(sum_);
    summary["rnr_rx"] = sum_.rnr_rx;
    summary["cnp_rx"] = cnps_;
  }

 private:
  roce::RequesterCounters sum_;
  std::uint64_t counted_ = 0, made_ = 0, cnps_ = 0;
};

/// A board's queue pairs: first those of the configuration, then those created over the metadata bus.
class BoardQps {
 public:
  BoardQps(const config::BoardConfig& config, const endpoints::Plans& plans, const stats::Outcome& o,
           std::size_t board)
      : config_(config), o_(o), board_(board) {
    for (const endpoints::QpPlan& plan : plans.all()) {
      if (plan.board == board) add(plan);
    }
    const auto& all = o.final[board].send_qps;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (made_by_bus(all[i])) add_bus(i);
    }
  }

  Json goodput_gbps() const { return or_null(goodput_total_.gbps()); }
  double tx_payload_gbps() const { return tx_payload_gbps_; }

  /// Adds the members `congestion`, `summary` and `qps`.
  void put(Json& board, std::optional<std::uint32_t> limit) const {
    Json qps = Json::array();
    for (const std::size_t i : listed_qps(attention_, limit))
      qps.push_back(i < plans_.size() ? configured_qp(*plans_[i]) : bus_qp(bus_[i - plans_.size()]));
    Json summary = qp_numbers(attention_, qps.size());
    totals_.put(summary);
    summary["goodput_gbps"] = spread(goodput_);
    summary["rate_error"] = spread(rate_error_);
    summary["rc_gbps"] = spread(rc_);
    board["congestion"] = congestion_.json();
    board["summary"] = std::move(summary);
    board["qps"] = std::move(qps);
  }

 private:
  void add(const endpoints::QpPlan& plan) {
    plans_.push_back(&plan);
    const engine::SendQpSnapshot& s = o_.final[board_].send_qps[plan.on_board];
    count(s);
    const stats::QpRates f = stats::rates_of(plan, o_);
    count(f);
    if (f.rate_error) rate_error_.push_back(*f.rate_error);
    if (const auto rc = rc_gbps(s, f)) rc_.push_back(*rc);
    congestion_.add(congestion_of(plan), stats::control_of(s));
  }
  void add_bus(std::size_t qp) {
    bus_.push_back(qp);
    count(o_.final[board_].send_qps[qp]);
    count(stats::rates_of(board_, qp, o_));
  }
  const config::CongestionConfig& congestion_of(const endpoints::QpPlan& plan) const {
    return endpoints::congestion_config_of(config_, *plan.config);
  }
  Json configured_qp(const endpoints::QpPlan& plan) const { return send_qp(plan, congestion_of(plan), o_); }
  Json bus_qp(std::size_t qp) const {
    return bus_qp_result(o_.final[board_].send_qps[qp], stats::rates_of(board_, qp, o_));
  }
  void count(const stats::QpRates& f) {
    goodput_total_.add(f);
    tx_payload_gbps_ += f.tx_payload_gbps;
    if (f.goodput_gbps) goodput_.push_back(*f.goodput_gbps);
  }
  void count(const engine::SendQpSnapshot& s) {
    attention_.push_back(attention_to(s));
    totals_.add(s);
  }

  const config::BoardConfig& config_;
  const stats::Outcome& o_;
  std::size_t board_;
  std::vector<const endpoints::QpPlan*> plans_;
  std::vector<std::size_t> bus_;  ///< indices of the QPs that were created over the metadata bus
  std::vector<Attention> attention_;
  Totals totals_;
  CongestionSummary congestion_;
  stats::GoodputTotal goodput_total_;
  double tx_payload_gbps_ = 0;
  std::vector<double> goodput_, rate_error_, rc_;
};

std::size_t unresolved_qps(const engine::EndpointSnapshot& e) {
  return static_cast<std::size_t>(std::count_if(e.send_qps.begin(), e.send_qps.end(),
                                                [](const auto& qp) { return !qp.on_bus && !qp.resolved; }));
}

/// Returns null if a next hop has not been resolved.
Json resolution_ms(const engine::EndpointSnapshot& e) {
  return e.resolution_took == kNever ? Json(nullptr) : Json(to_seconds(e.resolution_took) * 1e3);
}

}  // namespace

Json board_result(const config::RunConfig& config, const endpoints::Plans& plans, const stats::Outcome& o,
                  std::size_t b) {
  const engine::EndpointSnapshot& e = o.final[b];
  const BoardQps qps(config.boards[b], plans, o, b);
  Json j{{"name", config.boards[b].endpoint.name},
         {"ip", config.boards[b].endpoint.ip.to_string()},
         {"goodput_gbps", qps.goodput_gbps()},
         {"tx_payload_gbps", qps.tx_payload_gbps()},
         {"tx_frames", e.endpoint.tx_frames},
         {"tx_bytes", e.endpoint.tx_bytes},
         {"rx_frames", e.endpoint.rx_frames},
         {"icrc_errors", e.endpoint.rx_icrc_errors},
         {"rx_unknown_qp", e.endpoint.rx_unknown_qp},
         {"rx_wrong_peer", e.endpoint.rx_wrong_peer},
         {"rx_malformed", e.endpoint.rx_bad_transport},
         {"rx_bad_cch", e.endpoint.rx_bad_cch},
         {"rx_other", e.endpoint.rx_other},
         {"rx_pause", e.endpoint.rx_pause},
         {"paused_s", to_seconds(e.paused)},
         {"arp_requests_tx", e.host.arp_requests_tx},
         {"ecn_ce", e.endpoint.rx_ce},
         {"unresolved_qps", unresolved_qps(e)},
         {"resolution_ms", resolution_ms(e)}};
  qps.put(j, config.run.result_qps);
  return j;
}

}  // namespace softfeb::report
