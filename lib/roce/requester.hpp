// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/time.hpp"
#include "roce/headers.hpp"
#include "roce/packet.hpp"
#include "roce/work.hpp"

namespace softfeb::roce {

/// Timer rules and constants (WIRE.md sections 3 and 6).
enum class TimingProfile : std::uint8_t {
  kStandard,  ///< 4.096 µs·2^t; the timer starts when a packet that asks for an ACK has left
  kFirmware,  ///< the board's: constants of 6 ns clocks (×1.067), restart at any well-formed response
};

struct RequesterConfig {
  Transport transport = Transport::kRc;
  Qpn qpn = 0;       ///< ours; completions carry it
  Qpn dest_qpn = 0;  ///< the responder's
  std::uint32_t pmtu = 4096;
  Psn initial_psn = 0;
  bool sq_sig_all = false;  ///< every request signaled; AckReq on every packet, as the firmware does it
  std::uint8_t timeout = 14;        ///< code 0…31, 0 = never
  std::uint8_t retry_count = 3;     ///< 0…7, 7 = infinite
  std::uint8_t rnr_retry = 7;       ///< 0…7, 7 = infinite
  std::uint8_t min_rnr_timer = 1;   ///< own minimum code for RNR waits
  std::uint32_t send_queue_depth = 64;      ///< requests that can be posted and not yet completed
  std::uint32_t window_requests = 16;       ///< requests sent and not acknowledged (RC)
  std::uint32_t window_packets = 0;         ///< packets sent and not acknowledged (RC), 0 = as PSNs allow
  std::uint32_t ack_every = 0;              ///< AckReq on every N-th packet of a message besides its last, 0 = last only
  TimingProfile timing = TimingProfile::kStandard;
};

struct RequesterCounters {
  std::uint64_t packets = 0;  ///< all that left, retransmissions included
  std::uint64_t retransmitted_packets = 0;
  std::uint64_t payload_bytes = 0;  ///< of first transmissions
  std::uint64_t messages_completed = 0;  ///< status success, unsignaled ones too
  std::uint64_t messages_failed = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t ack_rx = 0;
  std::uint64_t rnr_rx = 0;
  std::uint64_t nak_sequence_rx = 0;
  std::uint64_t nak_invalid_request_rx = 0;
  std::uint64_t nak_remote_access_rx = 0;
  std::uint64_t nak_remote_operational_rx = 0;
  std::uint64_t nak_invalid_rd_rx = 0;
  std::uint64_t responses_ignored = 0;  ///< duplicate, old or future PSN, reserved syndrome
};

/// The send half of a queue pair: turns work requests into packets and responses into completions, with go-back-N
/// (IBA 9.7.5–9.7.7, C9-128 ff.). Sans-I/O: no clock, no allocation after construction, not thread-safe.
///
/// The owner's loop: post(); while (ready(now)) next(packet) and send it; on_response() for every acknowledgement;
/// on_timer() when `now` reaches deadline(); poll() completions, which come in posting order.
class Requester {
 public:
  explicit Requester(const RequesterConfig& config);
  ~Requester();
  Requester(Requester&&) noexcept;
  Requester& operator=(Requester&&) noexcept;

  /// Queues a request. False when the send queue is full (nothing is changed). In ERR the request completes
  /// as flushed; a verb the requester does not do completes with kLocalOperationError and moves the QP to ERR.
  bool post(const WorkRequest& request, Time now);
  bool can_post() const;

  /// True when a packet may leave now as far as this QP is concerned (window, RNR wait, state).
  bool ready(Time now) const;
  /// The packet that would leave next, without sending it. Requires ready().
  RequestPacket peek() const;
  /// Takes the next packet for sending at `now`. Requires ready().
  RequestPacket next(Time now);
  /// The payload of the packet that next() gave last cannot be had: the request ends with kLocalOperationError.
  void payload_error(Time now);

  /// An acknowledgement for this QP arrived (well formed, iCRC right, peer verified).
  void on_response(const Aeth& aeth, Psn psn, Time now);

  /// Earliest time at which on_timer() has something to do; kNever when nothing runs.
  Time deadline() const;
  void on_timer(Time now);

  /// Next completion in posting order. Unsignaled successes are passed over.
  bool poll(Completion& out);

  /// RTS ↔ SQD (requests wait) and → ERR (everything unfinished completes as flushed).
  void set_state(QpState state, Time now);
  QpState state() const;

  /// Requests posted and not completed.
  std::uint32_t outstanding() const;
  bool idle() const { return outstanding() == 0; }
  const RequesterCounters& counters() const;
  const RequesterConfig& config() const;
};

/// The wait an RNR NAK with this timer code asks for (IBA table 45).
Time rnr_wait(std::uint8_t timer_code);

}  // namespace softfeb::roce
