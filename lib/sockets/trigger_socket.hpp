// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::sockets {

/// A UDP socket that sends the same datagram to many hosts, and receives their answers. Only one thread may
/// use it.
class TriggerSocket {
 public:
  static constexpr std::size_t kDatagram = 32;  ///< size in bytes of the datagrams that are sent

  /// All `hosts` must have the same IP version. Throws SocketError.
  TriggerSocket(const std::vector<roce::IpAddress>& hosts, std::uint16_t port);
  ~TriggerSocket();
  TriggerSocket(const TriggerSocket&) = delete;
  TriggerSocket& operator=(const TriggerSocket&) = delete;

  /// Makes the system look up the link-layer addresses of all hosts, with an empty datagram to their port
  /// "discard" (RFC 863). Call this well before the first send(): while the system looks up the address of a
  /// host, it queues the datagrams for that host, and datagrams that are sent later can overtake the queued
  /// ones.
  void resolve();
  /// Sends `datagram` (kDatagram bytes) to all hosts. Waits while the socket buffer is full.
  void send(const std::uint8_t* datagram);
  /// Returns the next datagram that has arrived; nullopt if there is none. A datagram can have any length,
  /// but only its first kDatagram + 1 bytes are returned, which is enough to recognise a datagram that is too
  /// long. The bytes are valid until the next call.
  std::optional<ByteSpan> receive();
  /// Waits until a datagram has arrived, but at most for `longest`, and never for more than one second. A
  /// signal ends the wait.
  void wait(Time longest) const;

  std::uint64_t sent() const { return sent_; }
  /// Number of datagrams that the system refused, because there was no route or the host's port was closed.
  std::uint64_t failed() const { return failed_; }

 private:
  struct Messages;

  int fd_ = -1;
  std::unique_ptr<Messages> messages_;
  std::array<std::uint8_t, kDatagram + 1> received_{};
  std::uint64_t sent_ = 0;
  std::uint64_t failed_ = 0;
};

}  // namespace softfeb::sockets
