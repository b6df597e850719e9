// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "ecn_switch.hpp"
#include "ethernet_device.hpp"
#include "fabric/config.hpp"
#include "fabric/snapshot.hpp"
#include "latency/stamps.hpp"
#include "simulator/simulation.hpp"
#include "softfeb_application.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ns3/node-container.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>

namespace softfeb::ns3model {

/// Runs the boards, receivers, switches and links of a configuration in ns-3's simulator: a node for each
/// station and each switch, an EthernetDevice for each end of a link, a SoftfebApplication for each endpoint,
/// and an EcnSwitch for each switch. There can be only one object at a time, because ns-3's simulator is
/// global.
class Ns3Simulation final : public simulator::Simulation {
 public:
  struct Options {
    /// Carry out events of the same time in the order of softfeb's own simulator, instead of the order in
    /// which they were scheduled.
    bool ordered = false;
    /// Draw the random numbers for marks from softfeb's generators instead of ns-3's.
    bool own_numbers = false;
  };

  Ns3Simulation(const fabric::NetworkConfig& config, const std::vector<simulator::Seat>& seats,
                const Options& options);
  ~Ns3Simulation() override;
  Ns3Simulation(const Ns3Simulation&) = delete;
  Ns3Simulation& operator=(const Ns3Simulation&) = delete;

  Time now() const override { return now_; }
  void run_until(Time end) override;
  void change(std::size_t seat, const std::function<void()>& what) override {
    what();
    applications_[seat]->serve();
  }
  bool simulates(std::size_t) const override { return true; }
  bool empty() override { return in_network() == 0; }
  fabric::NetworkSnapshot make_snapshot() const override;
  void take_snapshot(fabric::NetworkSnapshot& out) override;
  void report_times(latency::Stamps& stamps) override;
  std::uint64_t events() const override;
  std::uint64_t passed_over() const override;

 private:
  /// A port of a switch. Ports are in the order of NetworkSnapshot::ports: by switch, then by link.
  struct PortPlace {
    std::uint32_t switch_index = 0;
    std::size_t port = 0;  ///< port number at the switch
    /// Direction in which the port sends: 2 · link from node `a` to node `b`, and 2 · link + 1 from `b` to
    /// `a`.
    std::uint32_t direction = 0;
  };

  const fabric::NodeRef& sender(std::uint32_t direction) const;
  void add_link(const fabric::LinkConfig& link);
  void add_port(std::uint32_t switch_index, std::uint32_t direction, const Options& options);
  void add_application(const simulator::Seat& seat, const Options& options);
  fabric::PortSnapshot snapshot_of(const PortPlace& place, Time now) const;
  std::uint64_t in_network() const;
  void frame_sent(latency::Stage stage, ns3::Ptr<const ns3::Packet> frame, ns3::Time took);
  void frame_received(ns3::Ptr<const ns3::Packet> frame);

  fabric::NetworkConfig config_;
  ns3::NodeContainer stations_, switch_nodes_;
  std::vector<ns3::Ptr<EthernetDevice>> devices_;  ///< indexed by the direction in which they send
  std::vector<ns3::Ptr<EthernetChannel>> channels_;
  std::vector<ns3::Ptr<EcnSwitch>> switches_;
  std::vector<PortPlace> ports_;
  std::vector<ns3::Ptr<SoftfebApplication>> applications_;  ///< one for each endpoint (seat)
  latency::Stamps* stamps_ = nullptr;
  Time now_ = 0;
};

}  // namespace softfeb::ns3model
