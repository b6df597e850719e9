// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sockets/udp_socket.hpp"
#include "srp/rssi_client.hpp"

#include <functional>
#include <string>

#include <boost/asio/io_context.hpp>

namespace softfeb::sockets {

/// RSSI client for sequential programs. The io_context runs only inside a wait. Nothing is sent between
/// waits, so the server closes the link after its null timeout (usually 1 s); wait_open() then opens the link
/// again. Times are those of steady_time().
class BlockingLink {
 public:
  /// Throws SocketError. Connects in the first wait_open().
  BlockingLink(const srp::RssiClientConfig& config, const srp::UdpPeer& server, srp::RssiUser& user);
  /// Sends RST if the link is open.
  ~BlockingLink() { close(); }
  BlockingLink(const BlockingLink&) = delete;
  BlockingLink& operator=(const BlockingLink&) = delete;

  srp::RssiClient& link() { return link_; }
  const srp::RssiClient& link() const { return link_; }

  /// Handles pending events, then waits up to `limit` for an open link. Returns false on timeout.
  bool wait_open(Time limit);
  /// Runs until `done` returns true, which is checked after each event. Returns false after `limit`.
  bool run_until(const std::function<bool()>& done, Time limit);
  /// Waits for an event, at most until `until`, then handles all events that are ready.
  void run_some(Time until);
  void close();

  /// Explains in one line why the last wait_open() failed: how the server has responded since the call, and
  /// the likely causes.
  std::string why_not_open() const;

 private:
  boost::asio::io_context io_{1};
  UdpClientSocket socket_;
  srp::UdpPeer server_;
  srp::RssiClient link_;
  bool connecting_ = false;
  std::uint64_t errors_before_ = 0;
};

}  // namespace softfeb::sockets
