// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/rings.hpp"
#include "engine/endpoint.hpp"
#include "engine/receiver_action.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace softfeb::dataplane {

/// Creates and removes queue pairs of a receiver. Owned by the control thread, which must not touch it until
/// `done`.
struct ReceiverRequest {
  std::size_t endpoint = 0;                     ///< index of the receiver in Worker::endpoints()
  std::vector<engine::ReceiverAction> actions;  ///< applied in order, in the same iteration
  std::atomic<bool> done{false};
};

/// Queue of receiver requests from the control thread to a worker; like BoardRequests, a separate ring.
class ReceiverRequests {
 public:
  static constexpr std::size_t kRoom = 1024;
  static constexpr std::size_t kInOneTurn = 16;

  /// Control thread: returns false when the ring is full.
  bool push(ReceiverRequest* request) { return ring_.push(request); }

  /// Worker: true when no request is pending.
  bool empty() const { return ring_.empty(); }
  /// Worker: serves up to kInOneTurn pending requests in order. A request whose endpoint is not a receiver
  /// completes without effect.
  void serve(const std::vector<engine::Endpoint*>& endpoints);

 private:
  SpscRing<ReceiverRequest*> ring_{kRoom};
};

}  // namespace softfeb::dataplane
