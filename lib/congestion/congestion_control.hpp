// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "congestion/ack.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// lib/congestion defines the interface between the engine and congestion control (this header). The library
/// contains algorithms that implement this interface: TIMELY (timely.hpp), Swift (swift.hpp), HPCC (hpcc.hpp)
/// and Homa (homa.hpp). The DCQCN algorithms are in lib/dcqcn. The library is sans-I/O and may include only
/// lib/base. After this header, read timely.cpp.
namespace softfeb::congestion {

/// Bit mask of the hooks that an algorithm implements. For all other hooks, the engine makes no virtual
/// call and need not prepare arguments.
using Hooks = std::uint16_t;
inline constexpr Hooks kOnAck = 1U << 0;
inline constexpr Hooks kOnNak = 1U << 1;
inline constexpr Hooks kOnCnp = 1U << 2;
inline constexpr Hooks kOnGranted = 1U << 3;
inline constexpr Hooks kOnPosted = 1U << 4;
inline constexpr Hooks kTimer = 1U << 5;     ///< enables timer_at() and on_timer()
inline constexpr Hooks kWindow = 1U << 6;    ///< enables find_window()
inline constexpr Hooks kPriority = 1U << 7;  ///< enables choose_priority()
inline constexpr Hooks kRank = 1U << 8;      ///< enables find_rank()
inline constexpr Hooks kCredit = 1U << 9;    ///< enables find_credit()

struct Parameter;  // algorithm.hpp

/// State reported to telemetry. An algorithm leaves an optional member empty if it has no such quantity.
struct CongestionState {
  /// Rc, bytes per second; for a pure window algorithm, the window divided by the RTT.
  std::uint64_t rate = 0;
  std::uint64_t target_rate = 0;  ///< Rt; equals `rate` if the algorithm has no target rate
  std::uint32_t alpha = 0;        ///< in units of 1 / `alpha_one`; 0 if the algorithm has no alpha
  std::uint32_t alpha_one = 1;
  std::uint32_t stage = 0;    ///< number of increases since the last CNP or decrease
  std::uint64_t cnps = 0;     ///< number of CNPs (16 bits in the firmware)
  std::int64_t credit = 0;    ///< bytes of credit in the token bucket; negative if it is in debt
  std::uint64_t spilled = 0;  ///< bytes of credit lost because the bucket was full

  std::optional<double> window;          ///< largest number of counted bytes that may be in flight
  std::optional<Time> rtt;               ///< last RTT sample
  std::optional<Time> target_delay;      ///< Swift: target of the fabric delay
  std::optional<double> utilization;     ///< HPCC: U, the normalized load of the bottleneck
  std::optional<std::uint64_t> granted;  ///< Homa: number of packets that the grants allow to be sent

  /// Values that a user-defined algorithm reports, and the names of these values. The names stay valid until
  /// the process ends.
  std::array<double, 8> counters{};
  const Parameter* counter_names = nullptr;  ///< `counter_count` elements
  std::uint8_t counter_count = 0;
  /// Reason why the algorithm failed, valid until the process ends; null if it has not failed.
  const char* failure = nullptr;
};

/// Congestion control for one queue pair, or for several that share a rate. Sans-I/O: the caller reports
/// events. A rate-based algorithm determines when the next frame may leave. A window-based algorithm
/// determines how many bytes may be unacknowledged. A grant-based algorithm determines which packets may
/// leave.
///
/// Calls must be in time order. No call allocates memory. Bytes are counted as in the firmware: from BTH
/// through pad, including retransmissions. Ethernet, IP, UDP and iCRC are excluded. Comments call these bytes
/// "counted bytes".
///
/// Dispatch is virtual because the set of algorithms is open. The queue pairs of a worker usually share one
/// algorithm, so the CPU predicts the calls well. The pacing wheel calls departure() repeatedly, but
/// departure() makes a virtual call only if an event has occurred, the frame size differs, or the prediction
/// has expired. An unused hook costs only the test of one bit.
class CongestionControl {
 public:
  static constexpr std::uint64_t kNoWindow = UINT64_MAX;
  static constexpr std::uint64_t kNoCredit = UINT64_MAX;
  static constexpr std::uint8_t kNoPriority = UINT8_MAX;
  static constexpr std::uint32_t kNoAckSpacing = UINT32_MAX;

