// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace softfeb::service {

/// Reports the state of a service to systemd, for units of Type=notify. Does nothing if systemd did not start
/// the program as such a service.
///
/// The protocol is a datagram of NAME=VALUE lines. sd_notify(3) guarantees that the protocol is stable, and
/// recommends that programs implement it if they would otherwise need libsystemd only for this. Linking
/// libsystemd would load five more libraries into a process with capabilities.
class Notifier {
 public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  Notifier();
  /// `address` is the path of the socket, or @NAME in the abstract namespace; empty if there is no service
  /// manager.
  Notifier(const std::string& address, std::optional<Time> watchdog);
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  bool active() const { return socket_ >= 0; }
  /// Maximum interval between two calls of alive(), or nullopt if the service need not call it.
  std::optional<Time> watchdog() const { return watchdog_; }

  /// Reports that the start-up is complete. Later calls have no effect.
  void ready();
  /// Sets the line that `systemctl status` shows.
  void status(std::string_view text);
  void alive();
  /// Reports that the service is about to end. Later calls have no effect.
  void stopping();

 private:
  void send(std::string_view text) const;

  int socket_ = -1;
  std::optional<Time> watchdog_;
  bool ready_ = false;
  bool stopping_ = false;
};

}  // namespace softfeb::service
