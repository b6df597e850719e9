// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/tracker.hpp"

#include <algorithm>

namespace softfeb::telemetry {
namespace {

double per_second(std::uint64_t amount, Time interval) {
  return interval == 0 ? 0 : static_cast<double>(amount) / to_seconds(interval);
}

}  // namespace

Tracker::Tracker(const Scene& scene)
    : scene_(scene), boards_before_(scene.boards.size()), ports_before_(scene.ports.size()) {
  for (std::size_t p = 0; p < scene.ports.size(); ++p)
    ports_[{scene.ports[p].switch_index, scene.ports[p].link}] = p;
  figures_.boards.resize(scene.boards.size());
}

void Tracker::add_board(std::size_t b, const stats::Sample& sample) {
  const engine::EndpointSnapshot& e = (*sample.endpoints)[b];
  BoardFigures f;
  BoardBefore now;
  now.at = e.taken_at;
  now.delivered = scene_.deliveries.delivered(b, *sample.endpoints);
  for (const engine::SendQpSnapshot& qp : e.send_qps) {
    now.counted += qp.counters.counted_bytes;
    now.cnps += qp.counters.cnp_rx;
    now.retransmitted += qp.requester.retransmitted_packets;
  }
  if (const stats::BoardRates rates = scene_.boards[b].rates(e); rates.controls != 0) {
    f.rc = rates.rc;
    f.rt = rates.rt;
    f.alpha = rates.alpha / static_cast<double>(rates.controls);
  }
  BoardBefore& before = boards_before_[b];
  if (!first_) {
    const Time interval = now.at - std::min(now.at, before.at);
    f.sent = per_second(now.counted - before.counted, interval);
    f.goodput = stats::delivered_rate(before.delivered, now.delivered, to_seconds(interval), sample.origin);
  } else if (!now.delivered.known) {
    f.goodput.reset();
  }
  f.cnps = now.cnps - before.cnps;
  f.retransmitted = now.retransmitted - before.retransmitted;
  before = now;
  figures_.boards[b] = f;
}

void Tracker::add_port(std::size_t p, const fabric::PortSnapshot& now) {
  const fabric::PortSnapshot& before = ports_before_[p];
  PortFigures f;
  f.queue = now.queue_bytes;
  f.peak = std::max(now.queue_bytes_peak, now.queue_bytes);
  if (!first_ && figures_.interval > 0) {
    f.tx = static_cast<double>(now.tx_wire_bytes - before.tx_wire_bytes) / figures_.interval;
    f.paused_share = to_seconds(now.paused - before.paused) / figures_.interval;
  }
  f.ecn_marked = now.ecn_marked - before.ecn_marked;
  f.dropped = now.dropped - before.dropped;
  f.pause_tx = now.pause_tx - before.pause_tx;
  f.pause_rx = now.pause_rx - before.pause_rx;
  f.cnp_forged = now.cnp_forged - before.cnp_forged;
  ports_before_[p] = now;
  figures_.ports[p] = f;
}

const Figures& Tracker::add(const stats::Sample& sample) {
  figures_.at = to_seconds(sample.at);
  for (std::size_t b = 0; b < std::min(scene_.boards.size(), sample.endpoints->size()); ++b)
    add_board(b, sample);
  if (sample.network != nullptr) {
    const Time at = sample.network->taken_at;
    figures_.interval = first_ ? 0 : to_seconds(at - std::min(at, network_before_));
    network_before_ = at;
    figures_.ports.resize(scene_.ports.size());
    for (const fabric::PortSnapshot& port : sample.network->ports) {
      const auto it = ports_.find({port.switch_index, port.link});
      if (it != ports_.end()) add_port(it->second, port);
    }
  }
  first_ = false;
  return figures_;
}

}  // namespace softfeb::telemetry
