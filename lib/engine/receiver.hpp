// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/endpoint.hpp"
#include "engine/event_receiver.hpp"
#include "engine/granter.hpp"
#include "engine/peer_qp_table.hpp"
#include "engine/qp_table.hpp"
#include "engine/receiver_action.hpp"
#include "engine/stream_receiver.hpp"
#include "engine/transfer.hpp"
#include "latency/stamps.hpp"
#include "roce/notification_point.hpp"
#include "roce/path.hpp"
#include "roce/receive_qp.hpp"
#include "roce/registration.hpp"
#include "roce/unordered_writes.hpp"
#include "roce/window_map.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::engine {

class GroupNotifications;

/// Receives each complete message of a receiver's queue pairs, as a receiving application would. Called on
/// the packet path. `qp` is the number of the queue pair.
class MessageObserver {
 public:
  virtual ~MessageObserver() = default;
  virtual void message(std::size_t qp, const roce::MessageEvent& message, Time now) = 0;
};

struct ReceiveQpSetup {
  roce::ReceiveQpConfig qp;
  /// Interval at which receive requests are posted while the queue contains fewer than qp.responder.receives.
  /// 0 means that no further receive requests are posted.
  Time receive_interval = 0;
  /// Source of the transfers that this QP receives (TransferSettings). Requires ReceiverConfig::registration.
  /// If this is empty, the messages of the QP are not parts of transfers.
  std::optional<std::uint32_t> transfer_source{};
  roce::Path reply_path;  ///< the destination MAC address is learned from the requester's packets
  std::uint16_t pkey = roce::kDefaultPkey;
  std::vector<roce::MemoryRegion> regions;
  bool grants = false;  ///< the requester runs Homa and needs grants
};

/// A slot for QPs that are created while the receiver runs. Each slot belongs to one peer.
struct ReceiveSlotSetup {
  /// Path to the peer. The MAC address is learned; the UDP source port is derived from the QPNs.
  roce::Path reply_path;
  std::uint16_t pkey = roce::kDefaultPkey;
};

struct ReceiverConfig {
  Identity identity;
  roce::NotificationConfig notification;
  std::vector<ReceiveQpSetup> qps;
  std::vector<ReceiveSlotSetup> slots{};
  PauseConfig pause{};
  congestion::HomaParameters homa{};  ///< parameters for the QPs that need grants
  /// UDP port of requests with a congestion control header; 0 if such requests are not accepted.
  std::uint16_t cc_port = 0;
  /// Map of missing data for the configured UC queue pairs: QP i is stream i. The receiver itself sets the
  /// member `streams` of the map's configuration.
  std::optional<roce::WindowMapConfig> windows{};
  /// Receives the windows as they close, on the packet path. May be null; otherwise, it must outlive the
  /// receiver.
  roce::WindowConsumer* window_consumer = nullptr;
  /// Event builder. Configured QP i receives the data of board i. If this is empty, messages are not event
  /// data.
  std::optional<EventReceiverConfig> events{};
  /// Streams of UDP datagrams. If this is empty, the receiver accepts no datagrams.
  std::optional<StreamReceiverConfig> streams{};
  /// Registration table for transfers. Each message counts as a packet of the table. `open_length` must be
  /// true, because the length of the last message is not announced.
  std::optional<roce::RegistrationConfig> registration{};
  latency::StampSource stamps;  ///< records the times of messages of the configured queue pairs
  /// Time from the arrival of a packet until its acknowledgement or CNP is sent. Several responses may be
  /// delayed at the same time, so this delay does not limit the rate of responses.
  Time response_delay = 0;
  /// If set, the receiver accepts the packets of WRITEs in any order. All configured queue pairs must then be
  /// UC, have `any_order` set in their responders, and use the path MTU of this configuration.
  std::optional<roce::UnorderedConfig> unordered{};
  /// If true, the application calls poll_notification(). If false, notifications are only counted.
  bool keep_notifications = false;
  MessageObserver* message_observer = nullptr;  ///< may be null; otherwise, it must outlive the receiver
};

struct ReceiverCounters {
  std::uint64_t cnp_tx = 0;
  std::uint64_t replies_dropped = 0;  ///< acknowledgements and CNPs dropped because the queue was full
  std::uint64_t grant_tx = 0;         ///< GRANTs sent
  std::uint64_t resend_tx = 0;        ///< RESENDs sent
  std::uint64_t busy_rx = 0;          ///< BUSYs received
};

/// The built-in RDMA receiver, which stands in for a server and its NIC. It has receive queue pairs at one
/// address, and is a DCQCN notification point.
///
/// Queue pairs are numbered: configured ones first, then the slots. apply() creates and destroys the QPs in
/// the slots at run time without allocating memory. The continuity check of a slot follows the payload byte
/// counter across all QPs of the slot.
class Receiver : public Endpoint, private roce::UnorderedSink {
 public:
  explicit Receiver(const ReceiverConfig& config);
  ~Receiver() override;

