// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::test {

/// A host's queue pair that receives from a queue pair of the board.
struct BusHostQp {
  std::size_t host = 0;
  roce::Qpn qpn = 0x11;
  roce::Qpn board_qpn = 0x128aeb;
  roce::Psn psn = 0x654321;
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 4096;
  std::uint32_t rkey = 0x72e0ece0;
};

/// A board and two hosts on a wire. The board has slots for queue pairs of the metadata bus. The hosts' queue
/// pairs are ready to receive.
class BusFixture {
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
    bool destination = true;  ///< whether the board initially has host 0 as its destination
  };

  explicit BusFixture(const Options& o) {
    BoardBuilder b(identity(1));
    b.config.link_rate = 1'250'000'000;
    for (const engine::SendQpConfig& qp : o.configured) add_configured(b, qp);
    engine::BusConfig& bus = b.config.bus;
    bus.slots = o.slots;
    bus.qp.payload = payload.source.get();
    bus.qp.path.ecn = roce::Ecn::kEct0;
    bus.qp.congestion = dcqcn::FirmwareSettings{};
    bus.qp.congestion_group = o.congestion_group;
    bus.largest_pmtu = o.largest_pmtu;
    if (o.destination) bus.destination.ip = host_ip(0);
    board = b.build();
    std::array<ReceiverBuilder, 2> builders{ReceiverBuilder(identity(101)), ReceiverBuilder(identity(102))};
    memory.resize(o.host_qps.size());
    for (std::size_t k = 0; k < o.host_qps.size(); ++k) {
      memory[k].assign(kRegionBytes, 0xee);
      add_host_qp(builders[o.host_qps[k].host], o.host_qps[k], memory[k]);
    }
    for (std::size_t h = 0; h < builders.size(); ++h) hosts[h] = builders[h].build();
    wire =
        std::make_unique<Wire>(std::vector<engine::Endpoint*>{board.get(), hosts[0].get(), hosts[1].get()});
    wire->now = kMillisecond;
  }

  static engine::Identity identity(std::uint32_t n) { return test::identity(n); }
  static roce::IpAddress host_ip(std::uint32_t h) { return identity(101 + h).ip; }

  /// Moves the QP of `slot` to `state`. The QP gets the QPN and the PSNs that the host's QP `h` expects.
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
    board->apply(board::DataPathAction(action), wire->now);
  }

  board::DataPathState observe(std::vector<std::size_t> qps = {}) const {
    board::DataPathState s;
    for (const std::size_t i : qps) s.qps.push_back(board::QpLive{.qp = i});
    board->observe(s, wire->now);
    return s;
  }
  std::uint64_t ok() const { return observe().completions_ok; }
  std::uint64_t failed() const { return observe().completions_failed; }

  /// Runs until the board has counted `n` completions, successful or not. Returns false on timeout.
  bool completions(std::uint64_t n, Time within = 10 * kSecond) {
    return wire->run(wire->now + within, [&] { return ok() + failed() >= n; });
  }
  void run_for(Time t) {
    const Time end = wire->now + t;
    wire->run(end, [&] { return wire->now >= end; });
    wire->now = std::max(wire->now, end);
  }

  FilledPayload payload{board::make_test_pattern()};
  std::unique_ptr<engine::Board> board;
  std::array<std::unique_ptr<engine::Receiver>, 2> hosts;
  std::vector<std::vector<std::uint8_t>> memory;  ///< memory of each host QP
  std::unique_ptr<Wire> wire;

 private:
  /// Adds a configured QP with the requester, traffic and congestion control of `from`.
  void add_configured(BoardBuilder& b, const engine::SendQpConfig& from) const {
    engine::SendQpConfig& qp = b.qp(identity(101), *payload, from.requester.pmtu);
    qp.requester = from.requester;
    qp.peer_mac.reset();
    qp.congestion = from.congestion;
    qp.congestion_group = from.congestion_group;
    qp.traffic = from.traffic;
    qp.traffic.plan = board::MessagePlan::endless(4096);
    qp.traffic.remote_address = kRegion;
  }

  static void add_host_qp(ReceiverBuilder& host, const HostQp& h, Bytes& memory) {
    engine::SendQpConfig peer;
    peer.requester.transport = h.transport;
    peer.requester.qpn = h.board_qpn;
    peer.requester.dest_qpn = h.qpn;
    peer.requester.pmtu = h.pmtu;
    peer.requester.initial_psn = h.psn;
    peer.path.source_ip = identity(1).ip;
    peer.traffic.remote_address = kRegion;
    peer.traffic.rkey = h.rkey;
    host.qp(peer, memory).qp.check_continuity = true;
  }
};

}  // namespace softfeb::test
