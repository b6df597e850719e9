// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/host.hpp"
#include "engine/pause.hpp"
#include "engine/tx_frame.hpp"
#include "roce/frame.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace softfeb::engine {

/// What the caller is to do with a received frame.
enum class RxVerdict : std::uint8_t {
  kConsumed,  ///< used or dropped, and counted
  kControl,   ///< a datagram of the slow control (UDP 8192 or 8193): hand it to the control thread
};

/// UDP ports of the board's slow control: registers and stream data (CONTROL.md).
inline constexpr std::uint16_t kRegisterUdpPort = 8192;
inline constexpr std::uint16_t kStreamUdpPort = 8193;

/// Frames an endpoint took or refused: every one in rx_frames is in exactly one of the counters rx_roce …
/// rx_other.
struct EndpointCounters {
  std::uint64_t rx_frames = 0;
  std::uint64_t rx_roce = 0;     ///< given to a QP: everything about them was right
  std::uint64_t rx_ce = 0;       ///< on a board: ACKs and NAKs marked CE on their way
  std::uint64_t rx_host = 0;     ///< ARP, ICMP echo requests
  std::uint64_t rx_control = 0;  ///< handed over to the slow control
  std::uint64_t rx_pause = 0;    ///< pause frames, 802.3x or PFC, of the kind that is obeyed
  std::uint64_t rx_icrc_errors = 0;
  std::uint64_t rx_unknown_qp = 0;
  std::uint64_t rx_wrong_peer = 0;  ///< the QP exists, the sender is not its peer
  std::uint64_t rx_bad_transport =
      0;                         ///< headers cut short, P_Key or transport version wrong, opcode not ours
  std::uint64_t rx_other = 0;    ///< UDP ports nobody serves, ICMP that is no echo, …
  std::uint64_t tx_control = 0;  ///< answers of the slow control
  std::uint64_t tx_frames = 0;   ///< all of them
  std::uint64_t tx_bytes = 0;    ///< Ethernet to the end of the payload or iCRC
};

/// One address on the network at work: a board or a receiver. Owned by one worker; sans-I/O.
class Endpoint {
 public:
  explicit Endpoint(const Identity& identity, const PauseConfig& pause = {})
      : host_(identity),
        pause_(pause),
        host_priority_(pause_.priority(
            0, identity.vlan ? std::optional<std::uint8_t>(identity.vlan->pcp) : std::nullopt)) {}
  virtual ~Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  /// Takes a frame for this endpoint's address (or a broadcast ARP, or a pause frame for its MAC address or
  /// for all) that arrived at `now`.
  RxVerdict receive(const roce::ParsedFrame& frame, Time now);

  /// The same for one frame of several that arrived together. What follows from it for what leaves next may
  /// be put off until end_of_burst(), which comes next but for further frames of the burst, and before
  /// anything else is called: several responses for one queue pair then cost its scheduling once.
  RxVerdict receive_in_burst(const roce::ParsedFrame& frame, Time now) {
    in_burst_ = true;
    return receive(frame, now);
  }
  /// All frames of the burst have been received; `now` is theirs. Without a burst nothing happens.
  void end_of_burst(Time now) {
    if (!in_burst_) return;
    in_burst_ = false;
    settle_burst(now);
  }
  /// A hint that this frame will be received soon, in the burst that has begun or begins with it: what it
  /// will need is fetched into the cache, and nothing else changes.
  virtual void expect(const roce::ParsedFrame& /*frame*/) {}

  /// Fills up to out.size() frames that leave at `now`; each has `header` set by the caller. Returns how
  /// many.
  virtual std::size_t poll(Time now, std::span<TxFrame> out) = 0;

  /// A time before which poll() has nothing to do unless a frame or a command arrives; at most `now` when
  /// there is something.
  virtual Time next_event(Time now) const = 0;

  /// A frame of the slow control, `length` bytes, leaves at this endpoint's address, past poll().
  virtual void control_frame_sent(std::uint32_t length, Time now);

  /// When a frame of the slow control may leave, ARP and ICMP too: in the past where they are not paused.
  Time control_open_at() const { return pause_.until(host_priority_); }
  const PauseState& pause() const { return pause_; }

  const Identity& identity() const { return host_.identity(); }
  Host& host() { return host_; }
  const Host& host() const { return host_; }
  const EndpointCounters& counters() const { return counters_; }
  /// Counts what somebody looking for an error wants to see the packets of: wrong iCRC, NAKs and RNRs of
  /// either side, timeouts, failed requests.
  std::uint64_t incidents() const { return incidents_; }

 protected:
  /// A RoCE packet whose iCRC is not verified yet: UDP destination 4791 for our address.
  virtual void receive_roce(const roce::ParsedFrame& frame, Time now) = 0;
  /// More frames may follow before the schedule is needed: see receive_in_burst().
  bool in_burst() const { return in_burst_; }
  /// What receive_roce() put off.
  virtual void settle_burst(Time /*now*/) {}
  /// A neighbour became known.
  virtual void neighbour_learned(const roce::IpAddress& /*ip*/, Time /*now*/) {}

  /// Priorities, by bit, may go on earlier than they would have.
  virtual void resumed(std::uint8_t /*priorities*/, Time /*now*/) {}
  /// ARP, ICMP, neighbour discovery, unless they are paused.
  std::size_t poll_host(Time now, std::span<TxFrame> out) {
    return host_.has_answers() && control_open_at() <= now ? host_.poll(out) : 0;
  }
  /// When poll_host() has something; kNever.
  Time host_event(Time now) const { return host_.has_answers() ? std::max(now, control_open_at()) : kNever; }
  /// Until when the whole link is paused (802.3x).
  Time link_open_at() const { return pause_.per_priority() ? 0 : pause_.until(0); }

  Host host_;
  PauseState pause_;
  EndpointCounters counters_;
  std::uint64_t incidents_ = 0;

 private:
  void receive_pause(const roce::ParsedFrame& frame, Time now);

  bool in_burst_ = false;
  std::uint8_t host_priority_;
};

}  // namespace softfeb::engine