  void expect(const roce::ParsedFrame& frame) override;
  std::size_t poll(Time now, std::span<TxFrame> out) override;
  Time next_event(Time now) const override;

  /// Performs `action`, which is in effect when the call returns.
  void apply(const ReceiverAction& action);

  std::size_t qp_count() const override { return qps_.size(); }
  void prepare(EndpointSnapshot& out) const override;
  void copy_statistics(EndpointSnapshot& out, std::size_t first, std::size_t last, Time now) const override;
  const roce::ReceiveQp& qp(std::size_t i) const { return qps_[i].qp; }
  roce::ReceiveQp& qp(std::size_t i) { return qps_[i].qp; }
  /// Number of the first slot. Equals the number of configured QPs.
  std::size_t first_slot() const { return first_slot_; }
  /// True for a configured QP, or for a slot that contains a QP.
  bool qp_exists(std::size_t i) const { return qps_[i].exists; }
  /// True for a configured QP, or for a slot that contains or contained a QP.
  bool qp_used(std::size_t i) const { return qps_[i].used; }
  /// Responder counters of QP `i`, including all previous QPs of its slot.
  roce::ResponderCounters responder_counters(std::size_t i) const;
  const roce::IpAddress& peer(std::size_t i) const { return qps_[i].peer; }
  /// Time at which QP `i` or a previous QP of its slot received the last complete UC message; 0 if there was
  /// none. (For RC, use the requester's completions.)
  Time last_uc_message(std::size_t i) const { return qps_[i].last_uc_message; }
  /// One more than the highest remote address written by QP `i`; 0 if nothing was written.
  std::uint64_t written_end(std::size_t i) const { return qps_[i].written_end; }
  const ReceiverCounters& receiver_counters() const { return receiver_counters_; }
  /// Returns the oldest notification of a complete transfer that was not returned before; std::nullopt if
  /// there is none. Never blocks. Call it on the thread that owns the receiver.
  std::optional<roce::Notification> poll_notification();
  /// The registration table for transfers; null if none is configured.
  const roce::Registration* registration() const { return registration_ ? &*registration_ : nullptr; }
  /// Sum of the times of notifications, both from the registration table and from senders
  /// (TransferSettings::sender_notifies).
  const TimeSum& notified() const { return notified_; }
  /// The object that handles WRITEs over UC whose packets arrive in any order; null if none is configured.
  const roce::UnorderedWrites* unordered() const { return unordered_.get(); }
  /// Map of missing data; null if none is configured.
  const roce::WindowMap* windows() const { return windows_ ? &*windows_ : nullptr; }
  /// Closes all windows. Call after the last message; `sent` is the number of messages that each stream has
  /// sent.
  void finish_windows(std::uint64_t sent, Time now);
  /// Event builder; null if none is configured.
  EventReceiver* events() { return events_.get(); }
  const EventReceiver* events() const { return events_.get(); }
  /// Streams of UDP datagrams; null if none are configured.
  StreamReceiver* streams() { return streams_.get(); }
  const StreamReceiver* streams() const { return streams_.get(); }
  const roce::NotificationPoint& notification_point() const { return notification_; }

  /// Copies the counters and the results of all configured QPs to or from the same receiver in another
  /// process (base/archive.hpp). After that, the receiver to which they were copied must not receive packets.
  /// Supports only receivers without windows, event builder, streams, registration and slots.
  template <class Archive>
  void archive(Archive& a) {
    a.item(counters_);
    a.item(receiver_counters_);
    for (Qp& qp : qps_) {
      a.item(qp.written_end);
      a.item(qp.last_uc_message);
      qp.qp.archive(a);
    }
  }

 protected:
  void receive_roce(const roce::ParsedFrame& frame, Time now) override;
  void receive_congestion(const roce::ParsedFrame& frame, const roce::CongestionHeader& header,
                          Time now) override;
  bool receive_datagram(const roce::ParsedFrame& frame, Time now) override {
    return streams_ && streams_->datagram(now, frame);
  }

 private:
  struct Qp {
    Qp(const ReceiveQpSetup& setup, roce::NotificationPoint& notification);
    Qp(const ReceiveSlotSetup& setup, roce::NotificationPoint& notification);

