// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/lab_config.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "engine/endpoint.hpp"
#include "softfeb_application.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/ptr.h>

namespace softfeb::ns3model {

/// The boards and receivers of a configuration of `softfeb lab`, as nodes of a user's model, which connects
/// them. Only the rates of the links to boards are taken from the section `network`; they limit the rates of
/// the boards. This object must outlive ns3::Simulator::Destroy().
class SoftfebNodes {
 public:
  /// Loads the configuration as config::load_lab() does. Throws ConfigError.
  explicit SoftfebNodes(const std::string& file, const std::vector<std::string>& overrides = {});
  SoftfebNodes(const SoftfebNodes&) = delete;
  SoftfebNodes& operator=(const SoftfebNodes&) = delete;

  const config::LabConfig& config() const { return config_; }
  /// Names of the boards, followed by those of the receivers.
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the node of a board or receiver. Throws std::out_of_range if no board or receiver has this name.
  ns3::Ptr<ns3::Node> node(const std::string& name) const { return nodes_[index_of(name)]; }
  const engine::Endpoint& endpoint(const std::string& name) const { return *all_[index_of(name)]; }

  /// Adds `device` to the node and gives it the address of the endpoint, which sends and receives through it.
  /// Call it once for each name.
  void install(const std::string& name, const ns3::Ptr<ns3::NetDevice>& device);
  /// Lets the boards start their traffic at `begin` plus their own `start`, and stop it at `begin` plus their
  /// `stop`. ARP needs some microseconds before `begin`. Call this before the simulation runs.
  void start_traffic(Time begin);
  /// Payload that a board has completed so far, in bytes.
  std::uint64_t completed_bytes(std::size_t board) const;

 private:
  std::size_t index_of(const std::string& name) const;
  void start(std::size_t board);
  void stop(std::size_t board);

  config::LabConfig config_;
  std::vector<std::vector<std::uint8_t>> arena_;
  endpoints::Payloads payloads_;
  endpoints::Plans plans_;
  endpoints::Endpoints endpoints_;
  std::vector<engine::Endpoint*> all_;  ///< boards, then receivers
  std::vector<std::string> names_;
  std::vector<ns3::Ptr<ns3::Node>> nodes_;
  std::vector<ns3::Ptr<SoftfebApplication>> applications_;
};

}  // namespace softfeb::ns3model
