// SPDX-License-Identifier: BSD-3-Clause
#include "report/control_result.hpp"
#include "report/result.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr std::size_t kMaxRows = 16;

std::string gap_remark(const stats::Outcome& o) {
  const double share = stats::preempted_share(o);
  if (share < 0.01) return "";
  return fmt::format(
      "The machine was busy: a worker was preempted for {:.1f} % of the time (longest gap {:.1f} ms), so the "
      "rates above "
      "may be lower than on an idle machine.\n",
      100 * share, to_seconds(o.totals.loop.longest_gap) * 1e3);
}

constexpr const char* kQpHeading = "\n{:<12} {:>9} {:>12} {:>9} {:>10} {:>13} {:>10} {:>12} {:>9} {:>9}\n";

std::string qp_row(const std::string& board, roce::Qpn qpn, const engine::SendQpSnapshot& qp,
                   const stats::QpRates& f) {
  return fmt::format("{:<12} {:>#9x} {:>12} {:>9} {:>8.1f} M {:>13} {:>10.3f} {:>12} {:>9} {:>9}{}\n", board,
                     qpn, qp.requester.messages_completed, qp.requester.messages_failed,
                     static_cast<double>(qp.completed_payload_bytes) * 1e-6,
                     f.goodput_gbps ? fmt::format("{:.3f}", *f.goodput_gbps) : "-", f.tx_payload_gbps,
                     qp.requester.packets, qp.requester.retransmitted_packets, qp.requester.timeouts,
                     qp.on_bus ? "  by bus" : "");
}

/// Returns the rows of the QPs that were created over metadata buses. Adds the number of these QPs to
/// `rows`, including QPs that have no row because of kMaxRows.
std::string bus_rows(const config::RunConfig& config, const stats::Outcome& o, std::size_t& rows) {
  std::string t;
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    for (std::size_t i = 0; i < o.final[b].send_qps.size(); ++i) {
      const engine::SendQpSnapshot& qp = o.final[b].send_qps[i];
      if (!made_by_bus(qp) || ++rows > kMaxRows) continue;
      t += qp_row(config.boards[b].endpoint.name, qp.qpn, qp, stats::rates_of(b, i, o));
    }
  }
  return t;
}

/// Returns the tables of traffic generators and of streams of datagrams; empty if there are none.
std::string stream_rows(const config::RunConfig& config, const stats::Outcome& o) {
  using detector::StreamReason;
  std::string generators, streams;
  double sent = 0, received = 0;
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    const auto& c = o.final[b].traffic_gen;
    if (!c || c->end <= c->first) continue;
    const double gbps =
        static_cast<double>(c->datagram_bytes + c->write_bytes) * 8e-9 / to_seconds(c->end - c->first);
    sent += gbps;
    generators += fmt::format("{:<12} {:>12} {:>12} {:>13.3f}\n", config.boards[b].endpoint.name,
                              c->datagrams, c->writes, gbps);
  }
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    const auto& c = o.final[config.boards.size() + r].streams;
    if (!c) continue;
    const double gbps = stats::stream_goodput_gbps(o, config.boards.size(), r).value_or(0);
    received += gbps;
    streams += fmt::format("{:<12} {:>12} {:>9} {:>9} {:>12} {:>13.3f}\n", config.receivers[r].endpoint.name,
                           (*c)[detector::StreamVerdict::kAppended], (*c)[StreamReason::kFull],
                           (*c)[StreamReason::kTimeout], (*c)[detector::StreamVerdict::kNoBuffer], gbps);
  }
  std::string t;
  if (!generators.empty()) {
    t += fmt::format("\n{:<12} {:>12} {:>12} {:>13}\n", "generator", "datagrams", "WRITEs", "payload Gb/s") +
         generators + fmt::format("{:.3f} Gb/s of payload were generated.\n", sent);
  }
  if (!streams.empty()) {
    t += fmt::format("\n{:<12} {:>12} {:>9} {:>9} {:>12} {:>13}\n", "streams", "datagrams", "full", "timeout",
                     "no buffer", "goodput Gb/s") +
         streams + fmt::format("{:.3f} Gb/s of datagrams were received.\n", received);
  }
  return t;
}

