// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/capture.hpp"
#include "dataplane/doorbell.hpp"
#include "dataplane/fault_injector.hpp"
#include "dataplane/mbuf_return.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/tx_builder.hpp"
#include "engine/demux.hpp"
#include "engine/endpoint.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace softfeb::dataplane {

class DepartureStamps;

/// A slow-control datagram on its way to the control thread, which frees it.
struct ControlDatagram {
  std::uint32_t endpoint = 0;  ///< as in PortMap
  rte_mbuf* packet = nullptr;
};

/// A frame of the slow control on its way from the control thread to the port, ready to be sent. Whoever
/// takes it off its ring owns the packet.
struct ControlFrame {
  std::uint32_t endpoint = 0;  ///< as in PortMap: whose it is; lives on the lane's worker
  rte_mbuf* packet = nullptr;
};

/// Whose addresses are reached through a port, and on which worker they live. Made before the workers start,
/// then only read (the rings apart, each of which has one writer and one reader).
struct PortMap {
  struct Owner {
    unsigned worker = 0;
    engine::Endpoint* endpoint = nullptr;
  };
  engine::Demux demux;  ///< gives indices into owners
  std::vector<Owner> owners;
  /// handover[from][to]: packets that worker `from` received for an endpoint of worker `to`; null where from
  /// = to.
  std::vector<std::vector<std::unique_ptr<SpscRing<rte_mbuf*>>>> handover;
  /// By worker: rung after a packet is handed over; null where the worker never waits.
  std::vector<Doorbell*> doorbells;

  explicit PortMap(unsigned workers);
  /// False when the address is taken on this port.
  bool add(engine::Endpoint& endpoint, unsigned worker);
};

struct LaneConfig {
  std::uint16_t port = 0;
  std::uint16_t tx_queue = 0;
  std::vector<std::uint16_t> rx_queues;  ///< a port with more queues than workers: some take several
  std::uint16_t burst = 32;              ///< packets of one RX or TX burst, at most kMaxBurst
  unsigned worker = 0;
};

struct LaneCounters {
  std::uint64_t rx_packets = 0;
  std::uint64_t rx_nobody = 0;       ///< for no address of ours
  std::uint64_t rx_malformed = 0;    ///< lengths or checksums wrong
  std::uint64_t rx_handed_over = 0;  ///< to another worker
  std::uint64_t control_rx = 0;      ///< to the control thread
  std::uint64_t control_tx = 0;      ///< of the control thread; in tx_packets too
  std::uint64_t ring_full = 0;       ///< lost because the other thread did not keep up
  std::uint64_t tx_packets = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t tx_short = 0;  ///< times the port took less than it was given; the rest waited
};

/// A worker's share of a port, one TX queue and its RX queues, as the worker runs it: RX burst → classify →
/// endpoints → craft → TX burst. What the port does not take is kept and offered again, before anything new.
/// No system call, lock or allocation. Shares no cache line with another worker's.
class alignas(64) Lane {
 public:
  static constexpr std::uint16_t kMaxBurst = 64;
  /// Frames of the control thread that a turn sends, besides its burst: RoCE never gives way to them, nor do
  /// they wait for more than the turn before.
  static constexpr std::uint16_t kControlShare = 8;

  /// Everything pointed to outlives the lane. `tx_faults`, `rx_faults`, `rx_capture`, `tx_capture`,
  /// `control`, `control_frames` and `stamps` may be null.
  struct Parts {
    PortMap* map = nullptr;
    TxBuilder* builder = nullptr;
    FaultInjector* tx_faults = nullptr;
    FaultInjector* rx_faults = nullptr;
    Capture* rx_capture = nullptr;
    Capture* tx_capture = nullptr;
    SpscRing<ControlDatagram>* control = nullptr;
    SpscRing<ControlFrame>* control_frames = nullptr;
    DepartureStamps* stamps = nullptr;  ///< the port sends packets at given times
    /// Of a net_ring port: the workers at the other end, which the ring itself does not wake.
    std::vector<Doorbell*> far_ends;
    Doorbell* control_thread = nullptr;  ///< rung after a datagram for it
  };

  Lane(const LaneConfig& config, const Parts& parts);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// One turn; true when anything arrived or left.
  bool run(Time now);
  /// A time before which run() has nothing to send unless something arrives.
  Time next_event(Time now) const;
  /// Commands may have changed the endpoints: look at all of them again.
  void wake();

