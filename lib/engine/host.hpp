// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/identity.hpp"
#include "engine/neighbours.hpp"
#include "engine/tx_frame.hpp"
#include "roce/frame.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::engine {

struct HostCounters {
  std::uint64_t arp_requests_rx = 0;
  std::uint64_t arp_replies_rx = 0;
  std::uint64_t arp_requests_tx = 0;
  std::uint64_t arp_replies_tx = 0;
  std::uint64_t echo_replies_tx = 0;
  std::uint64_t answers_dropped = 0;  ///< more answers owed than we keep
};

/// What every address does besides RoCE: answers ARP and ICMP echo, and asks for neighbours. Bounded: whoever
/// floods us with questions loses answers, nothing else.
class Host {
 public:
  explicit Host(const Identity& identity);

  const Identity& identity() const { return identity_; }
  const NeighbourTable& neighbours() const { return neighbours_; }
  NeighbourTable& neighbours() { return neighbours_; }
  const HostCounters& counters() const { return counters_; }

  /// Takes an ARP packet; answers the address it taught us, if any.
  std::optional<roce::IpAddress> on_arp(const roce::ParsedFrame& frame, Time now);
  /// Takes an ICMP packet; false when it is no echo request for us.
  bool on_icmp(const roce::ParsedFrame& frame);
  /// Queues an ARP request for `ip` (IPv4).
  void request(const roce::IpAddress& ip);

  bool has_answers() const { return arp_count_ != 0 || echo_count_ != 0; }
  /// Hands out queued answers and requests.
  std::size_t poll(std::span<TxFrame> out);

 private:
  static constexpr std::size_t kArpQueue = 64;
  static constexpr std::size_t kEchoQueue = 4;
  static constexpr std::size_t kEchoRoom = 9216;  ///< jumbo pings are how people check an MTU

  struct ArpOut {
    bool reply = false;
    roce::MacAddress mac{};
    roce::IpAddress ip;
  };
  struct EchoOut {
    roce::MacAddress mac{};
    std::vector<std::uint8_t> packet;  ///< IP header on; room allocated once
  };

  void queue_arp(const ArpOut& arp);
  std::uint8_t* write_ethernet(std::uint8_t* p, const roce::MacAddress& to, std::uint16_t ether_type) const;
  void write_arp(const ArpOut& arp, TxFrame& out) const;
  void write_echo(const EchoOut& echo, TxFrame& out) const;

  Identity identity_;
  NeighbourTable neighbours_;
  HostCounters counters_;
  std::array<ArpOut, kArpQueue> arp_;
  std::size_t arp_first_ = 0;
  std::size_t arp_count_ = 0;
  std::array<EchoOut, kEchoQueue> echo_;
  std::size_t echo_first_ = 0;
  std::size_t echo_count_ = 0;
};

}  // namespace softfeb::engine
