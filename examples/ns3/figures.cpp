// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"

#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"
#include "lab/fairness.hpp"
#include "latency/stage.hpp"
#include "latency/stage_table.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>

namespace softfeb::ns3model {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the state of the bottleneck in a sample; null if the configuration names no bottleneck.
const fabric::PortSnapshot* bottleneck(const config::LabConfig& config,
                                       const fabric::NetworkSnapshot& network) {
  for (const fabric::PortSnapshot& p : network.ports)
    if (p.link == config.lab.bottleneck && p.switch_index == config.lab.bottleneck_switch) return &p;
  return nullptr;
}

double gbps(std::uint64_t bytes, Time time) {
  return time == 0 ? 0 : static_cast<double>(bytes) * 8e3 / static_cast<double>(time);
}

Json or_null(const std::optional<lab::Share>& share) {
  return share ? Json(lab::to_double(*share)) : Json(nullptr);
}

/// Returns the longest time, in milliseconds, that the boards needed to converge to their fair shares after a
/// change; null if they did not converge after one of the changes.
Json convergence_ms(const lab::LabStats& stats) {
  Time longest = 0;
  for (const lab::ChangeStats& change : stats.changes) {
    if (!change.converged) return nullptr;
    longest = std::max(longest, *change.converged);
  }
  return static_cast<double>(longest) / static_cast<double>(kMillisecond);
}

void add_rates(Json& out, const config::LabConfig& config, const stats::Outcome& outcome,
               const lab::LabStats& stats) {
  const Time whole = outcome.stopped - outcome.started;
  std::uint64_t all = 0;
  for (std::size_t b = 0; b < stats.delivered.size(); ++b) {
    const config::BoardConfig& board = config.run.boards[b];
    const Time stop = std::min(whole, board.stop.value_or(whole));
    const Time sending = stop - std::min(stop, board.start);
    all += stats.delivered[b];
    out["goodput of " + board.endpoint.name + " (Gb/s)"] = gbps(stats.delivered[b], sending);
  }
  out["goodput, all (Gb/s)"] = gbps(all, whole);
}

}  // namespace

Series::Series(const config::LabConfig& config, const std::string& path)
    : config_(config), path_(path), due_(config.lab.sample_interval) {
  if (path.empty()) return;
  out_.open(path);
  if (!out_) throw std::runtime_error(path + ": cannot be written");
}

void Series::add(const stats::Sample& sample) {
  if (const fabric::PortSnapshot* const port = bottleneck(config_, *sample.network)) {
    queue_sum_ += static_cast<double>(port->queue_bytes);
    ++samples_;
  }
  if (out_.is_open()) write(sample);
  due_ += config_.lab.sample_interval;
}

void Series::end(const stats::Sample& sample) {
  if (!out_.is_open()) return;
  write(sample);
  out_.close();
  if (!out_) throw std::runtime_error(path_ + ": cannot be written completely");
}

void Series::write(const stats::Sample& sample) {
  for (std::size_t e = 0; e < sample.endpoints->size(); ++e) {
    const engine::EndpointSnapshot& s = (*sample.endpoints)[e];
    out_ << sample.at << " endpoint " << e << ' ' << s.endpoint.tx_frames << ' ' << s.endpoint.rx_frames
         << ' ' << s.endpoint.rx_pause << ' ' << s.cnp_tx;
    for (const engine::SendQpSnapshot& qp : s.send_qps) {
      out_ << ' ' << qp.requester.packets << ' ' << qp.requester.retransmitted_packets << ' '
           << qp.counters.cnp_rx << ' ' << qp.counters.last_completed;
      if (qp.congestion)
        out_ << ' ' << qp.congestion->rate << ' ' << qp.congestion->alpha << ' ' << qp.congestion->credit;
    }
    for (const engine::ReceiveQpSnapshot& qp : s.receive_qps)
      out_ << ' ' << qp.responder.payload_bytes << ' ' << qp.congestion_experienced;
    out_ << '\n';
  }
  for (const fabric::PortSnapshot& p : sample.network->ports)
    out_ << sample.at << " port " << p.switch_index << ' ' << p.link << ' ' << p.queue_bytes << ' '
         << p.queue_bytes_peak << ' ' << p.tx_packets << ' ' << p.rx_packets << ' ' << p.ecn_marked << ' '
         << p.dropped << ' ' << p.pause_tx << ' ' << p.resume_tx << ' ' << p.pause_rx << ' ' << p.paused
         << '\n';
}

Json figures(const config::LabConfig& config, experiment::Driver& driver, const stats::Outcome& outcome,
             const lab::RunStats& stats, double queue_mean, double seconds) {
  const lab::Totals& totals = stats.totals;
  const fabric::PortSnapshot* const port = bottleneck(config, *outcome.network);
  Json out = Json::object();
  add_rates(out, config, outcome, stats.metrics);
  out["fairness, 100 ms (Jain, worst)"] = or_null(stats.metrics.over_100ms().jain_min);
  out["fairness, 10 ms (Jain, worst)"] = or_null(stats.metrics.over_10ms().jain_min);
  out["port used, 100 ms (worst)"] = or_null(stats.metrics.over_100ms().port_used_min);
  out["convergence (ms)"] = convergence_ms(stats.metrics);
  out["queue, mean (bytes)"] = queue_mean;
  out["queue, longest (bytes)"] = port == nullptr ? 0 : port->queue_bytes_max;
  out["packets marked CE"] = totals.ecn_marked;
  out["CNPs sent"] = totals.cnp_tx;
  out["CNPs received"] = totals.cnp_rx;
  out["packets of boards"] = totals.packets;
  out["packets retransmitted"] = totals.retransmitted;
  out["messages completed"] = totals.messages_completed;
  out["frames delivered"] = outcome.network->totals.delivered;
  out["frames dropped"] = totals.dropped;
  out["pause frames"] = totals.pause_tx;
  const auto packets = static_cast<double>(std::max<std::uint64_t>(1, totals.packets));
  out["events per board packet"] = static_cast<double>(driver.events()) / packets;
  out["CPU time per board packet (us)"] = seconds * 1e6 / packets;
  return out;
}

Json message_times(const stats::Outcome& outcome) {
  if (outcome.stages == nullptr) return nullptr;
  Json out{{"messages", outcome.stages->messages}, {"incomplete", outcome.stages->incomplete}};
  const auto& spans = latency::spans();
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const latency::StageHistogram& h = outcome.stages->histograms[i];
    out[latency::point_name(spans[i].from) + "-" + latency::point_name(spans[i].to)] = {h.count(), h.sum(),
                                                                                        h.min(), h.max()};
  }
  return out;
}

}  // namespace softfeb::ns3model
