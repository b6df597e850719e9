// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/endpoint.hpp"
#include "engine/peer_qp_table.hpp"
#include "engine/qp_table.hpp"
#include "engine/receiver_action.hpp"
#include "roce/notification_point.hpp"
#include "roce/path.hpp"
#include "roce/receive_qp.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace softfeb::engine {

struct ReceiveQpSetup {
  roce::ReceiveQpConfig qp;
  roce::Path reply_path;  ///< the destination MAC is taken from the requester's packets
  std::uint16_t pkey = roce::kDefaultPkey;
  std::vector<roce::MemoryRegion> regions;
};

/// A place for a QP that is made while the receiver runs. It belongs to one peer, whose QPs come and go.
struct ReceiveSlotSetup {
  roce::Path reply_path;  ///< to the peer; MAC address and UDP source port as for ReceiveQpSetup
  std::uint16_t pkey = roce::kDefaultPkey;
};

struct ReceiverConfig {
  Identity identity;
  roce::NotificationConfig notification;
  std::vector<ReceiveQpSetup> qps;
  std::vector<ReceiveSlotSetup> slots{};
  PauseConfig pause{};
};

struct ReceiverCounters {
  std::uint64_t cnp_tx = 0;
  std::uint64_t replies_dropped = 0;  ///< more acknowledgements and CNPs owed than we keep
};

/// An RDMA receiver of ours: receiving queue pairs at one address, with the notification point. What a server
/// with a NIC is to a board.
///
/// QPs are numbered: those of the configuration, then the slots, whose QPs apply() makes and unmakes while
/// the receiver runs, without allocation. What a slot's QP judges is the payload's byte counter, over all QPs
/// that stood there.
class Receiver : public Endpoint {
 public:
  explicit Receiver(const ReceiverConfig& config);

  void expect(const roce::ParsedFrame& frame) override;
  std::size_t poll(Time now, std::span<TxFrame> out) override;
  Time next_event(Time now) const override;

  /// In force when this returns.
  void apply(const ReceiverAction& action);

  std::size_t qp_count() const { return qps_.size(); }
  const roce::ReceiveQp& qp(std::size_t i) const { return qps_[i].qp; }
  roce::ReceiveQp& qp(std::size_t i) { return qps_[i].qp; }
  /// Number of the first slot: how many QPs the configuration has.
  std::size_t first_slot() const { return first_slot_; }
  /// A configured one, or a slot in which a QP stands.
  bool qp_exists(std::size_t i) const { return qps_[i].exists; }
  /// A configured one, or a slot in which a QP stands or stood.
  bool qp_used(std::size_t i) const { return qps_[i].used; }
  /// What QP `i`, and all that stood in its slot before it, did.
  roce::ResponderCounters responder_counters(std::size_t i) const;
  const roce::IpAddress& peer(std::size_t i) const { return qps_[i].peer; }
  /// When the last message of QP `i`, and of all that stood in its slot before it, was received whole by UC;
  /// 0: there was none. (The requester's completions tell it for RC.)
  Time last_uc_message(std::size_t i) const { return qps_[i].last_uc_message; }
  /// One more than the highest remote address written on behalf of QP `i`; 0 when nothing was.
  std::uint64_t written_end(std::size_t i) const { return qps_[i].written_end; }
  const ReceiverCounters& receiver_counters() const { return receiver_counters_; }
  const roce::NotificationPoint& notification_point() const { return notification_; }

 protected:
  void receive_roce(const roce::ParsedFrame& frame, Time now) override;

 private:
  struct Qp {
    Qp(const ReceiveQpSetup& setup, roce::NotificationPoint& notification);
    Qp(const ReceiveSlotSetup& setup, roce::NotificationPoint& notification);

    roce::Path path;  ///< of answers; without the peer's MAC address
    roce::NotificationPoint::Slot notification;
    std::vector<roce::MemoryRegion> regions;  ///< the responder refers to them: stays where it is
    std::uint64_t written_end = 0;            ///< this and what follows are looked at for each packet
    roce::IpAddress peer;
    roce::MacAddress peer_mac{};
    roce::ReceiveQp qp;
    roce::HeaderTemplate reply;
    roce::ResponderCounters before{};  ///< of QPs that stood here
    Time last_uc_message = 0;
    std::uint16_t pkey;
    bool exists = true;
    bool used = true;
  };
  struct Pending {
    std::uint32_t qp = 0;  ///< kNobody: its QP is gone
    bool cnp = false;
    std::uint8_t priority = 0;  ///< of PauseState
    roce::Reply reply{};
  };
  static constexpr std::size_t kPendingRoom = 8192;  ///< a power of two

  static constexpr std::uint32_t kNobody = UINT32_MAX;

  void act(const SetReceiveQp& a);
  void act(const SetReceiveRegions& a);
  void act(const RemoveReceiveQp& a);
  bool receive_quickly(const roce::ParsedFrame& frame);
  std::uint32_t find(roce::Qpn qpn, const roce::IpAddress& peer);
  void index_slots();
  void forget_replies(std::uint32_t i);
  void push(Pending p);
  bool may_send(Time now) const;
  std::size_t take_pending(Time now, std::span<TxFrame> out);
  std::size_t take_unpaused(Time now, std::span<TxFrame> out);
  void write(const Pending& p, TxFrame& out);

  roce::NotificationPoint notification_;
  std::deque<Qp> qps_;
  std::size_t first_slot_;
  QpTable table_;           ///< of the configured ones
  PeerQpTable slot_table_;  ///< of those in slots
  std::vector<Pending> pending_;
  std::size_t pending_first_ = 0;
  std::size_t pending_count_ = 0;
  std::array<std::uint32_t, roce::kPriorities> pending_of_{};  ///< by priority
  ReceiverCounters receiver_counters_;
  std::uint16_t identification_ = 0;
};

}  // namespace softfeb::engine
