// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/doorbell.hpp"
#include "dataplane/lane.hpp"
#include "dataplane/rings.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::dataplane {

/// A lane and the control thread: received datagrams of the slow control one way, frames to be sent the
/// other. Made before the lane, gone after its worker has ended; what is still in the rings is freed then.
class ControlExchange {
 public:
  /// Frames each way that wait at one time; what comes beyond is dropped by whoever brings it, and counted.
  static constexpr std::size_t kRoom = 1024;

  ControlExchange() = default;
  ~ControlExchange();
  ControlExchange(const ControlExchange&) = delete;
  ControlExchange& operator=(const ControlExchange&) = delete;

  SpscRing<ControlDatagram>& received() { return received_; }
  SpscRing<ControlFrame>& to_send() { return to_send_; }
  /// Control thread: gives the lane a frame; false when too many wait.
  bool send(const ControlFrame& frame);
  /// Of the lane's worker; null (the default) where it never waits.
  void set_worker(Doorbell* doorbell) { worker_ = doorbell; }

  /// The control thread serves nobody here: frees what came; returns how many.
  std::uint64_t drop_received();

 private:
  SpscRing<ControlDatagram> received_{kRoom};
  SpscRing<ControlFrame> to_send_{kRoom};
  Doorbell* worker_ = nullptr;
};

}  // namespace softfeb::dataplane
