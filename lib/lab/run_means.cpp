// SPDX-License-Identifier: BSD-3-Clause
#include "lab/run_means.hpp"

#include <algorithm>

namespace softfeb::lab {

RunMeans::RunMeans(const config::LabConfig& config)
    : interval_(config.lab.sample_interval),
      due_(interval_),
      end_(config.run.run.duration.value_or(kNever)),
      link_(config.lab.bottleneck),
      switch_index_(config.lab.bottleneck_switch),
      boards_(config.run.boards.size()) {}

void RunMeans::add(const stats::Sample& sample) {
  due_ = (sample.at / interval_ + 1) * interval_;
  if (sample.at > end_) due_ = kNever;
  if (sample.at == 0 || sample.at > end_) return;
  if (sample.network != nullptr && link_) add_queue(*sample.network);
  const auto& endpoints = *sample.endpoints;
  for (std::size_t b = 0; b < std::min(boards_, endpoints.size()); ++b) {
    if (endpoints[b].finished) continue;
    for (const engine::SendQpSnapshot& qp : endpoints[b].send_qps) rtt_ += stats::control_of(qp).rtt;
  }
  last_ = sample.at;
  delivered_ = 0;
  for (std::size_t r = boards_; r < endpoints.size(); ++r) {
    for (const engine::ReceiveQpSnapshot& qp : endpoints[r].receive_qps)
      delivered_ += qp.responder.payload_bytes;
  }
}

std::optional<double> RunMeans::goodput() const {
  if (last_ == 0) return std::nullopt;
  return static_cast<double>(delivered_) / to_seconds(last_);
}

void RunMeans::add_queue(const fabric::NetworkSnapshot& network) {
  for (const fabric::PortSnapshot& port : network.ports) {
    if (port.link != *link_ || port.switch_index != switch_index_) continue;
    queue_sum_ += static_cast<double>(port.queue_bytes);
    ++queue_samples_;
  }
}

std::optional<double> RunMeans::queue_bytes() const {
  if (queue_samples_ == 0) return std::nullopt;
  return queue_sum_ / static_cast<double>(queue_samples_);
}

}  // namespace softfeb::lab
