// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board_builder.hpp"
#include "dataplane/capture.hpp"
#include "dataplane/control_exchange.hpp"
#include "dataplane/fault_injector.hpp"
#include "dataplane/shared_triggers.hpp"
#include "dataplane/worker.hpp"
#include "detector/counter_payload.hpp"
#include "dpdk_rig.hpp"
#include "mbufs.hpp"
#include "probe.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <vector>

struct rte_eth_rxtx_callback;

namespace softfeb::steady {

struct SteadyConfig {
  bool ring = true;  ///< boards and a receiver at the ends of a ring; if false, only boards, on net_null
  /// Number of workers, 1 or 2. With 2, the first worker polls the ports at both ends of the ring, and the
  /// second worker owns the receiver.
  unsigned workers = 1;
  dataplane::IdlePolicy idle = dataplane::IdlePolicy::kPause;
  /// Name of one of congestion::algorithms(). The boards use this algorithm, and its congestion control
  /// header. If the name is empty, the boards use the firmware's DCQCN.
  std::string_view algorithm = {};
  /// If true, the queue pairs of the first board send registered transfers, and those of the second board
  /// send UC streams with windows.
  bool detector = false;
  /// If true, the boards answer triggers with event data, and the receiver builds the events.
  bool events = false;
  /// If true (requires `ring`), the boards' port has one fault rule for each kind of action, both for
  /// requests and for responses.
  bool rules = false;
};

inline constexpr std::uint32_t kQps = 16;   ///< queue pairs per board
inline constexpr std::uint32_t kSlots = 4;  ///< number of messages that fit into a QP's memory

/// Counters of the boards and of the receiver since the start of the rig.
struct Traffic {
  std::uint64_t packets = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t acknowledgements = 0;
  std::uint64_t naks = 0;
  std::uint64_t cnps = 0;
  std::uint64_t grants = 0;
  std::uint64_t arp_requests = 0;
  std::uint64_t control = 0;
  std::uint64_t transfers = 0;  ///< complete transfers
  std::uint64_t windows = 0;    ///< closed windows
  std::uint64_t triggers = 0;   ///< accepted triggers
  std::uint64_t received_bytes = 0;

  bool operator==(const Traffic&) const = default;
};

/// Two boards as in `softfeb run`, with workers, port queues, congestion control and captures.
/// - On a ring, they send to a receiver, and the ring loses, duplicates, reorders, corrupts and CE-marks
///   packets. Unless `detector` or `events` is set, the boards use RC, and the receiver checks every byte.
/// - On net_null, they use UC, and CNPs are injected.
/// In either case, the boards also receive ARP requests and slow-control datagrams.
class SteadyRig {
 public:
  explicit SteadyRig(const SteadyConfig& config);
  ~SteadyRig();
  SteadyRig(const SteadyRig&) = delete;
  SteadyRig& operator=(const SteadyRig&) = delete;

  /// Waits until `packets` more packets have been sent.
  void run(std::uint64_t packets);
  /// Takes a snapshot of all workers through their commands.
  Traffic traffic();
  /// Sends further commands to the workers: register accesses and changes of parameters.
  void command();
  Probe& probe(unsigned worker) { return *probes_[worker]; }
  /// Ends the workers. Only rule_counters() may be called afterwards.
  void stop();
  /// Returns the counters of the rules for requests, followed by those of the rules for responses. Call this
  /// after stop().
  std::vector<faults::RuleCounters> rule_counters() const;

 private:
  struct Hook {
    SteadyRig* rig = nullptr;
    Probe* probe = nullptr;
    bool board_side = false;
    std::uint64_t calls = 0;
  };

  void make_payload();
  /// Returns the congestion control settings of all queue pairs: the initial ones or, if `changed` is true,
  /// those that command() sets.
  engine::CongestionSettings congestion(bool changed) const;
  void make_boards();
  void make_event_boards();
  MutableByteSpan make_detector(std::uint32_t board, std::uint32_t number, engine::SendQpConfig& qp,
                                MutableByteSpan memory);
  void make_ports();
  void make_port_queue(std::size_t port, unsigned worker, std::vector<std::uint16_t> rx_queues);
  /// Returns rules for the requests or for the responses of all queue pairs.
  faults::FaultRules make_rules(faults::Direction direction) const;
  void hook(std::size_t port, Probe& probe);
  /// Injects frames for the boards.
  std::uint16_t inject(std::uint64_t call, rte_mbuf** packets, std::uint16_t n, std::uint16_t room);
  dataplane::WorkerStats totals() const;
  void drain_control();

  SteadyConfig config_;
  dataplane::TscClock clock_;
  test::DpdkRig rig_{1U << 18};
  std::unique_ptr<board::PayloadSource> payload_;
  std::vector<std::uint8_t> memory_;
  engine::TransferProgress progress_{kQps, kQps, kSlots};
  engine::TransferTimes times_;
  std::unique_ptr<dataplane::SharedTriggers> triggers_;
  std::unique_ptr<detector::EventPayload> event_payload_;
  std::vector<std::unique_ptr<engine::Board>> boards_;
  std::unique_ptr<engine::Receiver> receiver_;
  std::vector<std::unique_ptr<test::RigPort>> ports_;
  std::vector<std::unique_ptr<dataplane::ControlExchange>> exchanges_;
  std::vector<std::unique_ptr<dataplane::FaultInjector>> faults_;
  std::vector<std::unique_ptr<dataplane::Capture>> captures_;
  std::vector<std::unique_ptr<dataplane::Worker>> workers_;
  std::vector<std::unique_ptr<Probe>> probes_;
  std::array<Hook, 2> hooks_;
  std::vector<const rte_eth_rxtx_callback*> callbacks_;
  rte_mempool* outside_ = nullptr;
  std::vector<test::Bytes> injected_;  ///< injected frames, used in rotation
  std::uint64_t control_datagrams_ = 0;
  bool stopped_ = false;
};

}  // namespace softfeb::steady
