// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance_session.hpp"
#include "connection.hpp"
#include "receiver.hpp"

#include <list>
#include <memory>
#include <vector>

#include <poll.h>

namespace softfeb::sink {

/// Serves sessions one at a time, and commands at any time. Single-threaded.
class Server {
 public:
  /// `device`, `options` and `event_file`, which may be null, must outlive this object.
  Server(const Device& device, const Options& options, eventfile::EventFile* event_file);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Runs until a signal or, with --once, until the first session ends. Returns true if all checks of all
  /// sessions passed. A conformance session has no checks.
  bool run();

 private:
  void wait();
  bool take_signal();
  void accept_client();
  void serve(Connection& connection);
  void drop(Connection& connection);
  bool handle(Connection& connection, const std::string& line);
  nlohmann::json answer(Connection& connection, const std::string& line);
  nlohmann::json answer_conformance(const std::string& line);
  nlohmann::json begin(Connection& connection, const nlohmann::json& line);
  nlohmann::json end(const End* what);
  void abandon();
  void take_device_events();
  void drop_silent();

  const Device& device_;
  const Options& options_;
  eventfile::EventFile* event_file_;
  int listener_ = -1;
  int signals_ = -1;
  std::list<Connection> connections_;
  // At most one session exists at a time.
  std::unique_ptr<Receiver> receiver_;               ///< a session that receives data from a client
  std::unique_ptr<ConformanceSession> conformance_;  ///< a conformance session
  Connection* client_ = nullptr;                     ///< the connection that owns the session
  std::vector<pollfd> ready_;
  std::size_t sessions_ = 0;
  bool held_ = true;
};

}  // namespace softfeb::sink
