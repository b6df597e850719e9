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
  /// Normal, read-only, of another protection domain, deregistered. Targets without such regions return the
  /// first one only.
  virtual std::vector<conformance::RegionPlace> regions() const = 0;
  /// MAC address of the target, if it is known; otherwise it must be resolved.
  virtual std::optional<roce::MacAddress> mac() const = 0;
};

/// Connects to the target of `config.conformance`, which must not be own: or own:virtual. Meanwhile, the
/// board's addresses must answer ARP. Throws PeerError, ConfigError.
std::unique_ptr<TargetConnection> connect_target(const config::RunConfig& config);

/// Carries out requests on a thread of its own, so that the thread that runs the port need not wait.
class TargetThread {
 public:
  /// `target` must outlive the object.
  explicit TargetThread(TargetConnection& target);
  ~TargetThread();
  TargetThread(const TargetThread&) = delete;
  TargetThread& operator=(const TargetThread&) = delete;

  /// At most one request may be outstanding.
  void ask(const conformance::TargetRequest& request);
  /// The reply, once, when it is there.
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
