// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/capture.hpp"
#include "dataplane/doorbell.hpp"
#include "dataplane/fault_injector.hpp"
#include "dataplane/mbuf_return.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/tx_builder.hpp"
#include "dataplane/worker_stats.hpp"
#include "engine/demux.hpp"
#include "engine/endpoint.hpp"
#include "engine/stage_clock.hpp"
#include "latency/stamps.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace softfeb::dataplane {

class DepartureStamps;

/// A slow-control datagram handed to the control thread, which frees it.
struct ControlDatagram {
  std::uint32_t endpoint = 0;  ///< index into PortMap::owners
  rte_mbuf* packet = nullptr;
};

/// A slow-control frame from the control thread, complete and ready to send. The thread that pops it from the
/// ring owns the packet.
struct ControlFrame {
  /// The sender, as an index into PortMap::owners. It must be an endpoint of the port queue's worker.
  std::uint32_t endpoint = 0;
  rte_mbuf* packet = nullptr;
};

/// The endpoints whose addresses are reached through a port, and their workers. Built before the workers
/// start and read-only afterwards, except the rings; each ring has one producer and one consumer.
struct PortMap {
  struct Owner {
    unsigned worker = 0;
    engine::Endpoint* endpoint = nullptr;
  };
  engine::Demux demux;  ///< maps addresses to indices into `owners`
  std::vector<Owner> owners;
  /// handover[from][to]: packets that worker `from` received for an endpoint of worker `to`; null where from
  /// == to.
  std::vector<std::vector<std::unique_ptr<SpscRing<rte_mbuf*>>>> handover;
  /// Indexed by worker; rung after a packet is handed over. Null for a worker that never sleeps.
  std::vector<Doorbell*> doorbells;

  explicit PortMap(unsigned workers);
  /// Returns false when the address is already in use on this port.
  bool add(engine::Endpoint& endpoint, unsigned worker);
};

struct PortQueueConfig {
  std::uint16_t port = 0;
  std::uint16_t tx_queue = 0;
  std::vector<std::uint16_t> rx_queues;  ///< several if the port has more queues than workers
  std::uint16_t burst = 32;              ///< packets per RX or TX burst, at most kMaxBurst
  unsigned worker = 0;
};

/// A port queue: one TX queue and the RX queues that one worker polls on one port. An iteration is RX burst →
/// classify → endpoints → craft → TX burst. Packets that the port does not accept are kept and retried before
/// anything new is sent. No system calls, locks or allocations. Shares no cache line with other workers.
class alignas(64) PortQueue {
 public:
  static constexpr std::uint16_t kMaxBurst = 64;
  /// Maximum number of control-thread frames sent per iteration, in addition to the burst. These frames do
  /// not displace RoCE frames. They wait only while their endpoint is paused, or while packets of the
  /// previous iteration are pending.
  static constexpr std::uint16_t kControlShare = 8;

  /// Everything pointed to must outlive the port queue. `map` and `builder` are required; all other pointers
  /// may be null.
  struct Deps {
    PortMap* map = nullptr;
    TxBuilder* builder = nullptr;
    FaultInjector* tx_faults = nullptr;
    FaultInjector* rx_faults = nullptr;
    Capture* rx_capture = nullptr;
    Capture* tx_capture = nullptr;
    SpscRing<ControlDatagram>* control = nullptr;
    SpscRing<ControlFrame>* control_frames = nullptr;
    DepartureStamps* stamps = nullptr;   ///< for ports that send packets at given departure times
    latency::Stamps* latency = nullptr;  ///< records the times of messages of the worker's endpoints
    /// For a net_ring port: doorbells of the workers at the other end, because the ring itself does not wake
    /// them.
    std::vector<Doorbell*> far_ends;
    Doorbell* control_thread = nullptr;  ///< rung after each datagram for the control thread
  };

  PortQueue(const PortQueueConfig& config, const Deps& deps);
  ~PortQueue();
  PortQueue(const PortQueue&) = delete;
  PortQueue& operator=(const PortQueue&) = delete;

  /// Runs one iteration. Returns true when packets arrived or left. `stages` measures this iteration; if it
  /// is null, the iteration is not measured.
  bool run(Time now, engine::StageClock* stages = nullptr);
  /// Earliest time at which run() has something to send, unless packets arrive.
  Time next_event(Time now) const;
  /// Makes the next iteration poll all endpoints again, because commands may have changed them.
  void wake();

  /// True when frames or packets wait to be sent, except control-thread frames held for paused endpoints.
  bool pending() const {
    return pending_count_ != 0 || filled_ != 0 ||
           (deps_.control_frames != nullptr && held_count_ < held_.size() && !deps_.control_frames->empty());
  }

  /// True when run() must be called regularly, even if there is no signal, because fault injection holds
  /// packets back or packets carry departure times.
  bool must_poll() const {
    return deps_.tx_faults != nullptr || deps_.rx_faults != nullptr || deps_.stamps != nullptr;
  }

  const PortQueueCounters& counters() const { return counters_; }
  std::uint16_t port() const { return config_.port; }

