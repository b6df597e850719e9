// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/telemetry_socket.hpp"

#include "dataplane/telemetry_commands.hpp"
#include "telemetry/metric_tables.hpp"

#include <algorithm>

namespace softfeb::runtime {
namespace {

using dataplane::TelemetryTable;

constexpr Time kInterval = 1 * kSecond;

TelemetryTable boards_of(const telemetry::RunInfo& info, const stats::Sample& sample,
                         const stats::RunInterval& interval) {
  TelemetryTable t;
  for (const auto& m : telemetry::send_qp_metrics()) t.columns.emplace_back(m.name);
  for (const char* name : {"qps", "current_rate_bytes_per_second", "ce_acks_total"})
    t.columns.emplace_back(name);
  for (std::size_t b = 0; b < info.boards.size(); ++b) {
    TelemetryTable::Row row{info.boards[b].name, {}};
    const engine::EndpointSnapshot& board = (*sample.endpoints)[b];
    for (const auto& m : telemetry::send_qp_metrics()) row.values.push_back(m.sum(board));
    const auto exists = [](const engine::SendQpSnapshot& qp) { return qp.exists; };
    row.values.push_back(
        static_cast<std::uint64_t>(std::count_if(board.send_qps.begin(), board.send_qps.end(), exists)));
    row.values.push_back(static_cast<std::uint64_t>(interval.boards[b].all.control.rc));
    row.values.push_back(board.endpoint.rx_ce);
    t.rows.push_back(std::move(row));
  }
  return t;
}

TelemetryTable receivers_of(const telemetry::RunInfo& info, const stats::Sample& sample) {
  TelemetryTable t;
  for (const auto& m : telemetry::receiver_metrics()) t.columns.emplace_back(m.name);
  for (std::size_t r = 0; r < info.receivers.size(); ++r) {
    TelemetryTable::Row row{info.receivers[r], {}};
    for (const auto& m : telemetry::receiver_metrics())
      row.values.push_back(m.value((*sample.endpoints)[info.boards.size() + r]));
    t.rows.push_back(std::move(row));
  }
  return t;
}

TelemetryTable ports_of(const telemetry::RunInfo& info, const fabric::NetworkSnapshot& network) {
  TelemetryTable t;
  for (const auto& m : telemetry::port_metrics()) {
    if (m.seconds == nullptr) t.columns.emplace_back(m.name);
  }
  for (std::size_t p = 0; p < info.ports.size(); ++p) {
    TelemetryTable::Row row{info.ports[p].name, {}};
    for (const auto& m : telemetry::port_metrics()) {
      if (m.seconds == nullptr) row.values.push_back(m.value(network.ports[p]));
    }
    t.rows.push_back(std::move(row));
  }
  return t;
}

}  // namespace

TelemetrySocket::TelemetrySocket(telemetry::RunInfo info)
    : info_(std::move(info)), rates_(info_.rate_tracker()) {
  dataplane::register_telemetry_commands(info_.title, info_.version);
}

void TelemetrySocket::add(const stats::Sample& sample) {
  due_ = (sample.at / kInterval + 1) * kInterval;
  using dataplane::TelemetryKind;
  dataplane::publish_telemetry(TelemetryKind::kBoards, boards_of(info_, sample, rates_.add(sample)));
  dataplane::publish_telemetry(TelemetryKind::kReceivers, receivers_of(info_, sample));
  if (sample.network != nullptr)
    dataplane::publish_telemetry(TelemetryKind::kPorts, ports_of(info_, *sample.network));
}

}  // namespace softfeb::runtime
