// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "board/payload.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"
#include "memory_link.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::test {

/// A host's queue pair that waits for one of the board's.
struct BusHostQp {
  std::size_t host = 0;
  roce::Qpn qpn = 0x11;
  roce::Qpn board_qpn = 0x128aeb;
  roce::Psn psn = 0x654321;
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 4096;
  std::uint32_t rkey = 0x72e0ece0;
};

/// A board with slots of the metadata bus and hosts whose queue pairs wait for it, on a wire in memory.
class BusWorld {
 public:
  static constexpr std::uint64_t kRegion = 0x7f00'0000'1000;
  static constexpr std::size_t kRegionBytes = 1 << 20;

  using HostQp = BusHostQp;

  struct Options {
    std::size_t slots = 1;
    std::vector<HostQp> host_qps = {HostQp{}};
    std::vector<engine::SendQpConfig> configured = {};
    std::uint32_t largest_pmtu = 4096;
    std::optional<std::uint32_t> congestion_group = {};
    bool destination = true;  ///< initially host 0
  };

  explicit BusWorld(const Options& o) {
    payload = board::make_test_pattern();
    arena_.resize(payload->arena_bytes());
    payload->fill(arena_);
    engine::BoardConfig b;
    b.identity = identity(1);
    b.link_rate = 1'250'000'000;
    b.qps = o.configured;
    for (auto& qp : b.qps) {
      qp.path.source_mac = b.identity.mac;
      qp.path.source_ip = b.identity.ip;
      qp.path.dest_ip = host_ip(0);
      qp.payload = payload.get();
      qp.traffic.plan = board::MessagePlan::endless(4096);
      qp.traffic.remote_address = kRegion;
    }
    b.bus.slots = o.slots;
    b.bus.qp.payload = payload.get();
    b.bus.qp.path.ecn = roce::Ecn::kEct0;
    b.bus.qp.congestion = dcqcn::FirmwareSettings{};
    b.bus.qp.congestion_group = o.congestion_group;
    b.bus.largest_pmtu = o.largest_pmtu;
    if (o.destination) b.bus.destination.ip = host_ip(0);
    board = std::make_unique<engine::Board>(b);
    std::array<engine::ReceiverConfig, 2> configs;
    for (std::size_t h = 0; h < configs.size(); ++h)
      configs[h].identity = identity(101 + static_cast<std::uint32_t>(h));
    memory.resize(o.host_qps.size());
    for (std::size_t k = 0; k < o.host_qps.size(); ++k) {
      memory[k].assign(kRegionBytes, 0xee);
      configs[o.host_qps[k].host].qps.push_back(receive_qp(o.host_qps[k], memory[k]));
    }
    for (std::size_t h = 0; h < configs.size(); ++h)
      hosts[h] = std::make_unique<engine::Receiver>(configs[h]);
    link = std::make_unique<MemoryLink>(
        std::vector<engine::Endpoint*>{board.get(), hosts[0].get(), hosts[1].get()});
    link->now = kMillisecond;
  }

  static engine::Identity identity(std::uint32_t n) {
    engine::Identity id;
    id.mac = roce::mac_plus({2, 0, 0, 0, 0, 0}, n);
    id.ip = roce::IpAddress::parse("192.168.2.0")->plus(n);
    return id;
  }
  static roce::IpAddress host_ip(std::uint32_t h) { return identity(101 + h).ip; }

  /// Moves the QP of `slot` to a state, with the numbers that a host's QP expects.
  void set(std::size_t slot, roce::QpState state, const HostQp& h = {}) {
    board::QpContext c;
    c.state = state;
    if (state != roce::QpState::kReset) {
      c.qpn = h.board_qpn;
      c.type = h.transport == roce::Transport::kUc ? 3 : 2;
      c.pkey = roce::kDefaultPkey;
      c.pmtu = h.pmtu;
      c.dest_qpn = h.qpn;
      c.sq_psn = h.psn;
      c.timeout = 8;
      c.retry_count = 7;
      c.rnr_retry = 7;
      c.min_rnr_timer = 1;
    }
    apply(board::SetQp{board->first_bus_qp() + slot, c});
  }
  void connect(std::size_t slot, const HostQp& h = {}) {
    for (const auto s :
         {roce::QpState::kCreate, roce::QpState::kInit, roce::QpState::kRtr, roce::QpState::kRts})
      set(slot, s, h);
  }
  void destroy(std::size_t slot, const HostQp& h = {}) {
    set(slot, roce::QpState::kErr, h);
    set(slot, roce::QpState::kReset, h);
  }

  board::Dispatch burst(std::uint32_t count, std::uint32_t length, std::uint32_t ring = 1,
                        roce::Qpn sqpn = 0x11) const {
    board::Dispatch d;
    d.count = count;
    d.length = length;
    d.remote_address = kRegion;
    d.rkey = HostQp{}.rkey;
    d.sqpn = sqpn;
    d.address_wrap_count = ring;
    return d;
  }

  template <typename Action>
  void apply(const Action& action) {
    board->apply(board::DataPathAction(action), link->now);
  }

  board::DataPathState observe(std::vector<std::size_t> qps = {}) const {
    board::DataPathState s;
    for (const std::size_t i : qps) s.qps.push_back(board::QpLive{.qp = i});
    board->observe(s, link->now);
    return s;
  }
  std::uint64_t ok() const { return observe().completions_ok; }
  std::uint64_t failed() const { return observe().completions_failed; }

  /// Runs until this many completions, successful or not, have been counted.
  bool completions(std::uint64_t n, Time within = 10 * kSecond) {
    return link->run(link->now + within, [&] { return ok() + failed() >= n; });
  }
  void run_for(Time t) {
    const Time end = link->now + t;
    link->run(end, [&] { return link->now >= end; });
    link->now = std::max(link->now, end);
  }

  std::unique_ptr<board::PayloadSource> payload;
  std::unique_ptr<engine::Board> board;
  std::array<std::unique_ptr<engine::Receiver>, 2> hosts;
  std::vector<std::vector<std::uint8_t>> memory;  ///< per host QP
  std::unique_ptr<MemoryLink> link;

 private:
  static engine::ReceiveQpSetup receive_qp(const HostQp& h, std::vector<std::uint8_t>& memory) {
    engine::ReceiveQpSetup s;
    s.qp.responder.transport = h.transport;
    s.qp.responder.qpn = h.qpn;
    s.qp.responder.dest_qpn = h.board_qpn;
    s.qp.responder.pmtu = h.pmtu;
    s.qp.responder.expected_psn = h.psn;
    s.qp.check_continuity = true;
    s.reply_path.source_mac = identity(101 + static_cast<std::uint32_t>(h.host)).mac;
    s.reply_path.source_ip = host_ip(static_cast<std::uint32_t>(h.host));
    s.reply_path.dest_ip = identity(1).ip;
    s.regions.push_back({kRegion, kRegionBytes, h.rkey, memory.data()});
    return s;
  }

  std::vector<std::uint8_t> arena_;
};

}  // namespace softfeb::test
