// SPDX-License-Identifier: BSD-3-Clause
#include "report/port_series.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr const char* kHeading =
    "time_s,port,queue_bytes,queue_bytes_peak,tx_gbps,ecn_marked,dropped,pause_tx,pause_rx,paused_share,"
    "cnp_forged\n";

}  // namespace

std::vector<std::string> port_names(const config::LabConfig& config, const fabric::NetworkSnapshot& network) {
  std::vector<std::string> names;
  for (const fabric::PortSnapshot& p : network.ports) {
    const bool station = p.peer.kind == fabric::NodeRef::Kind::kStation;
    names.push_back(
        config.network.switches[p.switch_index].name + '.' +
        (station ? config.network.stations[p.peer.index].name : config.network.switches[p.peer.index].name));
  }
  return names;
}

PortSeries::PortSeries(const config::LabConfig& config, const std::string& path)
    : config_(config), file_(path), interval_(config.run.run.series_interval), due_(interval_) {
  file_.write(kHeading);
}

void PortSeries::append(const fabric::PortSnapshot& now, const fabric::PortSnapshot& before,
                        std::size_t index, std::uint64_t ns, double interval) {
  fmt::format_to(std::back_inserter(text_), "{:.9f},{},{},{},{:.9g},{},{},{},{},{:.6g},{}\n",
                 static_cast<double>(ns) * 1e-9, names_[index], now.queue_bytes, now.queue_bytes_peak,
                 static_cast<double>(now.tx_wire_bytes - before.tx_wire_bytes) * 8e-9 / interval,
                 now.ecn_marked - before.ecn_marked, now.dropped - before.dropped,
                 now.pause_tx - before.pause_tx, now.pause_rx - before.pause_rx,
                 to_seconds(now.paused - before.paused) / interval, now.cnp_forged - before.cnp_forged);
}

void PortSeries::add(const stats::Sample& sample) {
  due_ = (sample.at / interval_ + 1) * interval_;
  if (sample.network == nullptr || !failure_.empty()) return;
  const fabric::NetworkSnapshot& network = *sample.network;
  // In whole nanoseconds, as it is written: who multiplies a rate by the time between two rows gets the
  // bytes.
  const std::uint64_t ns =
      network.taken_at > sample.origin ? (network.taken_at - sample.origin) / kNanosecond : 0;
  if (ns <= last_ns_) return;  // what has happened stays for the next sample
  if (names_.empty()) {
    names_ = port_names(config_, network);
    before_.resize(names_.size());
  }
  const double interval = static_cast<double>(ns - last_ns_) * 1e-9;
  for (std::size_t i = 0; i < names_.size(); ++i) append(network.ports[i], before_[i], i, ns, interval);
  std::copy(network.ports.begin(), network.ports.end(), before_.begin());
  last_ns_ = ns;
  try {
    file_.write(text_);
  } catch (const EnvironmentError& e) {
    failure_ = e.what();
  }
  text_.clear();
}

void PortSeries::finish() {
  if (!failure_.empty()) throw EnvironmentError(failure_, "free space on that disk");
  file_.commit();
}

}  // namespace softfeb::report
