// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/metrics.hpp"

#include "congestion/algorithm.hpp"
#include "latency/stage_table.hpp"
#include "telemetry/metric_tables.hpp"
#include "telemetry/traffic_metrics.hpp"

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace softfeb::telemetry {

namespace {

using engine::EndpointSnapshot;
using engine::SendQpSnapshot;

constexpr const char* kCounter = PrometheusText::kCounter;
constexpr const char* kGauge = PrometheusText::kGauge;

std::string decimal(std::uint64_t n) { return std::to_string(n); }

void write_boards(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  for (const SendQpMetric& m : send_qp_metrics()) {
    out.family(std::string("softfeb_board_") + m.name, kCounter, m.help);
    for (std::size_t b = 0; b < info.boards.size(); ++b)
      out.series({{"board", info.boards[b].name}}, m.sum((*sample.endpoints)[b]));
  }
}

/// Writes the delivered payload of each board. The rate of this counter is the goodput. Omits boards that
/// send over UC to an external receiver, because their delivered payload is unknown.
void write_deliveries(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  out.family("softfeb_board_delivered_payload_bytes_total", kCounter,
             "Payload bytes of messages that arrived completely at their receivers.");
  for (std::size_t b = 0; b < info.boards.size(); ++b) {
    const stats::Delivered d = info.deliveries.delivered(b, *sample.endpoints);
    if (d.known) out.series({{"board", info.boards[b].name}}, d.acknowledged + d.received);
  }
}

void write_marked_acks(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  out.family("softfeb_board_ce_acks_total", kCounter, "ACKs and NAKs received with Congestion Experienced.");
  for (std::size_t b = 0; b < info.boards.size(); ++b)
    out.series({{"board", info.boards[b].name}}, (*sample.endpoints)[b].endpoint.rx_ce);
}

/// Writes the metrics of each QP's congestion control. Omits QPs without congestion control. Also omits
/// families that would have no series because no algorithm of the run has the quantity.
void write_rates(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  for (const CongestionMetric& m : congestion_metrics()) {
    bool begun = false;
    for (std::size_t b = 0; b < info.boards.size(); ++b) {
      const EndpointSnapshot& e = (*sample.endpoints)[b];
      for (std::size_t i = 0; i < e.send_qps.size(); ++i) {
        const SendQpSnapshot& qp = e.send_qps[i];
        if (!qp.exists || !qp.congestion) continue;
        const std::optional<double> value = m.value(*qp.congestion);
        if (!value) continue;
        if (!std::exchange(begun, true)) out.family(std::string("softfeb_qp_") + m.name, kGauge, m.help);
        out.series({{"board", info.boards[b].name}, {"qp", decimal(i)}}, *value);
      }
    }
  }
}

/// Writes the counters of plug-ins, a family for each name.
void write_plugin_counters(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  struct Series {
    std::size_t board, qp;
    double value;
  };
  std::map<std::string_view, std::pair<const congestion::Parameter*, std::vector<Series>>> families;
  for (std::size_t b = 0; b < info.boards.size(); ++b) {
    const auto& qps = (*sample.endpoints)[b].send_qps;
    for (std::size_t i = 0; i < qps.size(); ++i) {
      if (!qps[i].exists || !qps[i].congestion) continue;
      const congestion::CongestionState& s = *qps[i].congestion;
      for (std::size_t k = 0; k < s.counter_count; ++k) {
        auto& [about, series] = families[s.counter_names[k].name];
        about = &s.counter_names[k];
        series.push_back({b, i, s.counters[k]});
      }
    }
  }
  for (const auto& [name, family] : families) {
    out.family("softfeb_qp_plugin_" + std::string(name), kGauge, std::string(family.first->text));
    for (const Series& s : family.second)
      out.series({{"board", info.boards[s.board].name}, {"qp", decimal(s.qp)}}, s.value);
  }
}

void write_qps(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  if (info.qps() > kQpSeries) return;
  for (const SendQpMetric& m : send_qp_metrics()) {
    out.family(std::string("softfeb_qp_") + m.name, kCounter, m.help);
    for (std::size_t b = 0; b < info.boards.size(); ++b) {
      const EndpointSnapshot& e = (*sample.endpoints)[b];
      for (std::size_t i = 0; i < e.send_qps.size(); ++i)
        out.series({{"board", info.boards[b].name}, {"qp", decimal(i)}}, m.value(e.send_qps[i]));
    }
  }
  write_rates(out, info, sample);
  write_plugin_counters(out, info, sample);
}

void write_receivers(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  for (const ReceiverMetric& m : receiver_metrics()) {
    out.family(std::string("softfeb_receiver_") + m.name, kCounter, m.help);
    for (std::size_t r = 0; r < info.receivers.size(); ++r)
      out.series({{"receiver", info.receivers[r]}}, m.value((*sample.endpoints)[info.boards.size() + r]));
  }
}

void write_endpoints(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  const auto each = [&](const auto& write) {
    for (std::size_t i = 0; i < info.boards.size() + info.receivers.size(); ++i) {
      const bool board = i < info.boards.size();
      write(board ? info.boards[i].name : info.receivers[i - info.boards.size()],
            (*sample.endpoints)[i].endpoint);
    }
  };
  for (const EndpointMetric& m : endpoint_metrics()) {
    out.family(std::string("softfeb_endpoint_") + m.name, kCounter, m.help);
    each([&](const std::string& name, const engine::EndpointCounters& e) {
      out.series({{"endpoint", name}}, m.value(e));
    });
  }
  out.family("softfeb_endpoint_dropped_frames_total", kCounter, "Frames received and dropped, by reason.");
  each([&](const std::string& name, const engine::EndpointCounters& e) {
    for (const DropReason& d : drop_reasons())
      out.series({{"endpoint", name}, {"reason", d.reason}}, d.value(e));
  });
}

void write_ports(PrometheusText& out, const RunInfo& info, const fabric::NetworkSnapshot& network) {
  for (const PortMetric& m : port_metrics()) {
    out.family(std::string("softfeb_switch_port_") + m.name, m.counter ? kCounter : kGauge, m.help);
    for (std::size_t p = 0; p < info.ports.size(); ++p) {
      const Labels labels{{"switch", info.ports[p].switch_name}, {"peer", info.ports[p].peer}};
      if (m.seconds != nullptr) {
        out.series(labels, m.seconds(network.ports[p]));
      } else {
        out.series(labels, m.value(network.ports[p]));
      }
    }
  }
  out.family("softfeb_network_packets_total", kCounter, "Packets in all switches and links, by fate.");
  for (const PacketFate& f : packet_fates()) out.series({{"fate", f.fate}}, f.value(network.totals));
  out.family("softfeb_network_packets_inside", kGauge, "Packets queued or on a link.");
  out.series({}, network.totals.in_network);
}

/// Writes the times that messages took from one stage to another, as a summary for each pair of stages.
void write_stages(PrometheusText& out, const latency::StageFigures& figures) {
  constexpr const char* kName = "softfeb_message_stage_seconds";
  constexpr std::array<std::pair<const char*, std::uint64_t>, 4> kQuantiles{
      {{"0.5", 500}, {"0.9", 900}, {"0.99", 990}, {"0.999", 999}}};
  out.family(kName, "summary", "Time of selected messages from one stage to another.");
  for (std::size_t i = 0; i < latency::kSpans; ++i) {
    const latency::StageHistogram& h = figures.histograms[i];
    if (h.count() == 0) continue;
    const std::string from = latency::point_name(latency::spans()[i].from);
    const std::string to = latency::point_name(latency::spans()[i].to);
    const Labels labels{{"from", from}, {"to", to}};
    for (const auto& [quantile, per_mille] : kQuantiles) {
      Labels of = labels;
      of.emplace_back("quantile", quantile);
      out.series(of, to_seconds(h.percentile(per_mille)));
    }
    out.series(labels, to_seconds(h.sum()), "_sum");
    out.series(labels, h.count(), "_count");
  }
  out.family("softfeb_message_stage_overflows_total", kCounter,
             "Selected messages whose times were given up, or lost on the way from a worker.");
  out.series({}, figures.overflows + figures.lost_stamps);
}

void write_thresholds(PrometheusText& out, const RunInfo& info) {
  const auto each = [&](const char* name, const char* help, std::uint64_t RunInfo::Port::*value) {
    out.family(name, kGauge, help);
    for (const RunInfo::Port& p : info.ports) {
      if (p.ecn) out.series({{"switch", p.switch_name}, {"peer", p.peer}}, p.*value);
    }
  };
  each("softfeb_switch_port_ecn_kmin_bytes", "Queue length from which packets may be marked.",
       &RunInfo::Port::kmin);
  each("softfeb_switch_port_ecn_kmax_bytes", "Queue length from which all packets are marked.",
       &RunInfo::Port::kmax);
}

void write_links(PrometheusText& out, const RunInfo& info, const std::vector<LinkView>& links) {
  if (links.empty()) return;
  const auto labels = [&](const LinkView& l) {
    return Labels{{"board", info.boards[l.board].name}, {"link", l.link}};
  };
  out.family("softfeb_control_link_open", kGauge, "1 while a slow-control client is connected.");
  for (const LinkView& l : links) out.series(labels(l), std::uint64_t{l.open ? 1U : 0U});
  out.family("softfeb_control_connections_opened_total", kCounter, "Slow-control connections opened.");
  for (const LinkView& l : links) out.series(labels(l), l.connections);
  out.family("softfeb_control_connections_closed_total", kCounter,
             "Slow-control connections closed, by reason.");
  for (const LinkView& l : links) {
    for (std::size_t i = 0; i < srp::kRssiCloses; ++i) {
      Labels of = labels(l);
      of.emplace_back("reason", code_of(static_cast<srp::RssiClose>(i)));
      out.series(of, l.history->counts()[i]);
    }
  }
}

}  // namespace

std::string metrics(const RunInfo& info, const stats::Sample& sample, const std::vector<LinkView>& links) {
  PrometheusText out;
  out.family("softfeb_info", kGauge, "Information about the run; always 1.");
  out.series({{"version", info.version}, {"title", info.title}}, std::uint64_t{1});
  write_links(out, info, links);
  if (sample.endpoints == nullptr) return out.take();
  out.family("softfeb_traffic_seconds", kGauge, "Time since traffic started.");
  out.series({}, to_seconds(sample.at));
  write_boards(out, info, sample);
  write_deliveries(out, info, sample);
  write_marked_acks(out, info, sample);
  write_qps(out, info, sample);
  write_receivers(out, info, sample);
  write_endpoints(out, info, sample);
  write_traffic_gens(out, info, sample);
  write_streams(out, info, sample);
  if (sample.cpu != nullptr) write_workers(out, *sample.cpu);
  if (sample.stages != nullptr) write_stages(out, *sample.stages);
  if (sample.network != nullptr) {
    write_ports(out, info, *sample.network);
    write_thresholds(out, info);
  }
  return out.take();
}

}  // namespace softfeb::telemetry
