// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/identity.hpp"
#include "engine/neighbour_answers.hpp"
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
  /// ARP counters. For IPv6, a neighbour solicitation counts as a request and an advertisement as a reply.
  std::uint64_t arp_requests_rx = 0;
  std::uint64_t arp_replies_rx = 0;
  std::uint64_t arp_requests_tx = 0;
  std::uint64_t arp_replies_tx = 0;
  std::uint64_t echo_replies_tx = 0;
  std::uint64_t answers_dropped = 0;  ///< because the queue was full, or the echo request was too large
};

/// Handles the protocols other than RoCE at an endpoint's address. Answers ARP requests, neighbour
/// solicitations and ICMP echo requests, and sends ARP requests and neighbour solicitations. Uses bounded
/// memory, so some answers are dropped during a flood of requests.
class Host {
 public:
  explicit Host(const Identity& identity);

  const Identity& identity() const { return identity_; }
  const NeighbourTable& neighbours() const { return neighbours_; }
  NeighbourTable& neighbours() { return neighbours_; }
  const HostCounters& counters() const { return counters_; }

  /// Processes an ARP packet. Returns the IP address learned from it, if any.
  std::optional<roce::IpAddress> on_arp(const roce::ParsedFrame& frame, Time now);
  /// Processes an ICMP or ICMPv6 packet. Returns false if it is not a valid echo request.
  bool on_icmp(const roce::ParsedFrame& frame);
  /// Processes an ICMPv6 packet if it is neighbour discovery for this endpoint; returns false otherwise.
  /// Sets `learned` to the IP address learned from the packet, if any.
  bool on_discovery(const roce::ParsedFrame& frame, Time now, std::optional<roce::IpAddress>& learned);
  /// Writes an ARP request or a neighbour solicitation for `ip`, and counts it as sent.
  void write_request(const roce::IpAddress& ip, TxFrame& out);

  bool has_answers() const { return !answers_.empty() || echo_count_ != 0; }
  /// Writes queued answers to `out`. Returns their number.
  std::size_t poll(std::span<TxFrame> out);

 private:
  static constexpr std::size_t kEchoQueue = 4;
  static constexpr std::size_t kEchoRoom = 9216;  ///< enough for jumbo pings, which are used to check the MTU

  struct NeighbourOut {
    bool reply = false;
    roce::MacAddress mac{};
    roce::IpAddress ip;
  };
  struct EchoOut {
    roce::MacAddress mac{};
    std::vector<std::uint8_t> packet;  ///< starts at the IP header; allocated once
  };

  void answer(const NeighbourAnswers::Asker& asker);
  void write(const NeighbourOut& n, TxFrame& out) const;
  std::uint8_t* write_ethernet(std::uint8_t* p, const roce::MacAddress& to, std::uint16_t ether_type) const;
  void write_arp(const NeighbourOut& n, TxFrame& out) const;
  void write_discovery(const NeighbourOut& n, TxFrame& out) const;
  bool queue_echo(const roce::ParsedFrame& frame);
  void write_echo(const EchoOut& echo, TxFrame& out) const;

  Identity identity_;
  NeighbourTable neighbours_;
  HostCounters counters_;
  NeighbourAnswers answers_;
  std::array<EchoOut, kEchoQueue> echo_;
  std::size_t echo_first_ = 0;
  std::size_t echo_count_ = 0;
};

}  // namespace softfeb::engine
