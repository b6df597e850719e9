// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace softfeb::service {

/// Reports the state of a service to systemd, for units of Type=notify. Does nothing if the program is not
/// such a service.
///
/// The protocol is a datagram with lines NAME=VALUE, and is stable (sd_notify(3), which recommends to
/// implement it rather than to depend on libsystemd only for it). libsystemd would load five more libraries
/// into a process with capabilities.
class Notifier {
 public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  Notifier();
  /// `address`: path of the socket; @NAME is in the abstract namespace. Empty: there is no service manager.
  Notifier(const std::string& address, std::optional<Time> watchdog);
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  bool active() const { return socket_ >= 0; }
  /// The service must call alive() at least this often; nullopt: it need not.
  std::optional<Time> watchdog() const { return watchdog_; }

  /// Start-up is complete. Later calls have no effect.
  void ready();
  /// One line that `systemctl status` shows.
  void status(std::string_view text);
  void alive();
  /// The service is about to end. Later calls have no effect.
  void stopping();

 private:
  void send(std::string_view text) const;

  int socket_ = -1;
  std::optional<Time> watchdog_;
  bool ready_ = false;
  bool stopping_ = false;
};

}  // namespace softfeb::service
