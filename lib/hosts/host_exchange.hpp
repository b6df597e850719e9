// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace softfeb::hosts {

/// Connects the processes of an experiment on several hosts while traffic runs. Unlike in
/// simulator::Exchange, no function waits for another process indefinitely, because that process may have
/// died.
class HostExchange {
 public:
  using Bytes = std::vector<std::uint8_t>;
  /// Receives a message of process `from`.
  using Take = std::function<void(std::uint32_t from, ByteSpan message)>;

  virtual ~HostExchange() = default;
  virtual std::uint32_t size() const = 0;  ///< number of processes
  virtual std::uint32_t rank() const = 0;  ///< number of this process
  /// True if this process must end, because another process has died or all processes have been told to end.
  /// Once this is true, other processes may no longer answer.
  virtual bool ended() const = 0;

  /// Sends a message without waiting for its receiver. Messages between two processes stay in order.
  virtual void post(std::uint32_t to, Bytes message) = 0;
  /// Passes the messages that have arrived to `take`. Also lets the messages of post() make progress.
  virtual void poll(const Take& take) = 0;

  /// send() and receive() transfer a short message with as little delay as possible. Both processes must know
  /// the size of the message in advance. Short messages are separate from the messages of post(). receive()
  /// uses the whole CPU while it waits, and returns false if ended() becomes true before the message has
  /// arrived.
  virtual void send(std::uint32_t to, ByteSpan message) = 0;
  virtual bool receive(std::uint32_t from, std::span<std::uint8_t> message) = 0;
};

}  // namespace softfeb::hosts
