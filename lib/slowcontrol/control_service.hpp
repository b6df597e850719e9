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

/// lib/slowcontrol: the boards' registers and their clients. It connects the libraries board (registers), srp
/// (protocol state machines), sockets and runtime (workers), and may include all of them. Only experiment and
/// report may include lib/slowcontrol. Everything runs on the control thread. Begin with ControlService here,
/// then BoardControl (one board), RegisterBus (one access, and how it waits for a worker) and ControlLink
/// (one RSSI link, by socket or in band). in_band.hpp converts between mbufs of the port queues and
/// datagrams.
namespace softfeb::slowcontrol {

/// Slow control of all boards whose configuration enables it. Also runs the handlers of other sockets of
/// this process, such as those of the live page. All work happens on the thread that calls run_until(). The
/// main thread calls run_until() where it would otherwise sleep.
class ControlService final : public telemetry::Links {
 public:
  /// Opens the configured sockets and in-band ports. Clients are served from the first call to run_until()
  /// on. `say` prints lines for the user. Throws SocketError, EnvironmentError.
  ControlService(const config::RunConfig& config, runtime::DpdkRuntime& dpdk, runtime::WorkerPool& pool,
                 const endpoints::Endpoints& endpoints, std::function<void(const std::string&)> say);
  /// Calls stop() if it has not been called. Destroy the service before the worker pool's workers end.
  ~ControlService() override;
  ControlService(const ControlService&) = delete;
  ControlService& operator=(const ControlService&) = delete;

  /// Serves until `until`; sleeps when there is nothing to do.
  void run_until(Time until);
  /// Closes all connections and waits, for at most one second, for requests that workers still hold.
  void stop();

  const std::vector<std::unique_ptr<BoardControl>>& boards() const { return boards_; }
  /// Both RSSI links of each board, for the live page and /metrics.
  std::vector<telemetry::LinkView> links() const override;
  /// The io_context of the boards' sockets. Other sockets may use it too, and must be closed before this
  /// object is destroyed.
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
  /// Time at which the first timer of the in-band links expires.
  Time in_band_deadline() const;

  runtime::DpdkRuntime& dpdk_;
  runtime::WorkerPool& pool_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  /// The worker pool's doorbell; the pool owns the descriptor.
  boost::asio::posix::stream_descriptor doorbell_;
  InBandPorts in_band_ports_;
  PortStates ports_;
  srp::LimitedNotes closed_;           ///< limits the rate of log messages about closed connections
  std::vector<RegisterBus*> waiting_;  ///< buses that wait for a worker
  std::vector<RegisterBus*> serving_;
  std::vector<std::unique_ptr<BoardControl>> boards_;
  bool sockets_ = false;  ///< true if sockets other than the boards' use io()
  bool in_band_ = false;
  /// True if workers have CPUs of their own. They then answer within microseconds, so this thread spins.
  bool spins_ = false;
  Time in_band_at_ = 0;  ///< time of the latest in-band datagram
  bool rung_ = false;    ///< true if workers ring the doorbell when an in-band datagram has arrived
  bool stopped_ = false;
};

}  // namespace softfeb::slowcontrol
