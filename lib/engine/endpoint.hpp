// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/credit_frame.hpp"
#include "engine/host.hpp"
#include "engine/pause.hpp"
#include "engine/stage_clock.hpp"
#include "engine/tx_frame.hpp"
#include "roce/congestion_header.hpp"
#include "roce/frame.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace softfeb::engine {

/// Action required of the caller for a received frame.
enum class RxVerdict : std::uint8_t {
  kConsumed,  ///< processed or dropped, and counted
  kControl,   ///< a slow-control datagram (UDP 8192 or 8193): pass it to the control thread
};

/// UDP ports of the board's slow control: registers and stream data (doc/control.md).
inline constexpr std::uint16_t kRegisterUdpPort = 8192;
inline constexpr std::uint16_t kStreamUdpPort = 8193;

/// Frame counters. Every frame in rx_frames is counted in exactly one other rx_ counter, except that rx_ce
/// counts a subset of rx_roce.
struct EndpointCounters {
  std::uint64_t rx_frames = 0;
  std::uint64_t rx_roce = 0;     ///< frames passed to a QP: known QPN and peer, valid iCRC
  std::uint64_t rx_ce = 0;       ///< on a board: responses other than CNPs, received with ECN CE
  std::uint64_t rx_host = 0;     ///< ARP, neighbour discovery, ICMP echo requests, trigger messages
  std::uint64_t rx_control = 0;  ///< frames passed to slow control
  std::uint64_t rx_pause = 0;    ///< pause frames (802.3x or PFC) of the configured kind
  std::uint64_t rx_icrc_errors = 0;
  std::uint64_t rx_unknown_qp = 0;
  std::uint64_t rx_wrong_peer = 0;  ///< frames for an existing QP from a sender that is not its peer
  /// Truncated headers, wrong transport version, or an opcode that the endpoint does not accept.
  std::uint64_t rx_bad_transport = 0;
  /// Packets whose congestion control header is truncated or too long, or has a wrong checksum.
  std::uint64_t rx_bad_cch = 0;
  std::uint64_t rx_datagrams = 0;  ///< on a receiver: UDP datagrams of its streams
  /// Frames for other MAC addresses or UDP ports, other ICMP messages, and ignored pause frames.
  std::uint64_t rx_other = 0;
  std::uint64_t tx_control = 0;  ///< slow-control frames
  std::uint64_t tx_frames = 0;   ///< all frames
  std::uint64_t tx_bytes = 0;    ///< counted from the Ethernet header to the end of the payload or iCRC
};

struct EndpointSnapshot;

/// A board or a receiver: one network address and its state. Owned by one worker; sans-I/O.
class Endpoint {
 public:
  explicit Endpoint(const Identity& identity, const PauseConfig& pause = {})
      : host_(identity),
        pause_(pause),
        host_priority_(pause_.priority(
            0, identity.vlan ? std::optional<std::uint8_t>(identity.vlan->pcp) : std::nullopt)),
        credit_priority_(
            pause_.priority(8 * kControlPriority,
                            identity.vlan ? std::optional<std::uint8_t>(kControlPriority) : std::nullopt)) {}
  virtual ~Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  /// Processes a frame received at `now`. The frame must be for this endpoint's IP address, an ARP packet or
  /// neighbour solicitation whose target is this address, or a pause frame for the endpoint's MAC address or
  /// the multicast address. Frames for other MAC addresses, which a promiscuous port delivers, are counted
  /// and dropped.
  RxVerdict receive(const roce::ParsedFrame& frame, Time now);

  /// Like receive(), for one frame of a burst. May defer rescheduling until end_of_burst(), so that several
  /// responses for a queue pair reschedule it only once. During the burst, call only receive_in_burst(),
  /// expect() and end_of_burst().
  RxVerdict receive_in_burst(const roce::ParsedFrame& frame, Time now) {
    in_burst_ = true;
    return receive(frame, now);
  }
  /// Ends a burst. `now` must be the value passed for the burst's frames. Does nothing outside a burst.
  void end_of_burst(Time now) {
    if (!in_burst_) return;
    in_burst_ = false;
    finish_burst(now);
  }
  /// Sets the clock that measures the stages of processing; null means that they are not measured. The
  /// endpoint reports to the clock that it enters Stage::kPlace when it has verified a frame.
  void measure_stages(StageClock* clock) { stage_clock_ = clock; }
  /// Hint that this frame will be received soon, in the current burst or as the first frame of the next
  /// burst. Prefetches the data needed to process it and has no other effect.
  virtual void expect(const roce::ParsedFrame& /*frame*/) {}

  /// Writes up to out.size() frames to be sent at `now`, and returns their number. The caller must have set
  /// `header` of each frame.
  virtual std::size_t poll(Time now, std::span<TxFrame> out) = 0;

