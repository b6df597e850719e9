// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "congestion/homa_receiver.hpp"
#include "roce/congestion_header.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::engine {

struct ReceiveQpSetup;

/// The receiver half of Homa for the queue pairs of a receiver. Follows the messages of queue pairs that need
/// grants, and queues the GRANTs and RESENDs for their requesters. At most one frame is queued per queue
/// pair; a later grant replaces an earlier one. Only the constructor allocates.
class Granter {
 public:
  struct Frame {
    std::uint32_t qp;  ///< index of the queue pair
    roce::CreditBody body;
  };

  /// Serves the queue pairs whose setup has `grants` set and ignores all others. Queue pairs whose requesters
  /// have the same IP address count as one peer.
  Granter(const congestion::HomaParameters& parameters, std::span<const ReceiveQpSetup> qps);

  /// Call when packet number `packet` of queue pair `qp` was accepted. If this is the first packet of a
  /// message, `length` is the length of the message in bytes.
  void accepted(Time now, std::uint32_t qp, std::uint64_t packet, std::optional<std::uint32_t> length) {
    if (!qps_[qp].served) return;
    if (length) {
      qps_[qp].first = packet;
      hold(homa_.first(now, qp, qps_[qp].peer, *length));
    } else {
      hold(homa_.data(now, qp));
    }
  }
  /// Call when the requester of `qp` answered BUSY.
  void busy(Time now, std::uint32_t qp) { homa_.busy(now, qp); }
  /// Call when no more packets of `qp` will be accepted.
  void forget(std::uint32_t qp) { hold(homa_.forget(qp)); }

  /// Time at which to call run_timer(); kNever if no packet is missing.
  Time deadline() const { return homa_.deadline(); }
  /// Queues requests for packets that are overdue.
  void run_timer(Time now);

  bool has_frames() const { return count_ != 0; }
  /// Removes and returns the next frame to be sent, if there is one.
  std::optional<Frame> next();

 private:
  struct Qp {
    std::uint64_t first = 0;  ///< number of the message's first packet
    std::uint32_t peer = 0;
    roce::Psn initial_psn = 0;
    bool served = false;
    roce::CreditBody held{};  ///< the queued frame; kind 0 means that none is queued
  };

  void hold(std::span<const congestion::HomaReceiver::Grant> grants);
  void hold(std::uint32_t qp, std::uint8_t kind, std::uint32_t granted, std::uint8_t priority);

  std::vector<Qp> qps_;
  congestion::HomaReceiver homa_;
  std::vector<std::uint32_t> queue_;  ///< ring of queue pairs that have a queued frame
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace softfeb::engine
