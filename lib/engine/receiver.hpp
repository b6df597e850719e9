// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/endpoint.hpp"
#include "engine/qp_table.hpp"
#include "roce/notification_point.hpp"
#include "roce/path.hpp"
#include "roce/receive_qp.hpp"

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

struct ReceiverConfig {
  Identity identity;
  roce::NotificationConfig notification;
  std::vector<ReceiveQpSetup> qps;
};

struct ReceiverCounters {
  std::uint64_t cnp_tx = 0;
  std::uint64_t replies_dropped = 0;  ///< more acknowledgements and CNPs owed than we keep
};

/// An RDMA receiver of ours: receiving queue pairs at one address, with the notification point. What a server
/// with a NIC is to a board.
class Receiver : public Endpoint {
 public:
  explicit Receiver(const ReceiverConfig& config);

  std::size_t poll(Time now, std::span<TxFrame> out) override;
  Time next_event(Time now) const override;

  std::size_t qp_count() const { return qps_.size(); }
  const roce::ReceiveQp& qp(std::size_t i) const { return qps_[i].qp; }
  roce::ReceiveQp& qp(std::size_t i) { return qps_[i].qp; }
  const roce::IpAddress& peer(std::size_t i) const { return qps_[i].peer; }
  /// One more than the highest remote address written on behalf of QP `i`; 0 when nothing was.
  std::uint64_t written_end(std::size_t i) const { return qps_[i].written_end; }
  const ReceiverCounters& receiver_counters() const { return receiver_counters_; }
  const roce::NotificationPoint& notification_point() const { return notification_; }

 protected:
  void receive_roce(const roce::ParsedFrame& frame, Time now) override;

 private:
  struct Qp {
    Qp(const ReceiveQpSetup& setup, roce::NotificationPoint& notification);

    std::vector<roce::MemoryRegion> regions;  ///< the responder refers to them: stays where it is
    roce::ReceiveQp qp;
    roce::HeaderTemplate reply;
    roce::IpAddress peer;
    roce::MacAddress peer_mac{};
    std::uint64_t written_end = 0;
    std::uint16_t pkey;
  };
  struct Pending {
    std::uint32_t qp = 0;
    bool cnp = false;
    roce::Reply reply{};
  };
  static constexpr std::size_t kPendingRoom = 8192;  ///< a power of two

  void push(const Pending& p);
  void write(const Pending& p, TxFrame& out);

  roce::NotificationPoint notification_;
  std::deque<Qp> qps_;
  QpTable table_;
  std::vector<Pending> pending_;
  std::size_t pending_first_ = 0;
  std::size_t pending_count_ = 0;
  ReceiverCounters receiver_counters_;
  std::uint16_t identification_ = 0;
};

}  // namespace softfeb::engine
