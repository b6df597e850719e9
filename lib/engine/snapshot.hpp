// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/board.hpp"
#include "engine/receiver.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::engine {

/// A sending QP's figures at one moment. Those of a slot of the metadata bus are sums over all QPs it has
/// held, but for `failure`, which is the last one's; QPNs are those of the last one, too.
struct SendQpSnapshot {
  roce::Qpn qpn = 0;
  roce::Qpn dest_qpn = 0;
  bool on_bus = false;  ///< a slot of the metadata bus; they come after the configured ones
  bool exists = true;   ///< false: a slot that holds no QP now
  /// UC: a completion means that a message was sent, not that it arrived. Also of a slot that has held a UC
  /// QP.
  bool uc = false;
  roce::RequesterCounters requester;
  SendQpCounters counters;
  std::uint64_t completed_payload_bytes = 0;
  /// Of a slot: when the first messages completed with success (kNever: none has), and their payload.
  Time first_completed = kNever;
  std::uint64_t first_completed_bytes = 0;
  std::uint64_t messages_made = 0;
  Time pacing_given_up = 0;
  std::optional<roce::WcStatus> failure;
  std::optional<dcqcn::CongestionState>
      congestion;  ///< at the time of the copy; none without a congestion control
  bool resolved = false;
};

/// A receiving QP's figures at one moment.
struct ReceiveQpSnapshot {
  roce::ResponderCounters responder;
  std::uint64_t bytes_checked = 0;
  std::uint64_t bytes_wrong = 0;
  std::uint64_t congestion_experienced = 0;
  std::uint64_t missing_messages = 0;
  Time last_uc_message = 0;  ///< Receiver::last_uc_message()
};

/// An endpoint's figures: of all its QPs, each taken at a time that differs by at most the length of the
/// whole copy.
struct EndpointSnapshot {
  Time taken_at = 0;  ///< when the last QP was copied
  EndpointCounters endpoint;
  HostCounters host;
  std::uint64_t cnp_tx = 0;
  std::uint64_t replies_dropped = 0;
  std::size_t unresolved = 0;
  Time resolution_took = 0;  ///< of a board: NextHops::took()
  Time paused = 0;           ///< by pause frames, the link or some priority of it
  bool finished = false;     ///< a board: all its messages have completed
  std::vector<SendQpSnapshot> send_qps;
  std::vector<ReceiveQpSnapshot> receive_qps;
};

/// Room for an endpoint's figures, so that taking them allocates nothing.
EndpointSnapshot make_snapshot(const Endpoint& endpoint);

/// Copies figures of up to `limit` QPs from the `first`-th on, and with the last ones the endpoint's own;
/// returns the number of the next QP, or the QP count when it is complete. A slice at a time: packets wait no
/// longer than one slice.
std::size_t take_snapshot(const Endpoint& endpoint, EndpointSnapshot& out, std::size_t first,
                          std::size_t limit, Time now);

}  // namespace softfeb::engine