 private:
  /// An endpoint of this port queue's worker, with the state that the port queue keeps for it.
  struct Seat {
    engine::Endpoint* endpoint = nullptr;
    Time wake = 0;  ///< poll() is not needed before this time
    std::uint64_t incidents = 0;
    bool touched = false;  ///< the endpoint received a packet in this iteration
  };
  /// A packet of a burst and the endpoint it is for.
  struct Arrival {
    rte_mbuf* packet = nullptr;
    std::uint32_t index = engine::Demux::kNobody;  ///< index into PortMap::owners
    roce::ParsedFrame frame;
  };

  bool run_stages(Time now);
  /// Begins a stage of the iteration.
  void enter(engine::Stage stage) {
    if (stages_ != nullptr) [[unlikely]]
      stages_->enter(stage);
  }
  bool receive(Time now);
  bool receive_queue(std::uint16_t queue, Time now);
  /// `handed_over` is true if another worker received the packets. That worker has already passed pause
  /// frames to all workers concerned.
  void take_burst(std::span<rte_mbuf* const> burst, bool handed_over, Time now);
  std::uint32_t owner_of(const roce::ParsedFrame& frame);
  void look_at(rte_mbuf* packet, Arrival& out, Time now);
  void take(const Arrival& arrival, bool handed_over, Time now);
  /// Returns false when the ring is full; the packet then stays with the caller.
  bool hand_over(rte_mbuf* packet, unsigned worker);
  bool take_pause(rte_mbuf* packet, const roce::ParsedFrame& frame, bool handed_over, Time now);
  void deliver(engine::Endpoint& endpoint, const Arrival& arrival, Time now);
  /// Calls endpoint.receive_in_burst() in a measured iteration, and measures the stages of this call.
  engine::RxVerdict deliver_measured(engine::Endpoint& endpoint, const roce::ParsedFrame& frame, Time now);
  void touch(std::uint32_t seat);
  void end_burst(Time now);
  bool transmit(Time now);
  bool offer_pending();
  void collect(Time now);
  /// Moves control-thread frames to `out`, except those of paused endpoints. Returns the number moved.
  std::size_t take_control_frames(std::span<rte_mbuf*> out, Time now);
  /// Builds the filled frames into `out`. Returns the number built.
  std::size_t build(std::span<rte_mbuf*> out);
  /// Sends the first `n` packets of pending_.
  void send(std::size_t n, Time now);
  void note_last_packets(std::size_t built);
  void report_sent(std::span<rte_mbuf* const> packets);
  bool capturing() const { return deps_.rx_capture != nullptr || deps_.tx_capture != nullptr; }
  void look_for_incidents(Seat& seat);

  // Defined in port_queue_timed.cpp. Used only if Deps::stamps is not null.
  bool run_timed(Time now);
  bool transmit_timed(Time now);
  void collect_timed(Time now);
  Seat* next_to_send();

  PortQueueConfig config_;
  Deps deps_;
  std::vector<Seat> seats_;
  /// Index into seats_ of each endpoint in PortMap::owners, in the same order; kNotSeated if the endpoint
  /// belongs to another worker.
  std::vector<std::uint32_t> seat_of_;
  std::vector<std::uint32_t> touched_;  ///< indices into seats_ of the endpoints whose `touched` is true
  std::array<Arrival, 8> group_{};      ///< packets that are classified but not yet delivered
  roce::IpAddress last_ip_;  ///< destination of the latest untagged datagram; its owner is last_owner_
  std::uint32_t last_owner_ = engine::Demux::kNobody;
  MbufReturn returned_;
  std::size_t next_seat_ = 0;
  engine::StageClock* stages_ = nullptr;  ///< null if the current iteration is not measured
  std::array<engine::TxFrame, kMaxBurst> frames_{};
  std::array<rte_mbuf*, kMaxBurst> buffers_{};
  std::size_t filled_ = 0;    ///< number of frames that wait for build(), at the front of frames_
  std::size_t acquired_ = 0;  ///< number of allocated buffers, at the front of buffers_
  std::array<rte_mbuf*, FaultInjector::room_for(kMaxBurst + kControlShare)> pending_{};
  /// A pending packet that is the last one of a message whose times are recorded.
  struct LastPacket {
    const rte_mbuf* packet = nullptr;
    latency::MessageKey message = 0;
  };
  std::array<LastPacket, kMaxBurst> last_packets_{};
  std::size_t last_packet_count_ = 0;
  std::size_t pending_first_ = 0;
  std::size_t pending_count_ = 0;
  std::array<ControlFrame, kControlShare> held_{};  ///< control-thread frames of paused endpoints
  std::size_t held_count_ = 0;
  // The next three members are used only if Deps::stamps is not null.
  std::array<Time, kMaxBurst> departures_{};  ///< departure times of frames_
  Time scheduled_ = 0;                        ///< all frames due before this time have been collected
  Time turned_at_ = 0;                        ///< time of the previous iteration
  PortQueueCounters counters_;
};

}  // namespace softfeb::dataplane
