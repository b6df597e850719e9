// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "conformance/target.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace softfeb::experiment {

/// A target of a conformance run in real time. All functions may block, because they wait for the peer.
class TargetConnection {
 public:
  virtual ~TargetConnection() = default;
  virtual conformance::TargetReply answer(const conformance::TargetRequest& request) = 0;
  virtual conformance::Capabilities capabilities() const = 0;
  virtual conformance::TargetDevice device() const = 0;
  /// Returns the regions that cases use: a normal region, a read-only region, a region of another protection
  /// domain, and a deregistered region. Targets that do not support such regions return only the normal
  /// region.
  virtual std::vector<conformance::RegionPlace> regions() const = 0;
  /// MAC address of the target, if the target reports it; otherwise the caller must resolve it.
  virtual std::optional<roce::MacAddress> mac() const = 0;
};

/// Connects to the target that `config.conformance` names, which must not be own: or own:virtual. The board's
/// addresses must answer ARP while this function runs. Throws PeerError, ConfigError.
std::unique_ptr<TargetConnection> connect_target(const config::RunConfig& config);

/// Carries out requests on its own thread, so that the thread that runs the port does not have to wait.
class TargetThread {
 public:
  /// `target` must outlive this object.
  explicit TargetThread(TargetConnection& target);
  ~TargetThread();
  TargetThread(const TargetThread&) = delete;
  TargetThread& operator=(const TargetThread&) = delete;

  /// At most one request may be outstanding.
  void ask(const conformance::TargetRequest& request);
  /// Returns the reply if it has arrived, and std::nullopt otherwise. Returns each reply only once.
  std::optional<conformance::TargetReply> reply();

 private:
  void work();

  TargetConnection& target_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<conformance::TargetRequest> request_;
  std::optional<conformance::TargetReply> reply_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace softfeb::experiment
