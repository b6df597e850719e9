// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/mbuf_frames.hpp"
#include "dataplane/station_table.hpp"
#include "fabric/network.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::dataplane {

/// A port by which stations reach the network.
struct NetworkPort {
  std::uint16_t port = 0;  ///< DPDK's; queue 0 is the lane's
  /// All that is behind it; none: the far end of a ring, whose endpoints are known by their source MAC.
  std::optional<std::uint32_t> station;
};

/// An endpoint that is a station.
struct NetworkStation {
  roce::MacAddress mac{};
  std::uint32_t station = 0;
  std::size_t port = 0;  ///< into NetworkLaneConfig::ports
};

struct NetworkLaneConfig {
  std::vector<NetworkPort> ports;
  std::vector<NetworkStation> stations;
  std::size_t frames = 16'384;  ///< in the network or waiting for a port
  std::uint32_t frame_bytes = 0;
  unsigned lcores = 1;
};

/// Every packet in rx_packets entered the network or is in one of the other counters of its way.
struct NetworkLaneCounters {
  std::uint64_t rx_packets = 0;
  std::uint64_t rx_stranger = 0;  ///< by no station's MAC address
  std::uint64_t rx_unusable = 0;  ///< too short, or no room for a copy of their headers
  std::uint64_t rx_outside = 0;   ///< of rx_packets, from ports outside
  std::uint64_t tx_packets = 0;
  std::uint64_t tx_outside = 0;  ///< of tx_packets, to ports outside
  std::uint64_t tx_short = 0;    ///< times a port took less than it was given; the rest waited
  std::uint64_t tx_dropped = 0;  ///< for a port outside that had taken nothing for too long
  std::uint64_t tx_waiting = 0;  ///< for their port, now
  std::uint64_t held_up = 0;     ///< turns in which packets were left in the rings for want of frames
  std::uint64_t late_turns = 0;  ///< that came more than kLate after what they had to do
  Time latest = 0;               ///< the worst of them
  Time late = 0;                 ///< all of them together
  static constexpr Time kLate = 20 * kMicrosecond;
};

/// A worker's share in a network of ours: takes packets from rings and ports, lets the network have them, and
/// gives those that arrive to the rings and ports they are for. What a ring does not take is kept and offered
/// again; no packet is lost here but those counted. When all frames are in use packets stay in the rings, and
/// boards wait. No system call, lock or allocation.
class NetworkLane {
 public:
  static constexpr std::uint16_t kBurst = 32;
  /// Packets that may wait for a port outside.
  static constexpr std::size_t kPortRoom = 2048;

  NetworkLane(const NetworkLaneConfig& config, const fabric::NetworkConfig& network, Mempools& pools);
  ~NetworkLane();
  NetworkLane(const NetworkLane&) = delete;
  NetworkLane& operator=(const NetworkLane&) = delete;

  /// One turn; true when anything arrived or left.
  bool run(Time now);
  /// A time before which run() has nothing to do unless something arrives.
  Time next_event(Time now) const;
  /// Packets wait for their ports.
  bool pending() const { return counters_.tx_waiting != 0; }

  fabric::NetworkSnapshot make_snapshot() const { return network_.make_snapshot(); }
  void take_snapshot(fabric::NetworkSnapshot& out, Time now) { network_.take_snapshot(out, now); }
  const NetworkLaneCounters& counters() const { return counters_; }

 private:
  /// Packets on their way out, in order.
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

  NetworkLaneConfig config_;
  MbufFrames frames_;
  fabric::Network network_;
  StationTable by_mac_;
  std::vector<std::size_t> port_of_;  ///< by station
  std::vector<Queue> queues_;         ///< by port
  std::array<fabric::Network::Delivery, 64> deliveries_{};
  NetworkLaneCounters counters_;
};

}  // namespace softfeb::dataplane