  /// Packets are built that the port has not taken yet.
  bool pending() const {
    return pending_count_ != 0 || filled_ != 0 ||
           (parts_.control_frames != nullptr && held_count_ < held_.size() &&
            !parts_.control_frames->empty());
  }

  /// run() must be called now and then although nothing is signalled: packets that faults hold back, or times
  /// in the packets.
  bool must_poll() const {
    return parts_.tx_faults != nullptr || parts_.rx_faults != nullptr || parts_.stamps != nullptr;
  }

  const LaneCounters& counters() const { return counters_; }
  std::uint16_t port() const { return config_.port; }

 private:
  struct Seat {
    engine::Endpoint* endpoint = nullptr;
    Time wake = 0;  ///< poll() need not be called before
    std::uint64_t incidents = 0;
    bool touched = false;  ///< got something in this turn
  };
  /// A packet of a burst and whose it is.
  struct Arrival {
    rte_mbuf* packet = nullptr;
    std::uint32_t index = engine::Demux::kNobody;  ///< of PortMap::owners
    roce::ParsedFrame frame;
  };

  bool receive(Time now);
  bool receive_queue(std::uint16_t queue, Time now);
  /// `handed_over`: by another worker, which has told everybody it is for.
  void take_burst(std::span<rte_mbuf* const> burst, bool handed_over, Time now);
  std::uint32_t owner_of(const roce::ParsedFrame& frame);
  void look_at(rte_mbuf* packet, Arrival& out, Time now);
  void take(const Arrival& arrival, bool handed_over, Time now);
  /// True when it was for anybody.
  bool hand_over(rte_mbuf* packet, unsigned worker);
  bool take_pause(rte_mbuf* packet, const roce::ParsedFrame& frame, bool handed_over, Time now);
  void deliver(engine::Endpoint& endpoint, const Arrival& arrival, Time now);
  void touch(std::uint32_t seat);
  void end_burst(Time now);
  bool transmit(Time now);
  bool offer_pending();
  void collect(Time now);
  /// Puts the control thread's frames into `out`, those of paused endpoints later; returns how many.
  std::size_t take_control_frames(std::span<rte_mbuf*> out, Time now);
  /// Makes packets of what is filled, puts them into `out`; returns how many.
  std::size_t build(std::span<rte_mbuf*> out);
  /// Sends what stands in the first `n` places of pending_.
  void send(std::size_t n, Time now);
  bool capturing() const { return parts_.rx_capture != nullptr || parts_.tx_capture != nullptr; }
  void look_for_incidents(Seat& seat);

  // lane_timed.cpp: with `stamps`
  bool run_timed(Time now);
  bool transmit_timed(Time now);
  void collect_timed(Time now);
  Seat* next_to_send();

  LaneConfig config_;
  Parts parts_;
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> seat_of_;  ///< by owner index
  std::vector<std::uint32_t> touched_;  ///< seats
  std::array<Arrival, 8> group_{};      ///< looked at, and not delivered yet
  roce::IpAddress last_ip_;             ///< that an untagged datagram was for, and whose it is
  std::uint32_t last_owner_ = engine::Demux::kNobody;
  MbufReturn returned_;
  std::size_t next_seat_ = 0;
  std::array<engine::TxFrame, kMaxBurst> frames_{};
  std::array<rte_mbuf*, kMaxBurst> buffers_{};
  std::size_t filled_ = 0;    ///< frames at the front that wait to be built
  std::size_t acquired_ = 0;  ///< buffers at the front that are ours
  std::array<rte_mbuf*, FaultInjector::room_for(kMaxBurst + kControlShare)> pending_{};
  std::size_t pending_first_ = 0;
  std::size_t pending_count_ = 0;
  std::array<ControlFrame, kControlShare> held_{};  ///< of endpoints that a pause frame stops
  std::size_t held_count_ = 0;
  std::array<Time, kMaxBurst> departures_{};  ///< of frames_, with `stamps`; so are the next two
  Time scheduled_ = 0;                        ///< all that was due before has been made
  Time turned_at_ = 0;                        ///< the turn before
  LaneCounters counters_;
};

}  // namespace softfeb::dataplane