  virtual ~CongestionControl() = default;

  /// True if the algorithm implements any of these hooks.
  bool uses(Hooks hooks) const { return (hooks_ & hooks) != 0; }
  /// True if the algorithm can no longer tell when packets may leave (CongestionState::failure says why). The
  /// queue pairs that it controls must stop.
  bool failed() const { return failed_; }
  /// Returns all hooks that the algorithm implements.
  Hooks hooks() const { return hooks_; }

  /// Returns the time at which a frame of `bytes` counted bytes may leave if no further event occurs. A time
  /// that is not after `now` means that the frame may leave now; kNever means that an event is required
  /// first. Call again after every event, because an event may change the rate and thus the departure. Also
  /// call again at the returned time, because the prediction covers only a limited number of rate changes.
  Time departure(std::uint32_t bytes, Time now) {
    if (bytes != asked_bytes_ || (now >= answer_ && !final_)) keep(bytes, find_departure(bytes, now));
    return answer_;
  }

  /// Called when traffic starts; credit accumulates from `now` on.
  void start(Time now) {
    forget();
    on_start(now);
  }
  /// Called when a frame of `bytes` counted bytes has left. The caller must have checked departure(). A frame
  /// sent without credit makes the credit negative.
  void sent(std::uint32_t bytes, Time now) {
    forget();
    on_sent(bytes, now);
  }
  /// Equivalent to sent(bytes) followed by departure(next), but faster. A queue pair needs both for every
  /// packet.
  Time sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) {
    keep(next, on_sent_then_departure(bytes, next, now));
    return answer_;
  }
  /// Called when a CNP for this queue pair was received at `now`. A CNP that accompanies a NAK (ConnectX-5
  /// and -6 send both) is treated like any other CNP. The CNP and the NAK are reported separately, in either
  /// order.
  void cnp(Time now) {
    if (!uses(kOnCnp)) return;
    forget();
    on_cnp(now);
  }
  /// Called when an acknowledgement of new packets was received. If a NAK also acknowledges packets, ack()
  /// is called first, without `sent_at`, and then nak().
  void ack(const Ack& ack, Time now) {
    if (!uses(kOnAck)) return;
    forget();
    on_ack(ack, now);
  }
  void nak(Nak nak, Time now) {
    if (!uses(kOnNak)) return;
    forget();
    on_nak(nak, now);
  }
  /// Called when the receiver granted credit: the first `packets` packets, counted from the start of the
  /// queue pair, may leave. From now on, packets that need a grant are to be sent at `priority`. Grants may
  /// be repeated and may arrive out of order.
  void granted(std::uint64_t packets, std::uint8_t priority, Time now) {
    if (!uses(kOnGranted)) return;
    forget();
    on_granted(packets, priority, now);
  }
  /// Called when the queue pair's next message, of `length` payload bytes, was posted. `order` is the
  /// position of the message in the order in which the board's messages were posted.
  void posted(std::uint32_t length, std::uint64_t order, Time now) {
    if (!uses(kOnPosted)) return;
    forget();
    on_posted(length, order, now);
  }
  /// Called when the time returned by timer() is reached.
  void timer_expired(Time now) {
    if (!uses(kTimer)) return;
    forget();
    on_timer(now);
  }

