// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "engine/completion_checker.hpp"
#include "engine/congestion_log.hpp"
#include "engine/dispatcher.hpp"
#include "engine/endpoint.hpp"
#include "engine/expected_responses.hpp"
#include "engine/link_shaper.hpp"
#include "engine/next_hops.hpp"
#include "engine/qp_store.hpp"
#include "engine/qp_table.hpp"
#include "engine/ready_queue.hpp"
#include "engine/send_qp.hpp"
#include "engine/shared_rates.hpp"
#include "engine/timing_wheel.hpp"
#include "roce/udp_source_port.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <vector>

namespace softfeb::engine {

/// The queue pairs that the metadata bus may make (doc/dispatcher.md).
struct BusConfig {
  std::size_t slots = 0;
  /// What they have in common: transport and QPNs, PSNs, path MTU, timers and retries come from the bus, the
  /// path's addresses from the board's identity and the destination; `traffic`, `peer_mac` and `start_after`
  /// mean nothing here. `payload` must give bytes for any offset and length; null is an error where there
  /// are slots.
  SendQpConfig qp;
  roce::SourcePortPolicy source_port;
  std::uint32_t largest_pmtu = 4096;    ///< that the port carries; a QP with a larger one goes to ERR
  board::SetDestination destination{};  ///< at the beginning
};

struct BoardConfig {
  Identity identity;
  std::uint64_t link_rate = 0;  ///< bytes per second on the wire, 0 = no limit
  std::vector<SendQpConfig> qps;
  BusConfig bus{};
  PauseConfig pause{};  ///< its link rate, where it has none: `link_rate`
  Time link_slack = LinkShaper::kSlack;
  /// Where all that grows with the number of queue pairs is kept; outlives the board. Null: the heap.
  std::pmr::memory_resource* memory = nullptr;
};

/// One emulated front-end board at work: its queue pairs, each at its pace, above one link. Packets of
/// different QPs take turns. Everything that decides what leaves when is here.
///
/// QPs are numbered: those of the configuration, then the slots of the metadata bus. The latter are made and
/// unmade by apply() while the board runs, before and after start(), without allocation.
class Board : public Endpoint {
 public:
  explicit Board(const BoardConfig& config);

  /// Traffic begins: schedules start at `now`.
  void start(Time now);
  /// No further messages; what is posted goes on.
  void stop_traffic(Time now);
  /// Everything unfinished completes as flushed.
  void flush(Time now);
  /// New parameters for the congestion control of QP `i` (and of those that share it), in force at once.
  /// False when it has none of that kind.
  bool set_congestion(std::uint32_t i, const CongestionProfile& profile, Time now);
  /// From now on up to `events` CNPs and changes of parameters are kept. While no worker has the board.
  void keep_congestion_log(std::size_t events) { log_ = CongestionLog(events); }
  const CongestionLog& congestion_log() const { return log_; }
  /// Every QP of the configuration has made its messages and seen their completions. Those of the metadata
  /// bus count once traffic has been stopped: before, nobody knows what will be asked of them.
  bool finished() const { return unfinished_ == 0 && (!stopped_ || bus_busy_ == 0); }

  /// A register of the board was written. In force when this returns.
  void apply(const board::DataPathAction& action, Time now);
  /// Copies what registers show; reading changes nothing. `out.qps[k].qp` say which QPs are asked for.
  void observe(board::DataPathState& out, Time now) const;

  /// Off: every turn is one in full (board_send.cpp). Nothing but speed changes; for comparing the two.
  void set_quick_turns(bool on) { quick_turns_ = on; }

  void expect(const roce::ParsedFrame& frame) override;
  std::size_t poll(Time now, std::span<TxFrame> out) override;
  Time next_event(Time now) const override;
  void control_frame_sent(std::uint32_t length, Time now) override;

