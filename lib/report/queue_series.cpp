// SPDX-License-Identifier: BSD-3-Clause
#include "report/queue_series.hpp"

#include "base/error.hpp"
#include "report/port_series.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr const char* kQueueHeading =
    "time_s,port,queue,queue_bytes,tx_gbps,tx_packets,ecn_marked,dropped,starved_ms_max\n";

}  // namespace

bool has_priorities(const config::LabConfig& config) {
  const auto& switches = config.network.switches;
  return std::any_of(switches.begin(), switches.end(), [](const auto& s) { return s.priorities != 0; });
}

QueueSeries::QueueSeries(const config::LabConfig& config, const std::string& path)
    : config_(config), file_(path), interval_(config.run.run.series_interval), due_(interval_) {
  file_.write(kQueueHeading);
}

void QueueSeries::append(std::size_t p, const fabric::PortSnapshot& port, double at, double seconds) {
  const std::size_t queues = config_.network.switches[port.switch_index].priorities;
  for (std::size_t q = 0; q < queues; ++q) {
    const fabric::QueueSnapshot& now = port.queues[q];
    const fabric::QueueSnapshot& before = before_[p][q];
    const double sent = static_cast<double>(now.tx_wire_bytes - before.tx_wire_bytes) / seconds;
    fmt::format_to(std::back_inserter(text_), "{:.9f},{},{},{},{:.9g},{},{},{},{:.9g}\n", at, names_[p], q,
                   port.queue_bytes_of[q], sent * 8e-9, now.tx_packets - before.tx_packets,
                   now.ecn_marked - before.ecn_marked, now.dropped - before.dropped,
                   static_cast<double>(now.starved) / static_cast<double>(kMillisecond));
  }
  before_[p] = port.queues;
}

void QueueSeries::add(const stats::Sample& sample) {
  due_ = (sample.at / interval_ + 1) * interval_;
  if (sample.network == nullptr || !failure_.empty()) return;
  const stats::RunInterval& interval = rates_.add(sample);
  // No time has passed; the next row will include the events of this interval.
  if (interval.network_seconds <= 0) return;
  const auto& ports = sample.network->ports;
  if (names_.empty()) names_ = port_names(config_.network, *sample.network);
  before_.resize(ports.size());
  for (std::size_t p = 0; p < ports.size(); ++p)
    append(p, ports[p], interval.network_at, interval.network_seconds);
  try {
    file_.write(text_);
  } catch (const EnvironmentError& e) {
    failure_ = e.reason();
  }
  text_.clear();
}

void QueueSeries::finish() {
  if (!failure_.empty()) throw EnvironmentError(failure_, "free space on that disk");
  file_.commit();
}

}  // namespace softfeb::report
