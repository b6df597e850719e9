// SPDX-License-Identifier: BSD-3-Clause
#include "softfeb_nodes.hpp"

#include "board/payload.hpp"
#include "config/load.hpp"
#include "engine/snapshot.hpp"
#include "simulated_time.hpp"

#include <algorithm>
#include <stdexcept>

#include <ns3/mac48-address.h>
#include <ns3/simulator.h>

namespace softfeb::ns3model {

SoftfebNodes::SoftfebNodes(const std::string& file, const std::vector<std::string>& overrides)
    : config_(config::load_lab(file, overrides)), payloads_(config_.run), plans_(config_.run) {
  payloads_.stage([this](std::size_t bytes) { return MutableByteSpan(arena_.emplace_back(bytes)); });
  endpoints::BuildSettings settings;
  settings.largest_pmtus.assign(config_.run.ports.size(), board::kMaxPacketPayload);
  settings.network_slack = 0;  // in virtual time, a board is never late, so it never has to catch up
  endpoints_ = endpoints::make_endpoints(config_.run, plans_, payloads_, settings);
  for (const auto& board : endpoints_.boards) all_.push_back(board.get());
  for (const auto& receiver : endpoints_.receivers) all_.push_back(receiver.get());
  for (const config::BoardConfig& board : config_.run.boards) names_.push_back(board.endpoint.name);
  for (const config::ReceiverConfig& receiver : config_.run.receivers)
    names_.push_back(receiver.endpoint.name);
  for (engine::Endpoint* endpoint : all_) {
    nodes_.push_back(ns3::CreateObject<ns3::Node>());
    applications_.push_back(ns3::CreateObject<SoftfebApplication>());
    applications_.back()->set_endpoint(*endpoint);
  }
}

std::size_t SoftfebNodes::index_of(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) throw std::out_of_range("there is no board or receiver '" + name + "'");
  return static_cast<std::size_t>(found - names_.begin());
}

void SoftfebNodes::install(const std::string& name, const ns3::Ptr<ns3::NetDevice>& device) {
  const std::size_t i = index_of(name);
  ns3::Mac48Address address;
  address.CopyFrom(all_[i]->identity().mac.data());
  device->SetAddress(address);
  nodes_[i]->AddDevice(device);
  applications_[i]->set_device(device);
  nodes_[i]->AddApplication(applications_[i]);
}

void SoftfebNodes::start_traffic(Time begin) {
  for (std::size_t b = 0; b < config_.run.boards.size(); ++b) {
    const config::BoardConfig& board = config_.run.boards[b];
    ns3::Simulator::Schedule(to_ns3(begin + board.start), &SoftfebNodes::start, this, b);
    if (board.stop) ns3::Simulator::Schedule(to_ns3(begin + *board.stop), &SoftfebNodes::stop, this, b);
  }
}

void SoftfebNodes::start(std::size_t board) {
  endpoints_.boards[board]->start(now());
  applications_[board]->serve();
}

void SoftfebNodes::stop(std::size_t board) {
  endpoints_.boards[board]->stop_traffic(now());
  applications_[board]->serve();
}

std::uint64_t SoftfebNodes::completed_bytes(std::size_t board) const {
  engine::EndpointSnapshot snapshot = engine::make_snapshot(*all_[board]);
  engine::take_snapshot(*all_[board], snapshot, 0, SIZE_MAX, now());
  std::uint64_t bytes = 0;
  for (const engine::SendQpSnapshot& qp : snapshot.send_qps) bytes += qp.completed_payload_bytes;
  return bytes;
}

}  // namespace softfeb::ns3model
