// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/mbuf_frames.hpp"
#include "dataplane/station_table.hpp"
#include "dataplane/worker_stats.hpp"
#include "fabric/network.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::dataplane {

/// A port that connects stations to the network.
struct NetworkPort {
  std::uint16_t port = 0;  ///< DPDK port id; the network uses queue 0 of the port
  /// The station that represents everything connected to the port. Empty for the far end of a net_ring,
  /// where the source MAC address identifies the station.
  std::optional<std::uint32_t> station;
};

/// An endpoint attached to the network as a station.
struct NetworkStation {
  roce::MacAddress mac{};
  std::uint32_t station = 0;
  std::size_t port = 0;  ///< index into NetworkRelayConfig::ports
};

struct NetworkRelayConfig {
  std::vector<NetworkPort> ports;
  std::vector<NetworkStation> stations;
  std::size_t frames = 16'384;  ///< maximum number of frames in the network or queued for ports
  std::uint32_t frame_bytes = 0;
  unsigned lcores = 1;
  std::uint32_t held = 0;  ///< maximum number of frames that fault rules hold
};

/// Runs a simulated network on a worker: receives packets from rings and ports, passes them to
/// fabric::Network, and sends delivered packets to the rings and ports of their destinations. Packets that a
/// ring or port does not accept stay queued and are retried. If kPortRoom packets are queued for an external
/// port, further packets to this port are dropped. Every packet lost here is counted. When all frames are in
/// use, packets stay in the rings, which exerts back-pressure on the boards. No system calls, locks or
/// allocations.
///
/// This class is part of lib/dataplane because Worker::loop() calls it in every iteration and because it
/// handles mbufs (MbufFrames), rings and ports. lib/fabric contains the network itself, which handles only
/// frames.
class NetworkRelay {
 public:
  static constexpr std::uint16_t kBurst = 32;
  /// Maximum number of packets queued for an external port.
  static constexpr std::size_t kPortRoom = 2048;

  NetworkRelay(const NetworkRelayConfig& config, const fabric::NetworkConfig& network, Mempools& pools);
  ~NetworkRelay();
  NetworkRelay(const NetworkRelay&) = delete;
  NetworkRelay& operator=(const NetworkRelay&) = delete;

  /// Runs one iteration. Returns true when packets arrived or left.
  bool run(Time now);
  /// Earliest time at which run() has work, unless packets arrive.
  Time next_event(Time now) const;
  /// True when packets are queued for ports.
  bool pending() const { return counters_.tx_waiting != 0; }

  /// Stops receiving from the ports outside the network. Other hosts may send at any time; after this call,
  /// their frames can no longer change the counters, so that all counters can be compared.
  void close_outside() { outside_closed_ = true; }

  fabric::NetworkSnapshot make_snapshot() const { return network_.make_snapshot(); }
  void take_snapshot(fabric::NetworkSnapshot& out, Time now) { network_.take_snapshot(out, now); }
  const NetworkRelayCounters& counters() const { return counters_; }

 private:
  /// Packets queued for a port, in order.
  struct Queue {
    fabric::Frame* first = nullptr;
    fabric::Frame* last = nullptr;
    std::size_t count = 0;
  };

  void watch_lateness(Time now);
  bool receive(const NetworkPort& port, Time now);
  void enter(const NetworkPort& port, rte_mbuf* packet, Time now);
  bool deliver(Time now);
  void queue_up(const fabric::Network::Delivery& delivery);
  bool offer(std::size_t port);

  NetworkRelayConfig config_;
  MbufFrames frames_;
  fabric::Network network_;
  StationTable by_mac_;
  std::vector<std::size_t> port_of_;  ///< index of the port of each station
  std::vector<Queue> queues_;         ///< one queue per port
  std::array<fabric::Network::Delivery, 64> deliveries_{};
  NetworkRelayCounters counters_;
  bool outside_closed_ = false;
};

}  // namespace softfeb::dataplane
