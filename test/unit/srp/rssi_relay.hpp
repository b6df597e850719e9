// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "rssi_bench.hpp"

#include <functional>
#include <map>

namespace softfeb::test {

/// The delay and the faults of datagrams in one direction.
struct RelayConfig {
  double loss = 0, duplicate = 0;
  double corrupt = 0;  ///< probability that the header is corrupted; RSSI does not protect the payload
  Time delay = 200 * kMicrosecond;
  Time jitter = 0;
  bool reorder = false;  ///< whether jitter may reorder datagrams; otherwise, the relay is a FIFO
};

/// A network in virtual time with a relay in each direction. It also calls the links' timers when they are
/// due.
class RelayNetwork {
 public:
  using Deliver = std::function<void(const srp::UdpPeer& from, ByteSpan, Time)>;

  explicit RelayNetwork(std::uint64_t seed) : rng_(seed) {}

  /// The transmit path of the host at `address`.
  class Port : public srp::DatagramSink {
   public:
    Port(RelayNetwork& network, const srp::UdpPeer& address, const RelayConfig& config)
        : network_(network), address_(address), config_(config) {}
    void send(const srp::UdpPeer& to, ByteSpan datagram) override {
      network_.relay(address_, to, config_, last_, datagram);
    }

   private:
    RelayNetwork& network_;
    srp::UdpPeer address_;
    RelayConfig config_;
    Time last_ = 0;
  };

  /// Sets the function that receives datagrams at an address. An empty function removes the receiver.
  void attach(const srp::UdpPeer& at, Deliver deliver) { nodes_[at.port] = std::move(deliver); }
  void attach(const srp::UdpPeer& at, srp::RssiLink& link) {
    attach(at, [&link](const auto& from, ByteSpan bytes, Time t) { link.on_datagram(from, bytes, t); });
    links_[at.port] = &link;
  }
  void detach(const srp::UdpPeer& at) {
    nodes_.erase(at.port);
    links_.erase(at.port);
  }

  /// Advances to the next event, or to `end`; returns false at `end`.
  bool step(Time end) {
    Time next = end;
    if (!flight_.empty()) next = std::min(next, flight_.begin()->first);
    for (const auto& [port, link] : links_) next = std::min(next, link->deadline());
    now = std::max(now, next);
    if (now >= end) return false;
    while (!flight_.empty() && flight_.begin()->first <= now) arrive();
    for (const auto& [port, link] : links_)
      if (link->deadline() <= now) link->on_timer(now);
    return true;
  }
  void run(Time time) {
    const Time end = now + time;
    while (step(end)) {
    }
  }
  /// Runs until `done` returns true, but at most for `time`. Returns false if this time has passed.
  bool run_until(const std::function<bool()>& done, Time time) {
    const Time end = now + time;
    while (!done()) {
      if (!step(end)) return done();
    }
    return true;
  }

  Time now = kSecond;
  std::size_t carried = 0;

 private:
  struct Datagram {
    srp::UdpPeer from, to;
    Bytes bytes;
  };

  bool chance(double p) { return rng_.chance(static_cast<std::uint64_t>(p * 4294967296.0)); }

  void relay(const srp::UdpPeer& from, const srp::UdpPeer& to, const RelayConfig& c, Time& last,
             ByteSpan bytes) {
    const int copies = chance(c.loss) ? 0 : chance(c.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      Time at = now + c.delay + rng_.below(c.jitter + 1);
      if (!c.reorder) at = last = std::max(at, last + 1);
      Datagram d{from, to, Bytes(bytes.begin(), bytes.end())};
      if (chance(c.corrupt))
        d.bytes[rng_.below(srp::rssi::kHeaderSize)] ^= static_cast<std::uint8_t>(1 + rng_.below(255));
      flight_.emplace(at, std::move(d));
    }
  }

  void arrive() {
    const Datagram d = std::move(flight_.begin()->second);
    flight_.erase(flight_.begin());
    ++carried;
    const auto node = nodes_.find(d.to.port);
    if (node != nodes_.end()) node->second(d.from, d.bytes, now);
  }

  Rng rng_;
  std::multimap<Time, Datagram> flight_;
  std::map<std::uint16_t, Deliver> nodes_;
  std::map<std::uint16_t, srp::RssiLink*> links_;
};

}  // namespace softfeb::test