  std::size_t qp_count() const { return qps_.size(); }
  /// Number of the metadata bus's first slot: how many QPs the configuration has.
  std::size_t first_bus_qp() const { return first_bus_; }
  /// A configured one, or a slot of the metadata bus that holds one.
  bool qp_exists(std::size_t i) const { return i < first_bus_ || slots_[i - first_bus_].exists(); }
  const SendQp& qp(std::size_t i) const { return qps_[i]; }
  SendQp& qp(std::size_t i) { return qps_[i]; }
  /// Counters of QP `i`'s requester; of a slot of the metadata bus over all QPs that it has held.
  roce::RequesterCounters totals(std::size_t i) const;
  /// A slot of the metadata bus, over all QPs that it has held.
  struct BusHistory {
    Time first_completed = kNever;            ///< when the first messages completed with success
    std::uint64_t first_completed_bytes = 0;  ///< their payload
    bool uc = false;                          ///< it has held a UC QP
  };
  /// Of QP `i`, which is one of the metadata bus.
  const BusHistory& bus_history(std::size_t i) const { return slots_[i - first_bus_].history; }
  /// Bytes of memory that a queue pair takes: itself, its send queue, its congestion control, its places in
  /// wheels and tables. Of all there is room for, on average; 0 without any.
  std::size_t memory_per_qp() const;
  /// Next hops whose MAC address is not known (yet). One that does not answer NextHops::kTries requests, a
  /// second apart, is given up: the QPs that need it go to ERR. The destination of the metadata bus is never
  /// given up.
  std::size_t unresolved() const;
  /// How long it took to find the next hops of the configured QPs: NextHops::took().
  Time resolution_took() const { return hops_.took(); }
  const LinkShaper& link() const { return link_; }

 protected:
  void receive_roce(const roce::ParsedFrame& frame, Time now) override;
  void neighbour_learned(const roce::IpAddress& ip, Time now) override;
  void resumed(std::uint8_t priorities, Time now) override;
  void settle_burst(Time now) override;

 private:
  static constexpr std::uint32_t kNoQp = UINT32_MAX;
  static constexpr std::uint32_t kNoRun = UINT32_MAX;

  /// QPs that wait for one next hop: `count` from `first` on, as most configurations have them.
  struct WaitingRun {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t behind = kNoRun;  ///< the next run that waits for it: into `waiting_runs_`
  };
  /// All that wait for one.
  struct Waiting {
    std::uint32_t first = kNoRun;
    std::uint32_t last = kNoRun;
  };

  /// A slot of the metadata bus.
  struct BusSlot {
    board::QpContext context;       ///< as the bus has it
    std::optional<roce::Qpn> qpn;   ///< in the table: none of the configuration has it
    std::uint64_t stream_base = 0;  ///< byte counter of the payload where this life began
    std::uint64_t stream_next = 0;  ///< where the payload of the next request begins
    std::uint64_t ok = 0;           ///< of this life, counted by the checker
    std::uint64_t failed = 0;
    roce::RequesterCounters past;  ///< of the lives before
    BusHistory history;

    bool exists() const { return context.state != roce::QpState::kReset; }
  };
  /// Where the metadata bus's QPs send to.
  struct BusPeer {
    board::SetDestination destination;
    std::optional<roce::IpAddress> next_hop;  ///< none: nowhere
    std::optional<roce::MacAddress> mac;
    Time retry_at = kNever;  ///< when to ask (again) for the next hop
  };

  void make_bus(const BusConfig& config);

  // board_registers.cpp
  void act(const board::SetDcqcn& a, Time now);
  void act(const board::SetCnpCounterReset& a, Time now);
  void act(const board::SetCompletionReset& a, Time now);
  void act(const board::SetTrafficClass& a, Time now);
  void act(const board::SoftReset& a, Time now);
  board::QpLive live(std::size_t i, Time now) const;

  // board_bus.cpp: lives of the metadata bus's QPs
  bool on_bus(std::size_t i) const { return i >= first_bus_ && i < qps_.size(); }
  BusSlot& slot_of(std::size_t i) { return slots_[i - first_bus_]; }
  void act(const board::SetQp& a, Time now);
  void follow(std::uint32_t i, roce::QpState before, Time now);
  void open_bus_qp(std::uint32_t i, Time now);
  void close_bus_qp(std::uint32_t i, Time now);
  void renew_bus_qp(std::uint32_t i, Time now);
  void ready_bus_qp(std::uint32_t i, Time now);
  roce::RequesterConfig requester_for(const board::QpContext& context) const;

  // board_peer.cpp: where they send to
  void act(const board::SetDestination& a, Time now);
  void choose_next_hop(Time now);
  void direct_bus_qp(std::uint32_t i);
  bool ask_bus_peer(Time now);
  void tell_bus_peer(const roce::MacAddress& mac, Time now);

  // board_dispatch.cpp: what the dispatcher has for them, and what became of it
  void act(const board::Dispatch& a, Time now);
  std::uint32_t choose_bus_qp() const;
  void route_dispatch(Time now);
  void feed(std::uint32_t i, Time now);
  void check_completions(std::uint32_t i);

