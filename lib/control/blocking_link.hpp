// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/rssi_client.hpp"
#include "control/udp_socket.hpp"

#include <functional>
#include <string>

#include <boost/asio/io_context.hpp>

namespace softfeb::control {

/// An RSSI client for programs that do one thing after the other: an io_context that runs only while somebody
/// waits. Between waits nothing is sent, so a server closes the link after its null timeout (1 s as a rule);
/// wait_open() then opens another. Time is steady_time().
class BlockingLink {
 public:
  /// Throws SocketError. Connects with the first wait_open().
  BlockingLink(const RssiClientConfig& config, const UdpPeer& server, RssiUser& user);
  /// Tells the server, if the link is open.
  ~BlockingLink() { close(); }
  BlockingLink(const BlockingLink&) = delete;
  BlockingLink& operator=(const BlockingLink&) = delete;

  RssiClient& link() { return link_; }
  const RssiClient& link() const { return link_; }

  /// Takes what has come meanwhile, then waits for a link. False when there is none in `limit`.
  bool wait_open(Time limit);
  /// Runs until `done` holds after an event. False when `limit` has passed.
  bool run_until(const std::function<bool()>& done, Time limit);
  /// Waits for an event, at most to this moment, and handles what is ready.
  void run_some(Time until);
  void close();

  /// After wait_open() has failed: what was seen of the server since it began, and the likely causes, in one
  /// line.
  std::string why_not_open() const;

 private:
  boost::asio::io_context io_{1};
  UdpClientSocket socket_;
  UdpPeer server_;
  RssiClient link_;
  bool connecting_ = false;
  std::uint64_t errors_before_ = 0;
};

}  // namespace softfeb::control