  /// Time at which to call timer_expired() if no event occurs before that time. Algorithms that advance
  /// lazily need no timer.
  Time timer() const { return uses(kTimer) ? timer_at() : kNever; }
  /// Returns the window in bytes: a packet may leave while fewer counted bytes than this are unacknowledged.
  /// The window is at least 1, so that a packet may leave when none is in flight.
  std::uint64_t window() const { return uses(kWindow) ? find_window() : kNoWindow; }
  /// Returns the credit: packets whose numbers are below the returned value may leave. `packet` is the number
  /// of the next packet. Packets are counted from the start of the queue pair. The value is kNoCredit if
  /// there is no limit.
  std::uint64_t credit(std::uint64_t packet) const { return uses(kCredit) ? find_credit(packet) : kNoCredit; }
  /// Priority level, 0 (lowest) to 7, of packet number `packet`, which leaves now; kNoPriority if the queue
  /// pair's own DSCP applies. Call this once for each transmission, including retransmissions.
  std::uint8_t priority(std::uint64_t packet) {
    return uses(kPriority) ? choose_priority(packet) : kNoPriority;
  }
  /// Rank among queue pairs that are ready to send; the lowest rank goes first. `packet` is the number of the
  /// next packet. 0 if the algorithm does not rank queue pairs, which are then served in round robin.
  std::uint64_t rank(std::uint64_t packet) const { return uses(kRank) ? find_rank(packet) : 0; }

  /// Largest number of counted bytes between two packets that request an acknowledgement; 0 if every packet
  /// must request one, kNoAckSpacing if the spacing does not matter to the algorithm. The value is constant
  /// and is read only once.
  virtual std::uint32_t ack_spacing() const { return kNoAckSpacing; }
  /// Writes the algorithm's own header fields (profile 0xf0…0xff) of a request that leaves at `now` to `out`,
  /// and returns the number of bytes written.
  virtual std::size_t write_header(std::span<std::uint8_t> /*out*/, Time /*now*/) { return 0; }
  /// Memory footprint in bytes.
  virtual std::size_t memory() const = 0;
  /// Returns the state at `now`. Does not change the object.
  virtual CongestionState state(Time now) const = 0;

 protected:
  struct Departure {
    Time at = kNever;
    /// If this is true, `at` is valid until an event occurs. If it is false, call find_departure() again at
    /// `at`.
    bool final = true;
  };

  explicit CongestionControl(Hooks hooks) : hooks_(hooks) {}
  CongestionControl(const CongestionControl&) = default;
  CongestionControl& operator=(const CongestionControl&) = default;

  void set_failed() {
    failed_ = true;
    forget();
  }
  /// Invalidates the cached departure.
  void forget() { asked_bytes_ = UINT32_MAX; }

  virtual Departure find_departure(std::uint32_t bytes, Time now) = 0;
  virtual void on_start(Time) {}
  virtual void on_sent(std::uint32_t bytes, Time now) = 0;
  /// Combines on_sent(), for a packet of `bytes` bytes, and find_departure(), for the next packet, which has
  /// `next` bytes. A final class may override this to avoid two virtual calls.
  virtual Departure on_sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) {
    on_sent(bytes, now);
    return find_departure(next, now);
  }

  // Each of these hooks is called only if its bit was passed to the constructor.
  virtual void on_ack(const Ack&, Time) {}
  virtual void on_nak(Nak, Time) {}
  virtual void on_cnp(Time) {}
  virtual void on_granted(std::uint64_t, std::uint8_t, Time) {}
  virtual void on_posted(std::uint32_t, std::uint64_t, Time) {}
  virtual Time timer_at() const { return kNever; }
  virtual void on_timer(Time) {}
  virtual std::uint64_t find_window() const { return kNoWindow; }
  virtual std::uint64_t find_credit(std::uint64_t) const { return kNoCredit; }
  virtual std::uint8_t choose_priority(std::uint64_t) { return kNoPriority; }
  virtual std::uint64_t find_rank(std::uint64_t) const { return 0; }

 private:
  void keep(std::uint32_t bytes, const Departure& answer) {
    asked_bytes_ = bytes;
    answer_ = answer.at;
    final_ = answer.final;
  }

  // These members and the virtual table pointer occupy 24 bytes. The cache line layout of FirmwareDcqcn
  // depends on this size.
  Time answer_ = kNever;
  std::uint32_t asked_bytes_ = UINT32_MAX;
  bool final_ = true;
  bool failed_ = false;
  Hooks hooks_;
};
static_assert(sizeof(CongestionControl) == 24);

}  // namespace softfeb::congestion