    roce::Path path;  ///< path of responses, without the peer's MAC address
    roce::NotificationPoint::Slot notification;
    std::vector<roce::MemoryRegion> regions;  ///< referenced by the responder; must not move
    // Every packet accesses several of the members from here on.
    std::uint64_t written_end = 0;  ///< see Receiver::written_end()
    roce::IpAddress peer;
    roce::MacAddress peer_mac{};
    roce::ReceiveQp qp;
    roce::HeaderTemplate reply;
    roce::ResponderCounters before{};  ///< counters of the previous QPs of the slot
    Time last_uc_message = 0;
    Time receive_interval = 0;
    std::optional<std::uint32_t> transfer_source{};
    /// Time until which the receive requests, one per `receive_interval`, have been handled.
    Time receives_posted = 0;
    std::uint16_t pkey;
    bool exists = true;
    bool used = true;
  };
  struct Pending {
    std::uint32_t qp = 0;  ///< index of the QP; kNobody if the QP was destroyed
    bool cnp = false;
    std::uint8_t priority = 0;  ///< priority for PauseState::paused(), 0 … kPriorities - 1
    std::uint8_t echo = 0;      ///< size of the congestion control header to return; 0 for none
    Time arrived = 0;           ///< time at which the request arrived
    roce::Reply reply{};
  };
  static constexpr std::size_t kPendingRoom = 8192;  ///< must be a power of two

  static constexpr std::uint32_t kNobody = UINT32_MAX;

  const roce::MemoryRegion* admit(std::uint32_t qp, const roce::Reth& reth) override;
  void place(std::uint32_t qp, std::uint64_t index, const Segments& bytes, std::uint8_t* to) override;
  void complete(std::uint32_t qp, std::uint64_t index, const roce::MessageEvent& message) override;
  void abandoned(std::uint32_t qp, std::uint32_t bytes) override;
  void dropped(std::uint32_t qp, roce::RegistrationVerdict verdict) override;
  void duplicate(std::uint32_t qp) override;
  void complete_uc(std::uint32_t i, const roce::MessageEvent& message, std::optional<std::uint64_t> packet,
                   Time now);
  static void post_receives(Qp& qp, Time now);
  /// Records the times of a complete message (lib/latency), whose last packet has PSN `psn`.
  latency::MessageKey stamp_arrival(std::uint32_t i, roce::Psn psn, const roce::MessageEvent& message,
                                    Time now);
  void complete(std::uint32_t i, roce::Psn psn, const roce::MessageEvent& message,
                std::optional<std::uint64_t> packet_index, Time now);
  void pass_on(std::uint32_t i, const roce::MessageEvent& message, Time now);
  void register_message(const Qp& qp, const roce::MessageEvent& message, Time now);
  void count_notifications();
  void act(const SetReceiveQp& a);
  void act(const SetReceiveRegions& a);
  void act(const RemoveReceiveQp& a);
  void learn_mac(Qp& qp, const roce::MacAddress& mac, Time now);
  bool receive_quickly(const roce::ParsedFrame& frame, Time now);
  void grant_for(std::uint32_t i, const roce::ReceivedRequest& request, const roce::RequestOutcome& outcome,
                 Time now);
  std::uint32_t find(roce::Qpn qpn, const roce::IpAddress& peer);
  void index_slots();
  void forget_replies(std::uint32_t i);
  void push(Pending p, Time now);
  bool due(const Pending& p, Time now) const { return p.arrived + response_delay_ <= now; }
  bool may_send(Time now) const;
  std::size_t take_pending(Time now, std::span<TxFrame> out);
  std::size_t take_unpaused(Time now, std::span<TxFrame> out);
  void write(std::size_t place, Time now, TxFrame& out);
  void receive_busy(const roce::ParsedFrame& frame, const roce::CongestionHeader& header, Time now);
  std::size_t poll_grants(Time now, std::span<TxFrame> out);

  roce::NotificationPoint notification_;
  std::deque<Qp> qps_;
  std::size_t first_slot_;
  QpTable table_;           ///< configured QPs
  PeerQpTable slot_table_;  ///< QPs in slots
  std::vector<Pending> pending_;
  /// Congestion control headers to return, indexed like `pending_`; empty if none are accepted.
  std::vector<std::array<std::uint8_t, roce::CongestionHeader::kMaxSize>> echoes_;
  /// Congestion control header of the request being processed; null if it has none.
  const roce::CongestionHeader* received_header_ = nullptr;
  std::size_t pending_first_ = 0;
  std::size_t pending_count_ = 0;
  std::array<std::uint32_t, roce::kPriorities> pending_of_{};  ///< number of pending responses, by priority
  std::optional<Granter> granter_;                             ///< set if QPs need grants
  std::optional<roce::WindowMap> windows_;
  std::optional<roce::Registration> registration_;
  std::unique_ptr<roce::UnorderedWrites> unordered_;
  Time unordered_at_ = 0;  ///< time of the current call into `unordered_`, for its callbacks
  bool keep_notifications_;
  latency::StampSource stamps_;
  Time response_delay_;
  MessageObserver* message_observer_;
  /// Null if the receiver has neither windows nor events, or does not record times.
  std::unique_ptr<GroupNotifications> groups_;
  std::unique_ptr<EventReceiver> events_;
  std::unique_ptr<StreamReceiver> streams_;
  TimeSum notified_;
  ReceiverCounters receiver_counters_;
  std::uint16_t identification_ = 0;
};

}  // namespace softfeb::engine
