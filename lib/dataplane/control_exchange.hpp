// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/doorbell.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/rings.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::dataplane {

/// Rings between a port queue and the control thread: received slow-control datagrams in one direction,
/// frames to send in the other. Create it before the port queue and destroy it after the worker has ended;
/// the destructor frees the packets still in the rings.
class ControlExchange {
 public:
  /// Capacity of each ring. When a ring is full, its producer drops the packet and counts it.
  static constexpr std::size_t kRoom = 1024;

  ControlExchange() = default;
  ~ControlExchange();
  ControlExchange(const ControlExchange&) = delete;
  ControlExchange& operator=(const ControlExchange&) = delete;

  SpscRing<ControlDatagram>& received() { return received_; }
  SpscRing<ControlFrame>& to_send() { return to_send_; }
  /// Control thread: passes a frame to the port queue. Returns false when the ring is full; the caller then
  /// still owns the packet.
  bool send(const ControlFrame& frame);
  /// Sets the doorbell of the port queue's worker; null (the default) if the worker never sleeps.
  void set_worker(Doorbell* doorbell) { worker_ = doorbell; }

  /// Frees the received datagrams and returns their number. Call it if the control thread serves no board of
  /// this port queue.
  std::uint64_t drop_received();

 private:
  SpscRing<ControlDatagram> received_{kRoom};
  SpscRing<ControlFrame> to_send_{kRoom};
  Doorbell* worker_ = nullptr;
};

}  // namespace softfeb::dataplane
