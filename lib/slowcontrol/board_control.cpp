// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/board_control.hpp"

#include "slowcontrol/control_setup.hpp"

#include <algorithm>

namespace softfeb::slowcontrol {

namespace {

constexpr std::uint16_t kRegistersPort = 8192;  // UDP port at a board's own address, as in the firmware
constexpr std::uint16_t kStreamPort = 8193;

std::array<InBandLink*, 2> serve_in_band(const ControlDeps& deps, std::size_t board) {
  const config::ControlConfig& c = *deps.config->boards[board].control;
  if (!c.in_band) return {};
  const auto allow = [&c](const roce::IpAddress& ip) { return allowed(c, ip); };
  return {&deps.in_band->serve(board, kRegistersPort, allow),
          &deps.in_band->serve(board, kStreamPort, allow)};
}

std::size_t longest(const InBandLink* in_band) {
  return in_band != nullptr ? in_band->max_datagram() : SIZE_MAX;
}

std::unique_ptr<engine::HostResponder> make_responder(const ControlDeps& deps, std::size_t board) {
  const auto& plan = deps.endpoints->hosts[board];
  if (!plan) return nullptr;
  const config::BoardConfig& b = deps.config->boards[board];
  const engine::Receiver& receiver = *deps.endpoints->receivers[plan->receiver];
  std::vector<roce::Qpn> taken;
  for (std::size_t i = 0; i < receiver.first_slot(); ++i)
    taken.push_back(receiver.qp(i).config().responder.qpn);
  const engine::HostResponder::Config config{.first_bus_qp = configured_qps(b),
                                             .qps = b.control->qps,
                                             .first_slot = plan->first_slot,
                                             .memory = plan->memory->size(),
                                             .rnr_timer = deps.config->receivers[plan->receiver].rnr_timer};
  return std::make_unique<engine::HostResponder>(
      config,
      engine::HostResponder::Deps{
          .memory = [memory = plan->memory.get()](std::uint64_t bytes) { return memory->first(bytes); },
          .taken =
              [taken](roce::Qpn qpn) { return std::find(taken.begin(), taken.end(), qpn) != taken.end(); },
          .say = [say = deps.say,
                  name = b.endpoint.name](const std::string& text) { say("board " + name + ": " + text); }});
}

board::RssiState shown(const srp::RssiServer& server) {
  const srp::RssiStatus& s = server.status();
  const srp::RssiParameters& n = s.negotiated;
  board::RssiState r;
  r.connection = static_cast<board::RssiConnection>(srp::firmware_connection_state(s.state));
  r.negotiated = {n.max_outstanding, n.max_segment,         n.retransmit_ms,      n.cumulative_ack_ms,
                  n.null_ms,         n.max_retransmissions, n.max_cumulative_acks};
  r.peer_ip = s.peer.ip;
  r.peer_port = s.peer.port;
  r.local_busy = s.local_busy;
  r.remote_busy = s.remote_busy;
  r.tx_last_ack = s.tx_last_ack;
  r.rx_seq = s.rx_seq;
  r.rx_ack = s.rx_ack;
  r.rx_last_seq = s.rx_last_seq;
  r.valid = s.valid;
  r.dropped = s.dropped;
  r.retransmitted = s.retransmitted;
  r.reconnects = s.reconnects;
  r.tx_segments = s.tx_segments;
  r.tx_bytes = s.tx_bytes;
  r.rx_segments = s.rx_segments;
  r.rx_bytes = s.rx_bytes;
  return r;
}

}  // namespace

BoardControl::BoardControl(const ControlDeps& deps, std::size_t board)
    : board_(board),
      board_config_(deps.config->boards[board]),
      config_(*board_config_.control),
      ports_(*deps.ports),
      say_(deps.say),
      port_(*deps.dpdk->ports()[board_config_.endpoint.port].port),
      in_band_(serve_in_band(deps, board)),
      registers_(registers_config(*deps.config, board, deps.dpdk->now())),
      responder_(make_responder(deps, board)),
      bus_(bus_deps(deps)),
      queue_(bus_),
      source_(registers_.app_tx(), registers_.monitor(0)),
      srp_(queue_),
      stream_(source_, [this](ByteSpan frame, const srp::FrameTags& /*tags*/,
                              Time now) { registers_.monitor(1).on_frame(frame.size(), now); }),
      registers_link_(registers_link(config_, longest(in_band_[kRegisters]), 2 * board + 1), srp_,
                      closed_by(deps, kLinkNames[kRegisters])),
      stream_link_(stream_link(config_, longest(in_band_[kStream]), 2 * board + 2), stream_,
                   closed_by(deps, kLinkNames[kStream])) {
  srp_.attach(registers_link_.server());
  stream_.attach(stream_link_.server());
  open_paths(deps);
}

RegisterBus::Deps BoardControl::bus_deps(const ControlDeps& deps) {
  const auto& host = deps.endpoints->hosts[board_];
  const std::size_t boards = deps.config->boards.size();
  std::vector<engine::Board*> ports;
  std::vector<dataplane::Worker*> workers;
  for (std::size_t b = board_; b < board_ + board_config_.ports; ++b) {
    ports.push_back(deps.endpoints->boards[b].get());
    workers.push_back(&deps.pool->worker_of(b));
  }
  const auto to_board = [ports, workers](dataplane::BoardRequest& request) {
    const auto at = std::find(ports.begin(), ports.end(), request.board);
    return workers[static_cast<std::size_t>(at - ports.begin())]->request(request);
  };
  return {.registers = &registers_,
          .board = ports.front(),
          .ports = ports,
          .to_board = to_board,
          .responder = responder_.get(),
          .receiver = host ? deps.endpoints->receivers[host->receiver].get() : nullptr,
          .to_receiver = [&worker = deps.pool->worker_of(host ? boards + host->receiver : board_)](
                             dataplane::ReceiverRequest& request) { return worker.request(request); },
          .observe = [this](board::LiveState& live, Time now) { observe(live, now); },
          .set_link = [this](const board::SetRssi& action, Time now) { set_link(action, now); },
          .inspect = [this](const board::DataPathAction& action) { inspect(action); },
          .written =
              [this](Time now) {
                if (source_.ready(now)) stream_.pump(now);
              },
          .waiting = deps.waiting};
}

ControlLink::Closed BoardControl::closed_by(const ControlDeps& deps, const char* link) const {
  return [closed = deps.closed, where = "board " + board_config_.endpoint.name + ": " + link + ": "](
             const srp::RssiClosed& c) { closed(where + describe(c), c.closed_at); };
}

void BoardControl::open_paths(const ControlDeps& deps) {
  const std::array<ControlLink*, 2> links{&registers_link_, &stream_link_};
  const std::array<std::uint16_t, 2> ports{config_.registers_port, config_.stream_port};
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (in_band_[i] != nullptr) links[i]->serve(*in_band_[i]);
    if (!config_.listen) continue;
    links[i]->listen(
        *deps.io, *config_.listen, ports[i],
        [this](const roce::IpAddress& ip) { return allowed(config_, ip); },
        [dpdk = deps.dpdk] { return dpdk->now(); });
  }
}

