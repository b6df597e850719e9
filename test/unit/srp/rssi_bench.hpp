// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rssi_client.hpp"
#include "srp/rssi_header.hpp"
#include "srp/rssi_server.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace softfeb::test {

using Bytes = std::vector<std::uint8_t>;
inline constexpr std::uint8_t kSynAck = srp::rssi::kSyn | srp::rssi::kAck;

inline srp::UdpPeer udp_peer(const char* ip, std::uint16_t port) {
  return {*roce::IpAddress::parse(ip), port};
}
inline const srp::UdpPeer kServer = udp_peer("192.168.2.10", 8192);
inline const srp::UdpPeer kClient = udp_peer("192.168.2.100", 40'000);

/// Stores the datagrams that a link sends.
struct Outbox : srp::DatagramSink {
  struct Sent {
    srp::UdpPeer to;
    Bytes bytes;
  };

  void send(const srp::UdpPeer& to, ByteSpan datagram) override {
    sent.push_back({to, Bytes(datagram.begin(), datagram.end())});
  }
  std::optional<Sent> take() {
    if (sent.empty()) return std::nullopt;
    Sent first = std::move(sent.front());
    sent.pop_front();
    return first;
  }

  std::deque<Sent> sent;
};

/// Stores the data that a link delivers. The test selects whether it accepts data.
struct Recorder : srp::RssiUser {
  void on_open(Time) override { ++opened; }
  void on_close(srp::RssiClose reason, Time) override {
    ++closed;
    why = reason;
  }
  bool on_segment(ByteSpan payload, Time) override {
    if (refuse) return false;
    segments.emplace_back(payload.begin(), payload.end());
    return true;
  }
  void on_room(Time) override { ++rooms; }

  unsigned opened = 0, closed = 0, rooms = 0;
  std::optional<srp::RssiClose> why;
  bool refuse = false;
  std::vector<Bytes> segments;
};

/// Returns a datagram as a peer would send it.
inline Bytes segment(std::uint8_t flags, std::uint8_t sequence, std::uint8_t acknowledge,
                     ByteSpan data = {}) {
  Bytes bytes(srp::rssi::kHeaderSize);
  srp::rssi::encode({flags, sequence, acknowledge}, bytes.data());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

inline Bytes syn(std::uint8_t flags, std::uint8_t sequence, std::uint8_t acknowledge,
                 const srp::RssiParameters& p) {
  const auto bytes = srp::rssi::encode_syn({flags, sequence, acknowledge}, {.parameters = p});
  return {bytes.begin(), bytes.end()};
}

/// The parameters that a Rogue client proposes for the register link.
inline constexpr srp::RssiParameters kRogue{32, 1464, 20, 5, 1000, 15, 2};

/// A single link. The test acts as its peer, datagram by datagram.
struct Bench {
  Outbox out;
  Recorder user;
  Time now = kSecond;

  /// Parses the next datagram that the link has sent. The datagram itself stays in `last`.
  std::optional<srp::rssi::Segment> next() {
    last = out.take();
    return last ? srp::rssi::parse(last->bytes) : std::nullopt;
  }
  std::optional<srp::rssi::Header> header() {
    const auto s = next();
    return s ? std::optional(s->header) : std::nullopt;
  }
  void pass(srp::RssiLink& link, Time time) {
    const Time end = now + time;
    while (link.deadline() <= end) {
      now = std::max(now, link.deadline());
      link.on_timer(now);
    }
    now = end;
  }

  std::optional<Outbox::Sent> last;
};

struct ServerBench : Bench {
  explicit ServerBench(const srp::RssiServerConfig& config = {}) : server(config, out, user) {}

  void hear(const Bytes& datagram, const srp::UdpPeer& from = kClient) {
    server.on_datagram(from, datagram, now);
  }
  void pass(Time time) { Bench::pass(server, time); }
  /// Opens a connection. The first data segment of the client will have number 101, and that of the server
  /// 0x81.
  void connect(const srp::RssiParameters& p = kRogue) {
    hear(syn(srp::rssi::kSyn, 100, 0, p));
    out.sent.clear();
    hear(segment(srp::rssi::kAck, 101, 0x80));
  }

  srp::RssiServer server;
};

struct ClientBench : Bench {
  explicit ClientBench(const srp::RssiClientConfig& config = {}) : client(config, kServer, out, user) {}

  void hear(const Bytes& datagram, const srp::UdpPeer& from = kServer) {
    client.on_datagram(from, datagram, now);
  }
  void pass(Time time) { Bench::pass(client, time); }
  /// Opens a connection. The first data segment of the client will have number 101, and that of the server
  /// 0x81.
  void connect(const srp::RssiParameters& p = {}) {
    client.connect(now);
    hear(syn(srp::rssi::kSyn | srp::rssi::kAck, 0x80, 100, p));
    out.sent.clear();
  }

  srp::RssiClient client;
};

}  // namespace softfeb::test
