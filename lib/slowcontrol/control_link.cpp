// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/control_link.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace softfeb::slowcontrol {

namespace {

/// Maximum number of in-band peers remembered. If there are more, the peer heard least recently is dropped,
/// but never the connected peer.
constexpr std::size_t kPeers = 16;

std::int64_t unix_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

ControlLink::ControlLink(const srp::RssiServerConfig& config, srp::RssiUser& user, Closed closed)
    : server_(config, *this, user), closed_(std::move(closed)) {
  server_.notify_closed([this](const srp::RssiClosed& c) { on_closed(c); });
}

ControlLink::~ControlLink() { disconnect(); }

void ControlLink::listen(boost::asio::io_context& io, const roce::IpAddress& address, std::uint16_t port,
                         sockets::UdpServerSocket::Allow allow, sockets::Clock clock) {
  socket_ = std::make_unique<sockets::UdpServerSocket>(io, address, port, std::move(allow), std::move(clock));
  socket_->start(server_);
}

void ControlLink::serve(InBandLink& link) {
  in_band_ = &link;
  link.connect(this);
}

void ControlLink::disconnect() {
  if (in_band_ != nullptr) in_band_->connect(nullptr);
  in_band_ = nullptr;
  refused_ = refused();
  socket_.reset();
}

void ControlLink::run_timers(Time now) {
  if (server_.deadline() <= now) server_.on_timer(now);
}

std::uint64_t ControlLink::refused() const { return socket_ ? socket_->counters().rx_refused : refused_; }

void ControlLink::on_in_band_datagram(const srp::UdpPeer& from, ByteSpan datagram, Time now) {
  if (socket_) heard_in_band(from);
  server_.on_datagram(from, datagram, now);
}

void ControlLink::heard_in_band(const srp::UdpPeer& from) {
  auto& peers = in_band_peers_;
  const auto at = std::find(peers.begin(), peers.end(), from);
  if (at != peers.end()) {
    std::rotate(at, at + 1, peers.end());
    return;
  }
  if (peers.size() == kPeers) {
    const bool connected = peers.front() == server_.status().peer;
    peers.erase(peers.begin() + (connected ? 1 : 0));
  }
  peers.push_back(from);
}

bool ControlLink::came_in_band(const srp::UdpPeer& peer) const {
  return std::find(in_band_peers_.begin(), in_band_peers_.end(), peer) != in_band_peers_.end();
}

bool ControlLink::by_own_address(const srp::UdpPeer& peer) const {
  return in_band_ != nullptr && (!socket_ || came_in_band(peer));
}

void ControlLink::on_closed(srp::RssiClosed closed) {
  closed.in_band = by_own_address(closed.peer);
  closed.unix_ns = unix_ns();
  history_.add(closed);
  if (closed_) closed_(closed);
}

void ControlLink::send(const srp::UdpPeer& to, ByteSpan datagram) {
  if (by_own_address(to)) {
    in_band_->send(to, datagram);
  } else if (socket_) {
    socket_->send(to, datagram);
  }
}

}  // namespace softfeb::slowcontrol
