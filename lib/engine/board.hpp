// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "engine/congestion_log.hpp"
#include "engine/endpoint.hpp"
#include "engine/event_sender.hpp"
#include "engine/expected_responses.hpp"
#include "engine/link_shaper.hpp"
#include "engine/metadata_qps.hpp"
#include "engine/next_hops.hpp"
#include "engine/qp_store.hpp"
#include "engine/qp_table.hpp"
#include "engine/ready_queue.hpp"
#include "engine/send_qp.hpp"
#include "engine/shared_rates.hpp"
#include "engine/timing_wheel.hpp"
#include "engine/traffic_gen.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

/// lib/engine runs boards and receivers, sans-I/O. It decides which packet leaves when, and contains queue
/// pairs, pacing, scheduling, the classifier, ARP, neighbour discovery, ICMP and pause frames. It may include
/// board, detector, roce, dcqcn, congestion, latency and base. It uses no clock, does no I/O, and never
/// allocates memory per packet. Start with Endpoint (endpoint.hpp), then read Board here and its board_*.cpp,
/// SendQp (send_qp.hpp) and Receiver (receiver.hpp). doc/engine.md explains the fast path. metadata_qps.hpp
/// handles queue pairs created at run time.
namespace softfeb::engine {

struct BoardConfig {
  Identity identity;
  std::uint64_t link_rate = 0;  ///< bytes per second on the wire; 0 = unlimited
  std::vector<SendQpConfig> qps;
  BusConfig bus{};
  PauseConfig pause{};  ///< if pause.link_rate is 0, `link_rate` is used
  Time link_slack = LinkShaper::kSlack;
  /// UDP port of packets with a congestion control header (CCH). Queue pairs whose algorithm uses a CCH send
  /// to this port, and the board accepts responses with a CCH. If this is 0, the board neither sends nor
  /// accepts a CCH.
  std::uint16_t cc_port = 0;
  /// Event data that the first queue pairs send; not set if the board has no event data.
  std::optional<EventSenderConfig> events{};
  /// Traffic generator of the board's port; not set if the port has none.
  std::optional<TrafficGenConfig> traffic_gen{};
  /// Provides the memory that grows with the number of queue pairs. Must outlive the board. If this is null,
  /// the memory comes from the heap.
  std::pmr::memory_resource* memory = nullptr;
};

/// An emulated front-end board. It decides which packet leaves when. Its queue pairs are paced individually
/// and share one link in round robin.
///
/// Queue pairs are numbered: configured ones first, then the slots of the metadata bus. apply() may create
/// and destroy the QPs in these slots at any time, before and after start(), without allocating memory.
class Board : public Endpoint {
 public:
  explicit Board(const BoardConfig& config);

  /// Starts traffic. The schedule of each QP begins SendQpConfig::start_after later than `now`.
  void start(Time now);
  /// Stops posting messages; messages that were already posted complete normally. In an open loop, messages
  /// that have already arrived are still posted. The event data of earlier triggers is also still posted.
  void stop_traffic(Time now);
  /// Stops traffic, and completes all outstanding requests as flushed.
  void flush(Time now);
  /// Sets new congestion control parameters for QP `i`, and for all QPs that share its congestion control,
  /// effective immediately. Returns false if the QP has no congestion control, or one with a different
  /// algorithm.
  bool set_congestion(std::uint32_t i, const CongestionSettings& profile, Time now);
  /// Records up to `events` CNPs and parameter changes from now on. Must not be called while a worker owns
  /// the board.
  void keep_congestion_log(std::size_t events) { log_ = CongestionLog(events); }
  const CongestionLog& congestion_log() const { return log_; }
  /// True if every configured QP has posted all its messages and received their completions, and if the event
  /// data and the traffic generator, if any, have finished. QPs of the metadata bus count only after traffic
  /// has been stopped, because requests may be added until then.
  bool finished() const {
    return unfinished_ == 0 && bus_qps_.finished() && (events_ == nullptr || events_->finished()) &&
           (generator_ == nullptr || generator_->finished());
  }
  /// Null if the board has no event data.
  const EventSender* events() const { return events_.get(); }
  /// Null if the board's port has no traffic generator.
  const TrafficGen* traffic_gen() const { return generator_.get(); }

