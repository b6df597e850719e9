// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "detector/builder_layout.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/plan.hpp"
#include "peers/peer.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::endpoints {

/// All QPs of the run, board by board. Also holds the TCP sessions with remote receivers, which provide the
/// targets of the QPs that send to them.
class Targets {
 public:
  /// Resolves the targets that the configuration alone determines: addresses and receivers of this process.
  explicit Targets(const config::RunConfig& config);

  bool needs_sessions() const;
  using Say = std::function<void(const std::string& line)>;
  /// Describes the state of the port with this index, for example "port nic: link up, 10 Gb/s".
  using PortState = std::function<std::string(std::size_t port)>;
  /// True once a signal has requested the run to stop.
  using Stopped = std::function<bool()>;
  /// Exchanges connection data with perftest and rdma-sink. Retries for `run.connect_timeout`, because a
  /// receiver may be unable to start before our link is up. The boards must answer ARP meanwhile. Stops
  /// retrying when `stopped` returns true. Throws PeerError or ConfigError.
  void connect(const Payloads& payloads, const Say& say, const PortState& port_state, const Stopped& stopped);
  /// Waits until every peer is ready to receive.
  void begin();

  struct Session {
    std::string url;
    std::unique_ptr<peers::PeerSession> session;
    /// The session's QPs, as indices into plans(). In a session for events, QP i belongs to the board whose
    /// BoardEventsConfig::board is i.
    std::vector<std::size_t> plans;
    std::optional<detector::BuilderLayout> events;  ///< layout of the events; empty means other traffic
    nlohmann::json report;                          ///< the final report of the receiver
    std::string error;                              ///< reason why there is no report
  };

  const endpoints::Plans& all() const { return plans_; }
  const std::vector<QpPlan>& plans() const { return plans_.all(); }
  /// Returns the plans for modification, so that the caller can add data that does not come from the
  /// configuration of the run, such as idle paths. Call before make_endpoints().
  endpoints::Plans& plans_to_complete() { return plans_; }
  std::vector<Session>& sessions() { return sessions_; }
  const std::vector<Session>& sessions() const { return sessions_; }

 private:
  peers::LocalEndpoint local_side(const Session& session, const Payloads& payloads) const;
  void adopt(Session& session);

  const config::RunConfig& config_;
  endpoints::Plans plans_;
  std::vector<Session> sessions_;
};

}  // namespace softfeb::endpoints
