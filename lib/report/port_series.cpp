// SPDX-License-Identifier: BSD-3-Clause
#include "report/port_series.hpp"

#include "base/error.hpp"
#include "fabric/names.hpp"

#include <iterator>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr const char* kHeading =
    "time_s,port,queue_bytes,queue_bytes_peak,tx_gbps,ecn_marked,dropped,pause_tx,pause_rx,paused_share,"
    "cnp_forged\n";

}  // namespace

std::vector<std::string> port_names(const fabric::NetworkConfig& config,
                                    const fabric::NetworkSnapshot& network) {
  std::vector<std::string> names;
  for (const fabric::PortSnapshot& p : network.ports) {
    const fabric::NodeRef self{fabric::NodeRef::Kind::kSwitch, p.switch_index};
    names.push_back(config.switches[p.switch_index].name + '.' + fabric::peer_name(config, self, p.link));
  }
  return names;
}

PortSeries::PortSeries(const config::LabConfig& config, const std::string& path)
    : config_(config), file_(path), interval_(config.run.run.series_interval), due_(interval_) {
  file_.write(kHeading);
}

void PortSeries::append(const std::string& name, const stats::PortInterval& p, double at) {
  fmt::format_to(std::back_inserter(text_), "{:.9f},{},{},{},{:.9g},{},{},{},{},{:.6g},{}\n", at, name,
                 p.queue, p.peak, p.sent * 8e-9, p.counts.ecn_marked, p.counts.dropped, p.counts.pause_tx,
                 p.counts.pause_rx, p.paused_share, p.counts.cnp_forged);
}

void PortSeries::add(const stats::Sample& sample) {
  due_ = (sample.at / interval_ + 1) * interval_;
  if (sample.network == nullptr || !failure_.empty()) return;
  const stats::RunInterval& interval = rates_.add(sample);
  // No time has passed; the next row will include the events of this interval.
  if (interval.network_seconds <= 0) return;
  if (names_.empty()) names_ = port_names(config_.network, *sample.network);
  for (std::size_t i = 0; i < names_.size(); ++i) append(names_[i], interval.ports[i], interval.network_at);
  try {
    file_.write(text_);
  } catch (const EnvironmentError& e) {
    failure_ = e.reason();
  }
  text_.clear();
}

void PortSeries::finish() {
  if (!failure_.empty()) throw EnvironmentError(failure_, "free space on that disk");
  file_.commit();
}

}  // namespace softfeb::report