  /// Applies a register write, which is in effect when the call returns.
  void apply(const board::DataPathAction& action, Time now);
  /// Copies the state that registers expose to `out`, without changing the board. In each element of
  /// `out.qps`, the caller must have set QpLive::qp to the index of the QP to copy.
  void observe(board::DataPathState& out, Time now) const;

  /// Enables or disables the fast path (board_send.cpp), which affects only speed. Tests compare the packets
  /// sent with and without the fast path.
  void set_fast_path(bool on) { fast_path_ = on; }

  void expect(const roce::ParsedFrame& frame) override;
  std::size_t poll(Time now, std::span<TxFrame> out) override;
  Time next_event(Time now) const override;
  void control_frame_sent(std::uint32_t length, Time now) override;

  std::size_t qp_count() const override { return qps_.size(); }
  void prepare(EndpointSnapshot& out) const override;
  void copy_statistics(EndpointSnapshot& out, std::size_t first, std::size_t last, Time now) const override;
  /// Index of the metadata bus's first slot. Equals the number of configured QPs.
  std::size_t first_bus_qp() const { return bus_qps_.first(); }
  /// True for a configured QP, or for a slot of the metadata bus that contains a QP.
  bool qp_exists(std::size_t i) const { return i < first_bus_qp() || bus_qps_.exists(i); }
  const SendQp& qp(std::size_t i) const { return qps_[i]; }
  SendQp& qp(std::size_t i) { return qps_[i]; }
  /// Requester counters of QP `i`. For a slot of the metadata bus, returns the sum over all QPs of the slot
  /// so far.
  roce::RequesterCounters totals(std::size_t i) const {
    return i < first_bus_qp() ? qps_[i].requester().counters() : bus_qps_.totals(i);
  }
  const MetadataQps& metadata_qps() const { return bus_qps_; }
  /// Average memory per queue pair in bytes, including its send queue, congestion control, and entries in
  /// wheels and tables. Includes memory that is allocated but not used. 0 if the board has no queue pairs.
  std::size_t memory_per_qp() const;
  /// Number of next hops whose MAC address is unknown. After NextHops::kTries requests without a reply, sent
  /// one second apart, resolution of a next hop fails and the QPs that need it enter ERR. Also counts the
  /// next hop of the metadata bus while the bus has QPs, and the next hop of the traffic generator's
  /// datagrams. Requests for these two next hops are repeated without limit.
  std::size_t unresolved() const;
  /// Time taken to resolve the next hops of the configured QPs; see NextHops::took().
  Time resolution_took() const { return hops_.took(); }
  const LinkShaper& link() const { return link_; }

 protected:
  void receive_roce(const roce::ParsedFrame& frame, Time now) override {
    receive_response(frame, nullptr, now);
  }
  void receive_congestion(const roce::ParsedFrame& frame, const roce::CongestionHeader& header,
                          Time now) override;
  bool receive_trigger(const roce::ParsedFrame& frame, Time now) override;
  void neighbour_learned(const roce::IpAddress& ip, Time now) override;
  void resumed(std::uint8_t priorities, Time now) override;
  void finish_burst(Time now) override;

 private:
  static constexpr std::uint32_t kNoRun = UINT32_MAX;

  /// Tag of the constructor that requires at least two queue pairs in every group. The queue pairs of a group
  /// share a congestion control.
  struct Grouped {};
  Board(const BoardConfig& config, Grouped tag);

  /// A range of consecutive QPs, [first, first + count), waiting for the same next hop.
  struct WaitingRun {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t behind = kNoRun;  ///< next range for this next hop: index into `waiting_runs_`, or kNoRun
  };
  /// List of the ranges waiting for one next hop.
  struct Waiting {
    std::uint32_t first = kNoRun;
    std::uint32_t last = kNoRun;
  };

