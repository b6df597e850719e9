// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/board_registers.hpp"
#include "config/run_config.hpp"
#include "runtime/worker_pool.hpp"
#include "slowcontrol/control_link.hpp"
#include "slowcontrol/in_band_ports.hpp"
#include "slowcontrol/port_states.hpp"
#include "slowcontrol/register_bus.hpp"
#include "slowcontrol/stream_source.hpp"
#include "srp/bus_queue.hpp"
#include "srp/srp_server.hpp"
#include "srp/stream.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace softfeb::slowcontrol {

/// Objects that the slow control of all boards shares. They must outlive every BoardControl.
struct ControlDeps {
  const config::RunConfig* config = nullptr;
  runtime::DpdkRuntime* dpdk = nullptr;
  runtime::WorkerPool* pool = nullptr;
  const endpoints::Endpoints* endpoints = nullptr;
  InBandPorts* in_band = nullptr;
  PortStates* ports = nullptr;
  boost::asio::io_context* io = nullptr;
  std::function<void(RegisterBus&)> waiting;             ///< RegisterBus::Deps::waiting of every board's bus
  std::function<void(const std::string&)> say;           ///< prints a line for the user
  std::function<void(const std::string&, Time)> closed;  ///< reports a closed connection
};

/// Slow control of one board: its registers, the SRP server, the stream, and two RSSI links, one for the
/// SRP server and one for the stream.
class BoardControl {
 public:
  /// Starts serving. Throws SocketError, EnvironmentError.
  BoardControl(const ControlDeps& deps, std::size_t board);
  BoardControl(const BoardControl&) = delete;
  BoardControl& operator=(const BoardControl&) = delete;

  static constexpr std::size_t kRegisters = 0, kStream = 1;
  static constexpr std::array<const char*, 2> kLinkNames{"registers", "stream"};

  std::size_t board() const { return board_; }
  const config::ControlConfig& config() const { return config_; }
  const board::BoardRegisters& registers() const { return registers_; }
  /// The register bus, for users other than the connected client, such as the live page.
  srp::Bus& bus() { return queue_; }
  const ControlLink& link(std::size_t i) const { return i == kRegisters ? registers_link_ : stream_link_; }
  const srp::SrpServer& srp() const { return srp_; }
  const srp::StreamServer& stream() const { return stream_; }

  bool in_band() const { return config_.in_band; }
  /// Runs due timers of both links. Needed only if the links have no sockets.
  void run_timers(Time now);
  /// Time at which run_timers() has work; kNever if no timer is running.
  Time deadline() const;
  /// Closes the connections and stops serving.
  void close(Time now);

 private:
  RegisterBus::Deps bus_deps(const ControlDeps& deps);
  ControlLink::Closed closed_by(const ControlDeps& deps, const char* link) const;
  void open_paths(const ControlDeps& deps);
  void observe(board::LiveState& live, Time now);
  void set_link(const board::SetRssi& action, Time now);
  /// Warns the user if the action sets a path MTU that is too large for the port. The queue pair cannot send
  /// in this case.
  void inspect(const board::DataPathAction& action) const;

  std::size_t board_;
  const config::BoardConfig& board_config_;
  const config::ControlConfig& config_;
  PortStates& ports_;
  std::function<void(const std::string&)> say_;
  const dataplane::Port& port_;
  std::array<InBandLink*, 2> in_band_{};
  board::BoardRegisters registers_;
  /// Null if no receiver of this process acts as the host of the board's metadata bus.
  std::unique_ptr<engine::HostResponder> responder_;
  RegisterBus bus_;
  srp::BusQueue queue_;  ///< shared by the client and the live page
  StreamSource source_;
  srp::SrpServer srp_;
  srp::StreamServer stream_;
  ControlLink registers_link_;
  ControlLink stream_link_;
};

}  // namespace softfeb::slowcontrol
