// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>

/// lib/congestion has the interface between the engine and congestion control (this header), and algorithms
/// that implement it. The DCQCN algorithms are in lib/dcqcn. The library is sans-I/O and may include only
/// lib/base.
namespace softfeb::congestion {

/// Contents of an acknowledgement, as reported to a congestion control algorithm.
struct Ack {
  Time sent_at = 0;  ///< departure of the newest acknowledged packet (of its last copy, if retransmitted)
  std::uint32_t bytes = 0;    ///< counted bytes acknowledged for the first time
  std::uint32_t granted = 0;  ///< counted bytes of additional credit, if the receiver grants credit
  ByteSpan telemetry = {};    ///< in-band telemetry (INT) collected on the path, if any
};

/// Reason for a retransmission.
enum class Nak : std::uint8_t {
  kSequence,          ///< NAK 0x60: a packet was lost
  kReceiverNotReady,  ///< RNR NAK: the peer had no receive request
  kTimeout,           ///< the ACK timer expired; no NAK was received
};

/// State reported to telemetry.
struct CongestionState {
  std::uint64_t rate = 0;         ///< Rc, bytes per second
  std::uint64_t target_rate = 0;  ///< Rt; equals `rate` if the algorithm has no target rate
  std::uint32_t alpha = 0;        ///< in units of 1 / `alpha_one`; 0 if the algorithm has no alpha
  std::uint32_t alpha_one = 1;
  std::uint32_t stage = 0;    ///< increases since the last CNP
  std::uint64_t cnps = 0;     ///< number of CNPs (16 bits in the firmware)
  std::int64_t credit = 0;    ///< bytes that may be sent immediately
  std::uint64_t spilled = 0;  ///< bytes of credit lost because the bucket was full
};

/// Congestion control for one queue pair, or for several that share a rate. Sans-I/O: the caller reports
/// events; the algorithm answers when the next frame may leave (rate- and credit-based algorithms) and how
/// many bytes may be unacknowledged (window-based algorithms).
///
/// Calls must be in time order. Bytes are counted as in the firmware: from BTH through pad, including
/// retransmissions, excluding Ethernet, IP, UDP and iCRC. No call allocates memory.
///
/// Dispatch is virtual because the set of algorithms is open. The calls predict well, since the queue pairs
/// of a worker usually share one algorithm, and departure(), which the pacing wheel calls repeatedly, makes a
/// virtual call only after an event.
///
/// The engine does not use ack() and window(), because neither current algorithm needs them. To add an
/// algorithm that does, start at engine::SendQp::on_response() and may_send(). See doc/dcqcn.md.
class CongestionControl {
 public:
  static constexpr std::uint64_t kNoWindow = UINT64_MAX;

  virtual ~CongestionControl() = default;

  /// Returns when a frame of `bytes` counted bytes may leave if no further event occurs. A time not after
  /// `now` means now; kNever means that an event is required first. Ask again after every event, because a
  /// new rate also moves the departure. Also ask again at the returned time: while the rate keeps changing,
  /// the prediction covers only a limited number of changes.
  Time departure(std::uint32_t bytes, Time now) {
    if (bytes != asked_bytes_ || (now >= answer_ && !final_)) keep(bytes, find_departure(bytes, now));
    return answer_;
  }

  /// Traffic starts; credit accumulates from `now` on.
  void start(Time now) {
    forget();
    on_start(now);
  }
  /// A frame of `bytes` counted bytes left. The caller must have checked departure(); a frame sent without
  /// credit leaves a debt.
  void sent(std::uint32_t bytes, Time now) {
    forget();
    on_sent(bytes, now);
  }
  /// Combines sent(bytes) and departure(next): the per-packet cost of a queue pair.
  Time sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) {
    keep(next, on_sent_then_departure(bytes, next, now));
    return answer_;
  }
  /// A CNP for this queue pair was received at `now`. A CNP that accompanies a NAK (ConnectX-5 and -6 send
  /// both) is treated like any other; the two events are reported separately, in either order.
  void cnp(Time now) {
    forget();
    on_cnp(now);
  }
  void ack(const Ack& ack, Time now) {
    forget();
    on_ack(ack, now);
  }
  void nak(Nak nak, Time now) {
    forget();
    on_nak(nak, now);
  }
  /// Called when the time returned by timer() is reached.
  void timer_expired(Time now) {
    forget();
    on_timer(now);
  }

  /// Time at which to call timer_expired() if no event occurs before. Algorithms that advance lazily need no
  /// timer.
  Time timer() const { return timed_ ? timer_at() : kNever; }
  /// Limit on unacknowledged counted bytes.
  virtual std::uint64_t window() const { return kNoWindow; }
  /// Memory footprint in bytes.
  virtual std::size_t memory() const = 0;
  /// The state at `now`. Does not change the object.
  virtual CongestionState state(Time now) const = 0;

 protected:
  struct Departure {
    Time at = kNever;
    /// True: `at` is valid until an event occurs. False: search again at `at`.
    bool final = true;
  };

  CongestionControl() = default;
  CongestionControl(const CongestionControl&) = default;
  CongestionControl& operator=(const CongestionControl&) = default;

  /// Invalidates the cached departure.
  void forget() { asked_bytes_ = UINT32_MAX; }

  /// Enables timer_at(). timer() is called for every packet, so algorithms without a timer skip the virtual
  /// call.
  void set_timed(bool timed) { timed_ = timed; }
  virtual Time timer_at() const { return kNever; }

  virtual Departure find_departure(std::uint32_t bytes, Time now) = 0;
  virtual void on_start(Time) {}
  virtual void on_sent(std::uint32_t bytes, Time now) = 0;
  /// Combines on_sent() and find_departure(). A final class may override this to avoid two virtual calls.
  virtual Departure on_sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) {
    on_sent(bytes, now);
    return find_departure(next, now);
  }
  virtual void on_cnp(Time) {}
  virtual void on_ack(const Ack&, Time) {}
  virtual void on_nak(Nak, Time) {}
  virtual void on_timer(Time) {}

 private:
  void keep(std::uint32_t bytes, const Departure& answer) {
    asked_bytes_ = bytes;
    answer_ = answer.at;
    final_ = answer.final;
  }

  Time answer_ = kNever;
  std::uint32_t asked_bytes_ = UINT32_MAX;
  bool final_ = true;
  bool timed_ = false;
};

}  // namespace softfeb::congestion