  // Defined in board_data_path.cpp.
  void act(const board::SetDcqcn& a, Time now);
  void act(const board::SetCnpCounterReset& a, Time now);
  void act(const board::SetTrafficClass& a, Time now);
  void act(const board::SetTrafficGen& a, Time now);
  template <typename Action>
  void act(const Action& a, Time now) {
    bus_qps_.apply(a, now);
  }
  board::QpLive live(std::size_t i, Time now) const;

  /// Departure time of QP `i`, postponed to the end of the pause if its priority is paused.
  Time departure(std::uint32_t i, Time now) const { return unpaused(i, qps_[i].departure(now)); }
  Time own_departure(std::uint32_t i, Time now) const { return unpaused(i, qps_[i].own_departure(now)); }
  Time unpaused(std::uint32_t i, Time at) const {
    return pause_.per_priority() ? std::max(at, pause_.until(pause_.priority(qps_[i].headers()))) : at;
  }
  /// Reschedules QP `i`. Call after any change to the QP: updates the ready queue, the departure wheel, and
  /// its timer.
  void reschedule(std::uint32_t i, Time now);
  void schedule(std::uint32_t i, Time at, Time now);
  /// True if a QP that departs at `departure` would be due by the time it reaches the front of the ready
  /// queue, behind `others` QPs. Such a QP may join the ready queue immediately instead of waiting in the
  /// departure wheel.
  bool due_behind(std::size_t others, Time departure, Time now) const {
    return others > kFewQps && departure - now <= static_cast<Time>(others) * kShortestService;
  }
  /// Adds QP `i` to the ready queue, or changes its rank there.
  void enqueue(std::uint32_t i);
  /// `line` is a queue of QPs that share a rate. If the first QP of the line may send, moves this QP to the
  /// ready queue. Otherwise, schedules the time at which to call this function again.
  void call_next(std::uint32_t line, Time now);
  /// Moves QPs from the wheel to the ready queue if their departure time has been reached.
  void wake(Time now);
  void post_events(Time now);
  std::size_t poll_busy_message(Time now, std::span<TxFrame> out);
  void watch_timer(std::uint32_t i, Time now);
  void run_timers(Time now);
  void add_qp(const SendQpConfig& config);
  congestion::CongestionControl* congestion_for(const SendQpConfig& config, std::uint32_t i);
  void store_qp(const SendQpConfig& config, std::uint32_t i);

  // Defined in board_neighbours.cpp: resolution of the MAC addresses of the configured QPs' next hops.
  void await_hop(std::uint32_t i, const roce::IpAddress& hop);
  void apply_static_neighbours(Time now);
  void hop_resolved(std::uint32_t hop, const roce::MacAddress& mac, Time now);
  void give_up(std::uint32_t hop, Time now);
  template <typename Do>
  void for_each_waiting(std::uint32_t hop, Do&& act);
  std::size_t poll_requests(Time now, std::span<TxFrame> out);
  Time request_event(Time now) const;

  // Defined in board_traffic_gen.cpp: packets of the traffic generator.
  void add_generator(const BoardConfig& config);
  bool may_post_generated() const;
  Time generator_event(Time now) const;
  void post_generated(Time now);
  std::size_t send_generated(Time now, std::span<TxFrame> out);