void BoardControl::observe(board::LiveState& live, Time now) {
  live.port = ports_.of(board_config_.endpoint.port, now);
  live.rssi = {shown(registers_link_.server()), shown(stream_link_.server())};
}

void BoardControl::set_link(const board::SetRssi& action, Time now) {
  srp::RssiServer& server = (action.link == kRegisters ? registers_link_ : stream_link_).server();
  const board::RssiLimits& p = action.parameters;
  server.set_local({p.max_outstanding, p.max_segment, p.retransmit_ms, p.cumulative_ack_ms, p.null_ms,
                    p.max_retransmissions, p.max_cumulative_acks});
  if (action.inject_fault) server.inject_fault();
  if (action.close) server.close(srp::RssiClose::kRegister, now);
}

void BoardControl::inspect(const board::DataPathAction& action) const {
  const auto* const set = std::get_if<board::SetQp>(&action);
  if (set == nullptr || set->context.state != roce::QpState::kRtr) return;
  const std::uint32_t largest = port_.largest_path_mtu(false);
  if (set->context.pmtu <= largest) return;
  say_("board " + board_config_.endpoint.name + ": a queue pair with path MTU " +
       std::to_string(set->context.pmtu) + " was created, but port MTU " + std::to_string(port_.mtu()) +
       " holds " + std::to_string(largest) +
       ": it cannot send; choose a smaller path MTU, or a larger `mtu`");
}

void BoardControl::run_timers(Time now) {
  registers_link_.run_timers(now);
  stream_link_.run_timers(now);
}

Time BoardControl::deadline() const {
  return std::min(registers_link_.server().deadline(), stream_link_.server().deadline());
}

void BoardControl::close(Time now) {
  registers_link_.server().close(srp::RssiClose::kShutdown, now);
  stream_link_.server().close(srp::RssiClose::kShutdown, now);
  registers_link_.disconnect();
  stream_link_.disconnect();
}

}  // namespace softfeb::slowcontrol