/// Returns the line with the total payload rate. The rate is the total payload divided by the time measured.
/// Adding up the rates of the queue pairs would be wrong, because some queue pairs may have sent one after
/// the other.
std::string sum_line(const endpoints::Plans& plans, const stats::Outcome& o) {
  const double seconds = stats::measured_seconds(plans, o);
  if (seconds == 0) return "\nNo rate was measured. ";
  stats::GoodputTotal known;
  std::size_t unknown = 0;
  for (std::size_t b = 0; b < o.final.size(); ++b) {
    for (std::size_t i = 0; i < o.final[b].send_qps.size(); ++i) {
      const stats::QpRates f = stats::rates_of(b, i, o);
      if (f.payload_bytes) {
        known.add(f);
      } else {
        ++unknown;
      }
    }
  }
  std::string t = fmt::format("\n{:.3f} Gb/s of payload over {:.3f} s", known.gbps().value_or(0), seconds);
  if (unknown != 0)
    t += fmt::format(", excluding {} UC queue pair{} whose receiver does not report what it received",
                     unknown, unknown == 1 ? "" : "s");
  return t + ". ";
}

}  // namespace

std::string result_table(const config::RunConfig& config, const endpoints::Plans& plans,
                         const stats::Outcome& o, const endpoints::Endpoints& endpoints,
                         const lab::Judgement& judgement) {
  std::string t = fmt::format(kQpHeading, "board", "QP", "messages", "failed", "payload", "goodput Gb/s",
                              "sent Gb/s", "packets", "resent", "timeouts");
  std::size_t rows = 0;
  for (const endpoints::QpPlan& plan : plans.all()) {
    if (++rows > kMaxRows) continue;
    t += qp_row(config.boards[plan.board].endpoint.name, plan.qpn,
                o.final[plan.board].send_qps[plan.on_board], stats::rates_of(plan, o));
  }
  t += bus_rows(config, o, rows);
  if (rows > kMaxRows) {
    t += fmt::format("... and {} more QPs ({}: --json FILE)\n", rows - kMaxRows,
                     config.run.result_qps ? "a summary, and those that need attention" : "all of them");
  }
  if (!config.receivers.empty()) {
    t += fmt::format("\n{:<12} {:>9} {:>12} {:>9} {:>10} {:>10} {:>12} {:>9}\n", "receiver", "QPs",
                     "messages", "missing", "payload", "wrong", "packets", "iCRC bad");
  }
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    const engine::Receiver& receiver = *endpoints.receivers[r];
    std::uint64_t messages = 0, missing = 0, bytes = 0, wrong = 0, packets = 0;
    for (std::size_t i = 0; i < receiver.qp_count(); ++i) {
      const roce::ResponderCounters c = receiver.responder_counters(i);
      messages += c.messages;
      missing += receiver.qp(i).map().missing();
      bytes += c.payload_bytes;
      wrong += receiver.qp(i).bytes_wrong();
      packets += c.packets;
    }
    t += fmt::format("{:<12} {:>9} {:>12} {:>9} {:>8.1f} M {:>10} {:>12} {:>9}\n",
                     config.receivers[r].endpoint.name, receiver.qp_count(), messages, missing,
                     static_cast<double>(bytes) * 1e-6, wrong, packets, receiver.counters().rx_icrc_errors);
  }
  const std::string streams = stream_rows(config, o);
  t += streams;
  t += streams.empty() || stats::measured_seconds(plans, o) > 0 ? sum_line(plans, o) : "\n";
  t += judgement.held() ? "All checks held.\n" : "A CHECK FAILED:\n";
  for (const lab::Check& c : judgement.checks) {
    if (!c.held) {
      t += fmt::format("  {}: {} violation{} (allowed: {})\n", c.name, c.value, c.value == 1 ? "" : "s",
                       c.limit);
    }
  }
  for (const std::string& m : judgement.messages) t += "  " + m + "\n";
  return t + gap_remark(o);
}

}  // namespace softfeb::report
