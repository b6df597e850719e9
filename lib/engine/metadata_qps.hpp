// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "engine/dispatcher.hpp"
#include "engine/identity.hpp"
#include "engine/neighbours.hpp"
#include "engine/qp_store.hpp"
#include "engine/qp_table.hpp"
#include "roce/udp_source_port.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace softfeb::engine {

/// The queue pairs that the metadata bus can create (doc/dispatcher.md).
struct BusConfig {
  std::size_t slots = 0;
  /// Configuration common to the QPs of all slots. The bus supplies transport, QPNs, PSNs, path MTU, timers
  /// and retries; the board's identity and the destination supply the addresses of the path. `traffic`,
  /// `peer_mac` and `start_after` are ignored. `payload` must provide bytes for any offset and length. If
  /// there are slots and `payload` is null, the constructor of MetadataQps throws std::invalid_argument.
  SendQpConfig qp;
  roce::SourcePortPolicy source_port;
  /// Largest path MTU that the port supports. A QP with a larger path MTU enters ERR.
  std::uint32_t largest_pmtu = 4096;
  board::SetDestination destination{};  ///< initial destination
};

/// The queue pairs of a board that the metadata bus creates and destroys at run time, with the firmware
/// blocks that serve them: one destination, the work request dispatcher and the work completion checker. The
/// board stores and schedules these queue pairs like all others; this class manages their state, path and
/// requests. Does not allocate memory after construction.
///
/// A slot is a queue pair of the board's QpStore. A parameter `i` is the number of a slot among all queue
/// pairs of the board. The configured queue pairs have the lowest numbers, and the slots have the numbers
/// after them.
class MetadataQps {
 public:
  /// Objects of the board that the slots use. All must outlive this object.
  struct Deps {
    QpStore& qps;
    QpTable& table;
    const Identity& identity;
    const NeighbourTable& neighbours;
    /// Called after every change to queue pair `i`. This function must call post_requests() and
    /// count_completions().
    std::function<void(std::uint32_t i, Time now)> reschedule;
  };
  /// Statistics of a slot over all its QPs so far.
  struct History {
    /// Time of the first successful completion, and payload bytes of all requests that completed at this
    /// time. Several requests can complete at once, because one acknowledgement may cover them.
    Time first_completed = kNever;
    std::uint64_t first_completed_bytes = 0;
    bool uc = false;  ///< the slot contains or contained a UC QP
  };

  /// Returns the configuration of a queue pair that serves as a slot. Such a queue pair generates no traffic
  /// itself.
  static SendQpConfig slot_config(const BusConfig& config, const Identity& identity);

  /// `first` is the number of the first slot. Throws std::invalid_argument: see BusConfig::qp.
  MetadataQps(const BusConfig& config, std::size_t first, Deps deps);

  /// Makes the newest queue pair of the store the next slot. Call once per slot, then apply the destination.
  void add_slot();

  // Register writes, which are in effect when the call returns. Without slots they have no effect.
  void apply(const board::SetQp& action, Time now);
  void apply(const board::SetDestination& action, Time now);
  void apply(const board::Dispatch& action, Time now);
  void apply(const board::SoftReset& action, Time now);
  void apply(const board::SetCompletionReset& action, Time now);
  /// Sets the DSCP and ECN field of future QPs. For existing QPs, the board changes these fields itself.
  void set_traffic_class(std::uint8_t dscp, roce::Ecn ecn);

  void start() { stopped_ = false; }
  /// Drops the dispatcher's requests that have not been posted. New requests are dropped as well until
  /// start().
  void stop();
  /// After stop(), true if no request is outstanding. Always true before stop(), because the board does not
  /// wait for slots while new requests may still arrive.
  bool finished() const { return !stopped_ || busy_ == 0; }

