// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/telemetry_socket.hpp"

#include "dataplane/telemetry_commands.hpp"
#include "telemetry/metric_tables.hpp"

namespace softfeb::runtime {
namespace {

using dataplane::TelemetryTable;

constexpr Time kInterval = 1 * kSecond;

TelemetryTable boards_of(const telemetry::Scene& scene, const stats::Sample& sample) {
  TelemetryTable t;
  for (const auto& m : telemetry::send_qp_metrics()) t.columns.emplace_back(m.name);
  for (const char* name : {"qps", "current_rate_bytes_per_second", "ce_acks_total"})
    t.columns.emplace_back(name);
  for (std::size_t b = 0; b < scene.boards.size(); ++b) {
    TelemetryTable::Row row{scene.boards[b].name, std::vector<std::uint64_t>(t.columns.size())};
    const engine::EndpointSnapshot& board = (*sample.endpoints)[b];
    for (const engine::SendQpSnapshot& qp : board.send_qps) {
      std::size_t column = 0;
      for (const auto& m : telemetry::send_qp_metrics()) row.values[column++] += m.value(qp);
      row.values[column] += qp.exists ? 1 : 0;
    }
    row.values[row.values.size() - 2] = static_cast<std::uint64_t>(scene.boards[b].rates(board).rc);
    row.values.back() = board.endpoint.rx_ce;
    t.rows.push_back(std::move(row));
  }
  return t;
}

TelemetryTable receivers_of(const telemetry::Scene& scene, const stats::Sample& sample) {
  TelemetryTable t;
  for (const auto& m : telemetry::receiver_metrics()) t.columns.emplace_back(m.name);
  for (std::size_t r = 0; r < scene.receivers.size(); ++r) {
    TelemetryTable::Row row{scene.receivers[r], {}};
    for (const auto& m : telemetry::receiver_metrics())
      row.values.push_back(m.value((*sample.endpoints)[scene.boards.size() + r]));
    t.rows.push_back(std::move(row));
  }
  return t;
}

TelemetryTable ports_of(const telemetry::Scene& scene, const fabric::NetworkSnapshot& network) {
  TelemetryTable t;
  for (const auto& m : telemetry::port_metrics()) {
    if (m.seconds == nullptr) t.columns.emplace_back(m.name);
  }
  for (const telemetry::Scene::Port& p : scene.ports) {
    for (const fabric::PortSnapshot& s : network.ports) {
      if (s.switch_index != p.switch_index || s.link != p.link) continue;
      TelemetryTable::Row row{p.name, {}};
      for (const auto& m : telemetry::port_metrics()) {
        if (m.seconds == nullptr) row.values.push_back(m.value(s));
      }
      t.rows.push_back(std::move(row));
    }
  }
  return t;
}

}  // namespace

TelemetrySocket::TelemetrySocket(telemetry::Scene scene) : scene_(std::move(scene)) {
  dataplane::register_telemetry_commands(scene_.title, scene_.version);
}

void TelemetrySocket::add(const stats::Sample& sample) {
  due_ = (sample.at / kInterval + 1) * kInterval;
  using dataplane::TelemetryKind;
  dataplane::publish_telemetry(TelemetryKind::kBoards, boards_of(scene_, sample));
  dataplane::publish_telemetry(TelemetryKind::kReceivers, receivers_of(scene_, sample));
  if (sample.network != nullptr)
    dataplane::publish_telemetry(TelemetryKind::kPorts, ports_of(scene_, *sample.network));
}

}  // namespace softfeb::runtime
