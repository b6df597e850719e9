// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/metrics.hpp"

#include "telemetry/metric_tables.hpp"
#include "telemetry/prometheus.hpp"

#include <algorithm>
#include <charconv>

namespace softfeb::telemetry {
namespace {

using engine::EndpointSnapshot;
using engine::SendQpSnapshot;

constexpr const char* kCounter = "counter";
constexpr const char* kGauge = "gauge";

std::string decimal(std::uint64_t n) { return std::to_string(n); }

void write_boards(PrometheusText& out, const Scene& scene, const stats::Sample& sample) {
  for (const SendQpMetric& m : send_qp_metrics()) {
    out.family(std::string("softfeb_board_") + m.name, kCounter, m.help);
    for (std::size_t b = 0; b < scene.boards.size(); ++b) {
      std::uint64_t sum = 0;
      for (const SendQpSnapshot& qp : (*sample.endpoints)[b].send_qps) sum += m.value(qp);
      out.series({{"board", scene.boards[b].name}}, sum);
    }
  }
}

/// Goodput is the rate of this counter. Omits boards that send over UC to an external receiver.
void write_deliveries(PrometheusText& out, const Scene& scene, const stats::Sample& sample) {
  out.family("softfeb_board_delivered_payload_bytes_total", kCounter,
             "Payload bytes of messages that reached their receivers whole.");
  for (std::size_t b = 0; b < scene.boards.size(); ++b) {
    const stats::Delivered d = scene.deliveries.delivered(b, *sample.endpoints);
    if (d.known) out.series({{"board", scene.boards[b].name}}, d.acknowledged + d.received);
  }
}

void write_marked_acks(PrometheusText& out, const Scene& scene, const stats::Sample& sample) {
  out.family("softfeb_board_ce_acks_total", kCounter,
             "ACKs and NAKs received that were marked Congestion Experienced on their way.");
  for (std::size_t b = 0; b < scene.boards.size(); ++b)
    out.series({{"board", scene.boards[b].name}}, (*sample.endpoints)[b].endpoint.rx_ce);
}

/// Metrics per congestion control. Omits QPs without one.
void write_rates(PrometheusText& out, const Scene& scene, const stats::Sample& sample) {
  for (const CongestionMetric& m : congestion_metrics()) {
    out.family(std::string("softfeb_qp_") + m.name, m.counter ? kCounter : kGauge, m.help);
    for (std::size_t b = 0; b < scene.boards.size(); ++b) {
      const EndpointSnapshot& e = (*sample.endpoints)[b];
      for (std::size_t i = 0; i < e.send_qps.size(); ++i) {
        const SendQpSnapshot& qp = e.send_qps[i];
        if (!qp.exists || !qp.congestion) continue;
        out.series({{"board", scene.boards[b].name}, {"qp", decimal(i)}}, m.value(*qp.congestion));
      }
    }
  }
}

void write_qps(PrometheusText& out, const Scene& scene, const stats::Sample& sample) {
  if (scene.qps() > kQpSeries) return;
  for (const SendQpMetric& m : send_qp_metrics()) {
    out.family(std::string("softfeb_qp_") + m.name, kCounter, m.help);
    for (std::size_t b = 0; b < scene.boards.size(); ++b) {
      const EndpointSnapshot& e = (*sample.endpoints)[b];
      for (std::size_t i = 0; i < e.send_qps.size(); ++i)
        out.series({{"board", scene.boards[b].name}, {"qp", decimal(i)}}, m.value(e.send_qps[i]));
    }
  }
  write_rates(out, scene, sample);
}

void write_receivers(PrometheusText& out, const Scene& scene, const stats::Sample& sample) {
  for (const ReceiverMetric& m : receiver_metrics()) {
    out.family(std::string("softfeb_receiver_") + m.name, kCounter, m.help);
    for (std::size_t r = 0; r < scene.receivers.size(); ++r)
      out.series({{"receiver", scene.receivers[r]}}, m.value((*sample.endpoints)[scene.boards.size() + r]));
  }
}

void write_endpoints(PrometheusText& out, const Scene& scene, const stats::Sample& sample) {
  const auto each = [&](const auto& write) {
    for (std::size_t i = 0; i < scene.boards.size() + scene.receivers.size(); ++i) {
      const bool board = i < scene.boards.size();
      write(board ? scene.boards[i].name : scene.receivers[i - scene.boards.size()],
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

void write_ports(PrometheusText& out, const Scene& scene, const fabric::NetworkSnapshot& network) {
  const auto port_of = [&](const Scene::Port& p) {
    return std::find_if(network.ports.begin(), network.ports.end(), [&](const fabric::PortSnapshot& s) {
      return s.switch_index == p.switch_index && s.link == p.link;
    });
  };
  for (const PortMetric& m : port_metrics()) {
    out.family(std::string("softfeb_switch_port_") + m.name, m.counter ? kCounter : kGauge, m.help);
    for (const Scene::Port& p : scene.ports) {
      const auto it = port_of(p);
      if (it == network.ports.end()) continue;
      const Labels labels{{"switch", p.switch_name}, {"peer", p.peer}};
      if (m.seconds != nullptr) {
        out.series(labels, m.seconds(*it));
      } else {
        out.series(labels, m.value(*it));
      }
    }
  }
  out.family("softfeb_network_packets_total", kCounter,
             "Packets in all switches and links, by what became of them.");
  for (const PacketFate& f : packet_fates()) out.series({{"fate", f.fate}}, f.value(network.totals));
  out.family("softfeb_network_packets_inside", kGauge, "Packets queued or on a wire.");
  out.series({}, network.totals.in_network);
}

void write_thresholds(PrometheusText& out, const Scene& scene) {
  const auto each = [&](const char* name, const char* help, std::uint64_t Scene::Port::*value) {
    out.family(name, kGauge, help);
    for (const Scene::Port& p : scene.ports) {
      if (p.ecn) out.series({{"switch", p.switch_name}, {"peer", p.peer}}, p.*value);
    }
  };
  each("softfeb_switch_port_ecn_kmin_bytes", "Queue length from which packets may be marked.",
       &Scene::Port::kmin);
  each("softfeb_switch_port_ecn_kmax_bytes", "Queue length from which all packets are marked.",
       &Scene::Port::kmax);
}

void write_links(PrometheusText& out, const Scene& scene, const std::vector<LinkView>& links) {
  if (links.empty()) return;
  const auto labels = [&](const LinkView& l) {
    return Labels{{"board", scene.boards[l.board].name}, {"link", l.link}};
  };
  out.family("softfeb_control_link_open", kGauge, "1 while a client of the slow control is connected.");
  for (const LinkView& l : links) out.series(labels(l), std::uint64_t{l.open ? 1U : 0U});
  out.family("softfeb_control_connections_opened_total", kCounter, "Connections of the slow control opened.");
  for (const LinkView& l : links) out.series(labels(l), l.connections);
  out.family("softfeb_control_connections_closed_total", kCounter, "Those that closed, by reason.");
  for (const LinkView& l : links) {
    for (std::size_t i = 0; i < srp::kRssiCloses; ++i) {
      Labels of = labels(l);
      of.emplace_back("reason", code_of(static_cast<srp::RssiClose>(i)));
      out.series(of, l.history->counts()[i]);
    }
  }
}

}  // namespace

std::string metrics(const Scene& scene, const stats::Sample& sample, const std::vector<LinkView>& links) {
  PrometheusText out;
  out.family("softfeb_info", kGauge, "What runs: always 1.");
  out.series({{"version", scene.version}, {"title", scene.title}}, std::uint64_t{1});
  write_links(out, scene, links);
  if (sample.endpoints == nullptr) return out.take();
  out.family("softfeb_traffic_seconds", kGauge, "Time since traffic began.");
  out.series({}, to_seconds(sample.at));
  write_boards(out, scene, sample);
  write_deliveries(out, scene, sample);
  write_marked_acks(out, scene, sample);
  write_qps(out, scene, sample);
  write_receivers(out, scene, sample);
  write_endpoints(out, scene, sample);
  if (sample.network != nullptr) {
    write_ports(out, scene, *sample.network);
    write_thresholds(out, scene);
  }
  return out.take();
}

}  // namespace softfeb::telemetry