  /// Posts requests of the dispatcher to QP `i` while there is room. Requests wait until the QP is in RTS or
  /// SQD; if the QP is in ERR, all of them fail immediately.
  void post_requests(std::uint32_t i, Time now);
  /// Reports new completions of QP `i` to the completion checker.
  void count_completions(std::uint32_t i);
  /// Call with true when a QP without outstanding requests gets a request, and with false when a QP completes
  /// its last outstanding request.
  void count_busy(bool busy) { busy_ += busy ? std::size_t{1} : std::size_t(-1); }

  /// Returns true if a request for the MAC address of next_hop() must be sent at `now`. Requests are
  /// repeated once per second, without limit.
  bool take_neighbour_request(Time now);
  /// Time at which the next request for a MAC address is due; kNever if none is.
  Time neighbour_request_at() const { return peer_.retry_at; }
  /// Next hop to the destination. Requires that a next hop has been chosen. This is the case after
  /// take_neighbour_request() returned true.
  const roce::IpAddress& next_hop() const { return *peer_.next_hop; }
  void neighbour_learned(const roce::IpAddress& ip, const roce::MacAddress& mac, Time now);
  /// True if there are QPs and the MAC address of their next hop is unknown.
  bool unresolved() const;

  std::size_t first() const { return first_; }
  /// True if the slot contains a QP.
  bool exists(std::size_t i) const { return slot(i).exists(); }
  const History& history(std::size_t i) const { return slot(i).history; }
  /// Requester counters summed over all QPs of the slot so far.
  roce::RequesterCounters totals(std::size_t i) const;
  const CompletionChecker& checker() const { return checker_; }
  /// Number of requests dispatched but not yet posted.
  std::uint32_t requests_waiting() const { return dispatcher_.waiting(); }

 private:
  static constexpr std::uint32_t kNoQp = UINT32_MAX;

  struct Slot {
    board::QpContext context;  ///< context as written by the bus
    /// QPN in the QPN table; std::nullopt if another QP owns it or the slot contains no QP.
    std::optional<roce::Qpn> qpn;
    std::uint64_t stream_base = 0;  ///< payload byte counter at the start of the current QP
    std::uint64_t stream_next = 0;  ///< payload offset of the next request
    std::uint64_t ok = 0;           ///< completions of the current QP already reported to the checker
    std::uint64_t failed = 0;
    roce::RequesterCounters past;  ///< sum over the slot's previous QPs
    History history;

    bool exists() const { return context.state != roce::QpState::kReset; }
  };
  /// Destination of all QPs.
  struct Peer {
    board::SetDestination destination;
    /// Empty if there is no destination, or if the IP versions of the destination and the board differ.
    std::optional<roce::IpAddress> next_hop;
    std::optional<roce::MacAddress> mac;
    Time retry_at = kNever;  ///< time of the next request for the next hop's MAC address
  };

  Slot& slot(std::size_t i) { return slots_[i - first_]; }
  const Slot& slot(std::size_t i) const { return slots_[i - first_]; }
  std::uint32_t end() const { return static_cast<std::uint32_t>(first_ + slots_.size()); }

  // Defined in metadata_qps.cpp: life cycle of the queue pairs.
  void transition(std::uint32_t i, roce::QpState before, Time now);
  void create(std::uint32_t i, Time now);
  void destroy(std::uint32_t i, Time now);
  void reset(std::uint32_t i, Time now);
  void ready_to_send(std::uint32_t i, Time now);
  roce::RequesterConfig requester_for(const board::QpContext& context) const;

  // Defined in metadata_destination.cpp.
  void choose_next_hop(Time now);
  void set_path(std::uint32_t i);
  void set_dest_mac(const roce::MacAddress& mac, Time now);

  // Defined in metadata_dispatch.cpp.
  std::uint32_t choose_qp() const;
  void route_requests(Time now);

  BusConfig config_;
  std::size_t first_;
  Deps deps_;
  std::vector<Slot> slots_;
  Peer peer_;
  Dispatcher dispatcher_;
  std::uint32_t dispatch_to_ = kNoQp;
  CompletionChecker checker_;
  std::size_t busy_ = 0;  ///< number of QPs with outstanding requests
  bool stopped_ = false;
};

}  // namespace softfeb::engine
