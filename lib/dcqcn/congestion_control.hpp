// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::dcqcn {

/// What an acknowledgement tells a congestion control.
struct Ack {
  Time sent_at = 0;           ///< when the youngest packet it acknowledges left (the last copy, if repeated)
  std::uint32_t bytes = 0;    ///< counted bytes that it acknowledges for the first time
  std::uint32_t granted = 0;  ///< counted bytes that the receiver allows on top, where it gives credit
  ByteSpan telemetry = {};    ///< what the packet collected on its way (INT), where it did
};

/// Why packets are sent again.
enum class Nak : std::uint8_t {
  kSequence,          ///< NAK 0x60: a packet was lost on the way
  kReceiverNotReady,  ///< RNR NAK: no receive request there
  kTimeout,           ///< no answer in time; counts as a NAK that nobody sent
};

/// For telemetry.
struct CongestionState {
  std::uint64_t rate = 0;         ///< Rc, bytes per second
  std::uint64_t target_rate = 0;  ///< Rt; the same as `rate` where the algorithm has none
  std::uint32_t alpha = 0;        ///< parts of `alpha_one`; 0 where the algorithm has none
  std::uint32_t alpha_one = 1;
  std::uint32_t stage = 0;    ///< increases since the last CNP
  std::uint64_t cnps = 0;     ///< as the algorithm counts them (the firmware's counter has 16 bits)
  std::int64_t credit = 0;    ///< bytes that may leave at once
  std::uint64_t spilled = 0;  ///< bytes of credit that came while there was no room for more
};

/// A congestion control at work for one queue pair (or for whatever shares its rate). Sans-I/O: told what
/// happened, it answers when the next frame may leave (rate- and credit-based algorithms) and how much may be
/// unacknowledged (window-based ones).
///
/// Calls come in the order of their times. Bytes are counted as the firmware does: BTH through pad,
/// retransmissions too; not Ethernet, IP, UDP and iCRC. No call allocates. Virtual dispatch, because the set
/// of algorithms is open; all queue pairs of a worker usually have the same one, so its calls are predicted,
/// and departure(), which the pacing wheel asks over and over, comes to a virtual call only after something
/// has happened. The engine tells and asks everything but ack() and window(), which neither algorithm here
/// has a use for: whoever adds one that has begins at engine::SendQp::on_response() and may_send().
/// doc/dcqcn.md.
class CongestionControl {
 public:
  static constexpr std::uint64_t kNoWindow = UINT64_MAX;

  virtual ~CongestionControl() = default;

  /// When a frame of so many counted bytes may leave if nothing happens until then. A time not after `now`
  /// means now; kNever, that something has to happen first. Ask again after every event: a new rate moves the
  /// departure, too. At the time it names it may have to be asked again (rates that keep changing are not
  /// predicted without end).
  Time departure(std::uint32_t bytes, Time now) {
    if (bytes != asked_bytes_ || (now >= answer_ && !final_)) keep(bytes, find_departure(bytes, now));
    return answer_;
  }

  /// Traffic begins. Credit collects from here on.
  void start(Time now) {
    forget();
    on_start(now);
  }
  /// A frame of so many counted bytes left. The caller has asked departure(); one that leaves without credit
  /// owes it.
  void sent(std::uint32_t bytes, Time now) {
    forget();
    on_sent(bytes, now);
  }
  /// sent(bytes), then departure(next), in one: what each packet of a queue pair costs.
  Time sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) {
    keep(next, on_sent_then_departure(bytes, next, now));
    return answer_;
  }
  /// A CNP for this queue pair was received at `now`. One that comes with a NAK (ConnectX-5 and -6 send both)
  /// is a CNP like any other: the two events are reported one after the other, in any order.
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
  /// timer() has come.
  void timer_expired(Time now) {
    forget();
    on_timer(now);
  }

  /// When timer_expired() is to be called if nothing happens before; algorithms that advance lazily need
  /// none.
  Time timer() const { return timed_ ? timer_at() : kNever; }
  /// Counted bytes that may be unacknowledged.
  virtual std::uint64_t window() const { return kNoWindow; }
  /// Bytes of memory that it takes.
  virtual std::size_t memory() const = 0;
  /// The state at `now`. Reading changes nothing.
  virtual CongestionState state(Time now) const = 0;

 protected:
  struct Departure {
    Time at = kNever;
    bool final =
        true;  ///< still right at `at` if nothing happens; otherwise it is to be looked for again then
  };

  CongestionControl() = default;
  CongestionControl(const CongestionControl&) = default;
  CongestionControl& operator=(const CongestionControl&) = default;

  /// The last answer does not hold any more.
  void forget() { asked_bytes_ = UINT32_MAX; }

  /// Whether timer_at() says when on_timer() is to be called. Every packet asks timer(), so one without needs
  /// no virtual call.
  void set_timed(bool timed) { timed_ = timed; }
  virtual Time timer_at() const { return kNever; }

  virtual Departure find_departure(std::uint32_t bytes, Time now) = 0;
  virtual void on_start(Time) {}
  virtual void on_sent(std::uint32_t bytes, Time now) = 0;
  /// Both at once. An algorithm that is final may repeat this, so that nothing in it is a virtual call.
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

}  // namespace softfeb::dcqcn
