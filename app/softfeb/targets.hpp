// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/message_plan.hpp"
#include "config/run_config.hpp"
#include "control/peer.hpp"
#include "payloads.hpp"
#include "roce/ip.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::app {

/// Where one sending QP writes to.
struct QpTarget {
  roce::IpAddress ip;
  std::optional<roce::MacAddress> mac;  ///< none: ARP
  roce::Qpn qpn = 0;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::uint64_t slots = 0;  ///< as the receiver counts them; 0: as configured, or as many as the region holds
  /// A receiver in this process: its index and the index of its QP.
  std::optional<std::size_t> receiver;
  std::size_t receiver_qp = 0;
};

/// One sending QP, single: groups of the configuration (`count`) are taken apart.
struct QpPlan {
  std::size_t board = 0;
  const config::QpConfig* config = nullptr;
  std::uint32_t number = 0;    ///< within its group
  std::uint32_t on_board = 0;  ///< among all QPs of its board
  roce::Qpn qpn = 0;
  QpTarget target;
};

/// Every QP of the run, board by board, and the TCP sessions with receivers that told us their side.
class Targets {
 public:
  /// Resolves what the file alone tells: addresses and receivers of this process.
  explicit Targets(const config::RunConfig& config);

  bool needs_sessions() const;
  using Say = std::function<void(const std::string& line)>;
  /// Talks to perftest and rdma-sink, and gives those that are not there yet a moment to come. Our addresses
  /// must answer ARP meanwhile. Throws PeerError, ConfigError.
  void connect(const Payloads& payloads, const Say& say);
  /// Waits until every peer is ready to receive.
  void begin();

  struct Session {
    std::string url;
    std::unique_ptr<control::PeerSession> session;
    std::vector<std::size_t> plans;  ///< indices into plans()
    nlohmann::json report;           ///< what the receiver said at the end
    std::string error;               ///< or why it said nothing
  };

  const std::vector<QpPlan>& plans() const { return plans_; }
  std::vector<Session>& sessions() { return sessions_; }
  /// Number of QPs that write to receiver `r`.
  std::size_t receiver_qps(std::size_t r) const { return receiver_qps_[r]; }

 private:
  void resolve(QpPlan& plan);
  control::LocalEndpoint local_side(const Session& session, const Payloads& payloads) const;
  void adopt(Session& session);

  const config::RunConfig& config_;
  std::vector<QpPlan> plans_;
  std::vector<Session> sessions_;
  std::vector<std::size_t> receiver_qps_;
};

/// Messages QP `plan` sends; none: until the run's end.
std::optional<std::uint64_t> messages_of(const config::QpConfig& qp, const board::MessagePlan& plan);

/// Slots of the address ring: as the receiver counts them, as configured, or as many as the region holds.
std::uint64_t slots_of(const config::QpConfig& qp, const QpTarget& target);

}  // namespace softfeb::app