  // Defined in board_send.cpp: functions that select the next sender.
  /// A board with at most this number of queue pairs does not prefetch them, because they stay in the cache.
  static constexpr std::size_t kFewQps = 256;
  bool many() const { return qps_.size() > kFewQps; }
  /// Maximum number of packets that a queue pair sends in succession (its quantum) before the next queue pair
  /// is served, if more than kFewQps queue pairs are ready.
  static constexpr unsigned kQuantum = 4;
  /// The quantum, instead of kQuantum, if the queue pairs have FlightTrackers. Such a queue pair occupies
  /// twice as many cache lines, so more packets should share the cost of fetching it. Without FlightTrackers,
  /// longer quanta are slower (doc/packet-cost.md).
  static constexpr unsigned kTrackedQuantum = 16;
  /// Lower bound on the time that a CPU takes from a packet of one queue pair to a packet of the next one.
  static constexpr Time kShortestService = 16 * kNanosecond;
  std::size_t send_packets(Time now, std::span<TxFrame> out);
  void fetch_ahead();
  void fetch_first_lines();
  void fetch_second_best();
  bool quantum_goes_on();
  void end_quantum();
  bool may_run(std::uint32_t i) const;
  /// True if QP `i` does not share its rate with other QPs.
  bool own_rate(std::uint32_t i) const { return groups_.empty() || shared_.line_of(i) == SharedRates::kNone; }
  /// True if QP `i` is served by rank.
  bool ranked(std::uint32_t i) const { return ready_.ranked() && qps_[i].ranked(); }
  enum class Sent : std::uint8_t { kPacket, kNothing, kOfRun };
  void receive_response(const roce::ParsedFrame& frame, const roce::CongestionHeader* echo, Time now);
  std::uint32_t accept(roce::Qpn qpn, const roce::ParsedFrame& frame);
  void receive_credit(const roce::ParsedFrame& frame, const roce::CongestionHeader& header, Time now);
  std::size_t poll_busy(Time now, std::span<TxFrame> out);
  Sent send_next(std::uint32_t i, SendQp& qp, Time now, TxFrame& out);
  Sent send_of_run(std::uint32_t i, SendQp& qp, Time now, TxFrame& out);
  void reschedule_received(std::uint32_t i, Time now);

  LinkShaper link_;
  /// Event data that the board's queue pairs send; null if there is none.
  std::unique_ptr<EventSender> events_;
  std::unique_ptr<TrafficGen> generator_;  ///< null if the board has no traffic generator
  /// If datagrams of the traffic generator are due and queue pairs are ready, their packets alternate. True
  /// if a datagram is next.
  bool datagram_next_ = true;
  QpStore qps_;
  QpTable table_;
  SharedRates shared_;
  TimingWheel departures_;  ///< one entry per queue pair, then one per line of `shared_`
  std::vector<std::uint32_t> woken_;
  TimingWheel timers_;
  ReadyQueue ready_;
  unsigned long_quantum_;      ///< kQuantum or kTrackedQuantum
  unsigned quantum_sent_ = 0;  ///< packets sent by the first QP in the ready queue in its current quantum
  std::size_t fetch_at_ = 0;   ///< position in the ready queue at which to prefetch more QPs
  std::size_t fetched_ = 0;    ///< position after the last prefetched QP
  /// Where the fast path last put a QP whose next packet was not due immediately. True: in the departure
  /// wheel. False: the QP stayed in the ready queue (due_behind()), or there was no such QP yet.
  bool used_wheel_ = false;
  std::uint32_t fetched_best_ = ReadyQueue::kNone;  ///< last QP that fetch_second_best() prefetched
  ExpectedResponses expected_;
  struct Group {
    congestion::CongestionControl* control = nullptr;
    std::uint32_t line = SharedRates::kNone;
    Flight flight{};
  };
  std::map<std::uint32_t, Group> groups_;
  NextHops hops_;
  std::vector<Waiting> waiting_;  ///< indexed by next hop
  std::vector<WaitingRun> waiting_runs_;
  std::uint32_t static_changes_ = 0;  ///< value of NeighbourTable::static_changes() at the last check
  std::size_t unfinished_ = 0;        ///< number of configured QPs that are not finished
  MetadataQps bus_qps_;
  CongestionLog log_;
  /// Number of messages posted so far by QPs whose congestion control uses the order of messages.
  std::uint64_t posted_ = 0;
  struct Busy {
    std::uint32_t qp = 0;
    roce::CreditBody request{};
  };
  /// BUSY frames to be sent. If there is no room, a BUSY is dropped, and the receiver repeats its request.
  std::array<Busy, 64> busy_{};
  std::size_t busy_count_ = 0;
  std::uint16_t identification_ = 0;  ///< IPv4 identification, incremented per packet as in the firmware
  bool fast_path_ = true;
  /// QPs to reschedule at the end of the current receive burst.
  std::array<std::uint32_t, 64> received_{};
  std::size_t received_count_ = 0;
};

}  // namespace softfeb::engine
