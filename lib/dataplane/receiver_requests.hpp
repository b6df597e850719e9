// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/rings.hpp"
#include "engine/endpoint.hpp"
#include "engine/receiver_action.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace softfeb::dataplane {

/// Queue pairs of a receiver that come and go. The control thread owns it, and touches it again when it is
/// done.
struct ReceiverRequest {
  std::size_t endpoint = 0;                     ///< place of the receiver in Worker::endpoints()
  std::vector<engine::ReceiverAction> actions;  ///< carried out in order, all at one time
  std::atomic<bool> done{false};
};

/// Such requests on their way from the control thread to a worker; as BoardRequests, in a ring of their own.
class ReceiverRequests {
 public:
  static constexpr std::size_t kRoom = 1024;
  static constexpr std::size_t kInOneTurn = 16;

  /// Control thread: false when too many wait.
  bool push(ReceiverRequest* request) { return ring_.push(request); }

  /// Worker: none waits.
  bool empty() const { return ring_.empty(); }
  /// Worker: carries out those that wait, in order. Requests for what is no receiver are done without effect.
  void serve(const std::vector<engine::Endpoint*>& endpoints);

 private:
  SpscRing<ReceiverRequest*> ring_{kRoom};
};

}  // namespace softfeb::dataplane