  /// Lower bound on the time at which poll() has work if no frame or command arrives before then. The result
  /// is at most `now` if there is work already.
  virtual Time next_event(Time now) const = 0;

  /// Accounts for a slow-control frame of `length` bytes sent from this endpoint's address without poll().
  virtual void control_frame_sent(std::uint32_t length, Time now);

  virtual std::size_t qp_count() const = 0;
  /// Makes room in `out` for the statistics of all QPs.
  virtual void prepare(EndpointSnapshot& out) const = 0;
  /// Copies the statistics of QPs first … last - 1. If the range includes the last QP, also copies the
  /// endpoint statistics that are specific to a board or a receiver.
  virtual void copy_statistics(EndpointSnapshot& out, std::size_t first, std::size_t last,
                               Time now) const = 0;

  /// Time from which slow-control, ARP and ICMP frames may be sent; in the past unless such frames are
  /// paused.
  Time control_open_at() const { return pause_.until(host_priority_); }
  const PauseState& pause() const { return pause_; }

  const Identity& identity() const { return host_.identity(); }
  Host& host() { return host_; }
  const Host& host() const { return host_; }
  const EndpointCounters& counters() const { return counters_; }
  /// Number of events that should trigger a packet capture: iCRC errors, NAKs and RNR NAKs in either
  /// direction, unexpected responses, timeouts, and next hops that could not be resolved.
  std::uint64_t incidents() const { return incidents_; }

 protected:
  /// Processes a RoCE packet (UDP port 4791, own address) whose iCRC has not been verified.
  virtual void receive_roce(const roce::ParsedFrame& frame, Time now) = 0;
  /// Like receive_roce(), for a packet that had a valid congestion control header. `frame` is the packet
  /// without this header.
  virtual void receive_congestion(const roce::ParsedFrame& frame, const roce::CongestionHeader& header,
                                  Time now) = 0;
  /// Processes a UDP datagram for a port other than those of RoCE, congestion control, slow control and
  /// trigger messages. Returns false if the endpoint does not use the port.
  virtual bool receive_datagram(const roce::ParsedFrame& /*frame*/, Time /*now*/) { return false; }
  /// Processes a datagram for UDP port 8194 (detector::kTriggerPort). Returns false if the endpoint does not
  /// accept trigger messages.
  virtual bool receive_trigger(const roce::ParsedFrame& /*frame*/, Time /*now*/) { return false; }
  /// Accepts packets with a congestion control header at UDP port `port`, or at no port if `port` is 0.
  void accept_congestion_headers(std::uint16_t port) { cc_port_ = port; }
  std::uint16_t cc_port() const { return cc_port_; }
  /// True if rescheduling may be deferred to the end of the burst: see receive_in_burst().
  bool in_burst() const { return in_burst_; }
  /// Call when a received packet was verified and is about to be applied.
  void verified() {
    if (stage_clock_ != nullptr) [[unlikely]]
      stage_clock_->enter(Stage::kPlace);
  }
  /// Performs the work deferred by receive_roce() and receive_congestion().
  virtual void finish_burst(Time /*now*/) {}
  /// Called when the MAC address of the neighbour `ip` has been learned.
  virtual void neighbour_learned(const roce::IpAddress& /*ip*/, Time /*now*/) {}

  /// Called when `priorities` (bit mask) may resume earlier than the previous pause frame requested.
  virtual void resumed(std::uint8_t /*priorities*/, Time /*now*/) {}
  /// Sends queued ARP, ICMP and neighbour discovery answers, unless they are paused.
  std::size_t poll_host(Time now, std::span<TxFrame> out) {
    return host_.has_answers() && control_open_at() <= now ? host_.poll(out) : 0;
  }
  /// Time at which poll_host() has work; kNever if it has none.
  Time host_event(Time now) const { return host_.has_answers() ? std::max(now, control_open_at()) : kNever; }
  /// Time from which control frames of congestion control (credit_frame.hpp) may be sent.
  Time credit_open_at() const { return pause_.until(credit_priority_); }
  /// Time until which the whole link is paused (802.3x).
  Time link_open_at() const { return pause_.per_priority() ? 0 : pause_.until(0); }

  Host host_;
  PauseState pause_;
  EndpointCounters counters_;
  std::uint64_t incidents_ = 0;

 private:
  void receive_pause(const roce::ParsedFrame& frame, Time now);
  void receive_with_header(const roce::ParsedFrame& frame, Time now);

  StageClock* stage_clock_ = nullptr;
  std::uint16_t cc_port_ = 0;
  bool in_burst_ = false;
  std::uint8_t host_priority_;
  std::uint8_t credit_priority_;
};

}  // namespace softfeb::engine
