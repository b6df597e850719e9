// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "slowcontrol/board_control.hpp"
#include "srp/limited_notes.hpp"
#include "telemetry/links.hpp"

#include <memory>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace softfeb::slowcontrol {

/// The slow control of all boards that have one, and whoever else is served by sockets of this process.
/// Everything happens on the thread that calls run_until(), and only while it does: the main thread waits by
/// it wherever it would sleep.
class ControlService final : public telemetry::Links {
 public:
  /// `say` gets lines for the user. Opens what is configured; clients are served from the first run_until()
  /// on. Throws SocketError, EnvironmentError.
  ControlService(const config::RunConfig& config, runtime::DpdkRuntime& dpdk, runtime::WorkerPool& pool,
                 const endpoints::Endpoints& endpoints, std::function<void(const std::string&)> say);
  /// stop(), if that was not called. Before the worker pool's workers end.
  ~ControlService() override;
  ControlService(const ControlService&) = delete;
  ControlService& operator=(const ControlService&) = delete;

  /// Serves until then. Time in which there is nothing to do is slept.
  void run_until(Time until);
  /// Says goodbye to the clients and waits for what workers have of ours.
  void stop();

  const std::vector<std::unique_ptr<BoardControl>>& boards() const { return boards_; }
  /// Both connections of each board, for the live page and /metrics.
  std::vector<telemetry::LinkView> links() const override;
  /// For sockets of others: their handlers run wherever the boards' do. They close before this ends.
  boost::asio::io_context& io() {
    sockets_ = true;
    return io_;
  }

 private:
  bool serves() const { return sockets_ || !boards_.empty(); }
  void serve(Time now);
  void serve_in_band(Time now);
  void serve_waiting(Time now);
  void wait_for_workers();
  void wait(Time until);
  void await_doorbell();
  /// When a timer of a link at a board's own address expires.
  Time in_band_deadline() const;

  runtime::DpdkRuntime& dpdk_;
  runtime::WorkerPool& pool_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  boost::asio::posix::stream_descriptor doorbell_;  ///< the worker pool's, which owns the descriptor
  InBandPorts in_band_ports_;
  PortStates ports_;
  srp::LimitedNotes closed_;           ///< of connections
  std::vector<RegisterBus*> waiting_;  ///< buses whose worker has something in hand
  std::vector<RegisterBus*> serving_;
  std::vector<std::unique_ptr<BoardControl>> boards_;
  bool sockets_ = false;  ///< of others
  bool in_band_ = false;
  bool spins_ = false;   ///< the workers have CPUs of their own: an answer is there in no time
  Time in_band_at_ = 0;  ///< when a datagram came last
  bool rung_ = false;    ///< workers ring when a datagram has come
  bool stopped_ = false;
};

}  // namespace softfeb::slowcontrol