  /// Those of the QP, or later: when its priority is not paused any more.
  Time departure(std::uint32_t i, Time now) const { return unpaused(i, qps_[i].departure(now)); }
  Time own_departure(std::uint32_t i, Time now) const { return unpaused(i, qps_[i].own_departure(now)); }
  Time unpaused(std::uint32_t i, Time at) const {
    return pause_.per_priority() ? std::max(at, pause_.until(pause_.priority(qps_[i].headers()))) : at;
  }
  /// Puts QP `i` where it belongs after something about it changed: the ready queue, the departure wheel, its
  /// timer.
  void settle(std::uint32_t i, Time now);
  void place(std::uint32_t i, Time at, Time now);
  /// Wakes the first of those that share a rate when it may send, and sees to it that it is woken then.
  void call_next(std::uint32_t line, Time now);
  /// Takes those whose departure has come out of the wheel.
  void wake(Time now);
  void watch_timer(std::uint32_t i, Time now);
  void run_timers(Time now);
  void add_qp(const SendQpConfig& config);
  dcqcn::CongestionControl* congestion_for(const SendQpConfig& config, std::uint32_t i);

  // board_neighbours.cpp: the MAC addresses that configured QPs send to
  void await_hop(std::uint32_t i, const roce::IpAddress& hop);
  void look_at_statics(Time now);
  void hop_found(std::uint32_t hop, const roce::MacAddress& mac, Time now);
  void give_up(std::uint32_t hop, Time now);
  template <typename Do>
  void for_each_waiting(std::uint32_t hop, Do&& act);
  std::size_t poll_requests(Time now, std::span<TxFrame> out);
  Time request_event(Time now) const;

  // board_send.cpp: who sends next
  /// So few queue pairs stay in the cache anyway.
  static constexpr std::size_t kFewQps = 256;
  bool many() const { return qps_.size() > kFewQps; }
  std::size_t send_packets(Time now, std::span<TxFrame> out);
  void fetch_ahead();
  void fetch_turns_to_come();
  bool turn_goes_on();
  void end_turn();
  bool may_run(std::uint32_t i) const;
  /// No others stand in a line with it for the same rate.
  bool own_rate(std::uint32_t i) const { return groups_.empty() || shared_.line_of(i) == SharedRates::kNone; }
  enum class Turn : std::uint8_t { kSent, kNothing, kOfRun };
  Turn take_turn(SendQp& qp, Time now, TxFrame& out);
  Turn take_turn_of_run(SendQp& qp, Time now, TxFrame& out);
  void settle_received(std::uint32_t i, Time now);

  LinkShaper link_;
  QpStore qps_;
  QpTable table_;
  SharedRates shared_;
  TimingWheel departures_;  ///< of queue pairs; behind them of the lines of `shared_`
  std::vector<std::uint32_t> woken_;
  TimingWheel timers_;
  ReadyQueue ready_;
  unsigned of_turn_ = 0;      ///< packets that the first of them has sent in its turn
  std::size_t fetch_at_ = 0;  ///< places in the ready queue: whose turn it is when more are to be fetched,
  std::size_t fetched_ = 0;   ///< and behind the last that have been (board_send.cpp)
  ExpectedResponses expected_;
  struct Group {
    dcqcn::CongestionControl* control = nullptr;
    std::uint32_t line = SharedRates::kNone;
  };
  std::map<std::uint32_t, Group> groups_;
  NextHops hops_;
  std::vector<Waiting> waiting_;  ///< by next hop
  std::vector<WaitingRun> waiting_runs_;
  std::uint32_t static_changes_ = 0;  ///< of the neighbour table, when last looked at
  std::size_t unfinished_ = 0;        ///< of the configured QPs, so that nobody need ask them all
  std::size_t bus_busy_ = 0;          ///< the metadata bus's QPs with requests outstanding
  bool stopped_ = false;

  std::size_t first_bus_;
  BusConfig bus_;
  std::vector<BusSlot> slots_;
  BusPeer bus_peer_;
  Dispatcher dispatcher_;
  std::uint32_t dispatch_to_ = kNoQp;
  CompletionChecker checker_;
  CongestionLog log_;
  std::uint16_t identification_ = 0;  ///< IPv4, counts up per packet as the firmware's does
  bool quick_turns_ = true;
  std::array<std::uint32_t, 64> received_{};  ///< QPs to settle when the burst of received frames has ended
  std::size_t received_count_ = 0;
};

}  // namespace softfeb::engine
