// SPDX-License-Identifier: BSD-3-Clause
#include "rig.hpp"

#include "addresses.hpp"
#include "dataplane/path_mtu.hpp"
#include "roce/craft.hpp"

#include <algorithm>
#include <array>

#include <emmintrin.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

namespace softfeb::bench {

namespace {

constexpr std::uint32_t kHeld = 2048;

}  // namespace

/// Says when a CNP has been dealt with, and what time it was told.
class Rig::ProbedBoard final : public engine::Board {
 public:
  ProbedBoard(const engine::BoardConfig& config, Rig& rig) : Board(config), rig_(rig) {}

  std::size_t poll(Time now, std::span<engine::TxFrame> out) override {
    const std::size_t n = Board::poll(now, out);
    if (n != 0) rig_.told_ = now;
    return n;
  }

 private:
  void receive_roce(const roce::ParsedFrame& frame, Time now) override {
    Board::receive_roce(frame, now);
    unsettled_[count_++] = load_be24(frame.content.part(0).data() + 5) - kFirstQpn;
    log(Event::Kind::kCnpRegistered, count_ - 1, now);
    if (!in_burst() || count_ == unsettled_.size()) settle_burst(now);
  }
  /// The next departures of all that a burst was for.
  void settle_burst(Time now) override {
    Board::settle_burst(now);
    if (count_ == 0) return;
    log(Event::Kind::kCnpSettled, 0, now);
    count_ = 0;
  }
  /// Of those from `first` on.
  void log(Event::Kind kind, std::size_t first, Time now) {
    const Time at = rig_.now();
    for (std::size_t k = first; k < count_; ++k) rig_.log_.add({at, now, unsettled_[k], 0, kind});
  }

  Rig& rig_;
  std::array<std::uint32_t, 64> unsettled_{};  ///< queue pairs whose CNP came in this burst
  std::size_t count_ = 0;
};

Rig::Rig(const Environment& environment, const RigConfig& config)
    : environment_(environment), log_(config.events), far_log_(100'000), arena_(1U << 16) {
  make_board(config);
  make_ports(config);
}

Rig::~Rig() {
  // They stay with the port's number, which the next port gets again.
  rte_eth_remove_tx_callback(ports_[0]->id(), 0, tx_callback_);
  rte_eth_remove_rx_callback(ports_[0]->id(), 0, rx_callback_);
  lane_.reset();
  for (auto& port : ports_) port.reset();
}

/// When all that comes before has been executed. Stores may still be on their way to the caches: to wait for
/// them would hold up the loop that is measured.
Time Rig::now() const {
  _mm_lfence();
  return environment_.clock().time(rte_rdtsc());
}

void Rig::make_board(const RigConfig& config) {
  payload_ =
      board::make_payload({.kind = board::PayloadKind::kZero, .message_length = kPayload, .pmtu = kPayload});
  payload_->fill(arena_.allocate(payload_->arena_bytes()));
  engine::BoardConfig c;
  c.identity.mac = board_mac();
  c.identity.ip = board_ip();
  for (std::uint32_t i = 0; i < config.qps; ++i) {
    engine::SendQpConfig qp;
    qp.requester.transport = roce::Transport::kUc;
    qp.requester.qpn = kFirstQpn + i;
    qp.requester.dest_qpn = kFirstQpn + i;
    qp.requester.pmtu = kPayload;
    qp.requester.send_queue_depth = 4;
    qp.path = path_to_peer();
    qp.peer_mac = kPeerMac;
    qp.payload = payload_.get();
    qp.traffic.plan = payload_->plan();
    config.shape(qp, i);
    c.qps.push_back(qp);
  }
  board_ = std::make_unique<ProbedBoard>(c, *this);
}

void Rig::make_ports(const RigConfig& config) {
  const std::uint32_t frame = dataplane::frame_bytes_for(dataplane::mtu_for(kPayload, false));
  for (int end = 0; end < (config.ring ? 2 : 1); ++end) {
    devices_.push_back(factory_.attach(dataplane::parse_device(config.ring ? "net_ring:bench" : "net_null"),
                                       {1, frame, 1024}));
    dataplane::PortConfig p;
    p.name = end == 0 ? "board" : "far end";
    p.lcores = 2;
    p.macs = {end == 0 ? board_mac() : kPeerMac};
    ports_.push_back(std::make_unique<dataplane::Port>(*devices_.back(), p, pools_));
  }
  const std::uint16_t id = ports_[0]->id();
  arena_.map_for(id);
  dataplane::TxBuilderConfig b;
  b.multi_segments = ports_[0]->capabilities().multi_segments;
  b.frame_bytes = frame;
  b.held = kHeld;
  b.lcores = 2;
  builder_ = std::make_unique<dataplane::TxBuilder>(b, &arena_, pools_);
  cnp_pool_ = pools_.create("CNPs", dataplane::pool_size(256, 2), 128);
  map_ = std::make_unique<dataplane::PortMap>(1);
  map_->add(*board_, 0);
  dataplane::LaneConfig lane;
  lane.port = id;
  lane.rx_queues = {0};
  dataplane::Lane::Parts parts;
  parts.map = map_.get();
  parts.builder = builder_.get();
  lane_ = std::make_unique<dataplane::Lane>(lane, parts);
  tx_callback_ = rte_eth_add_tx_callback(
      id, 0,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, void* self) {
        static_cast<Rig*>(self)->stamp_sent(packets, n);
        return n;
      },
      this);
  rx_callback_ = rte_eth_add_rx_callback(
      id, 0,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, std::uint16_t room, void* self) {
        return static_cast<Rig*>(self)->stamp_received(packets, n, room);
      },
      this);
}

rte_mbuf* Rig::make_cnp(std::uint32_t qp) {
  rte_mbuf* const m = rte_pktmbuf_alloc(cnp_pool_);
  if (m == nullptr) return nullptr;
  std::array<std::uint8_t, 8> trailer{};
  auto* const bytes = rte_pktmbuf_mtod(m, std::uint8_t*);
  const roce::Crafted c = roce::craft_cnp(roce::HeaderTemplate(path_to_board()), kFirstQpn + qp,
                                          roce::kDefaultPkey, 0, bytes, trailer.data());
  std::copy_n(trailer.begin(), c.trailer_length, bytes + c.header_length);
  m->data_len = static_cast<std::uint16_t>(c.header_length + c.trailer_length);
  m->pkt_len = m->data_len;
  return m;
}

void Rig::stamp_sent(rte_mbuf* const* packets, std::uint16_t n) {
  const Time at = now();
  const auto sent = [&](std::uint16_t i) {
    const std::uint8_t* const bth = rte_pktmbuf_mtod(packets[i], const std::uint8_t*) + kBthOffset;
    return Event{at, told_, load_be24(bth + 5) - kFirstQpn, load_be24(bth + 9), Event::Kind::kSent};
  };
  // What the port did not take is offered again: it leaves now, not when it was offered first.
  Event* const before = log_.last(n);
  const Event first = sent(0);
  if (before != nullptr && before->kind == Event::Kind::kSent && before->qp == first.qp &&
      before->psn == first.psn) {
    for (std::uint16_t i = 0; i < n; ++i) before[i].at = at;
    return;
  }
  for (std::uint16_t i = 0; i < n; ++i) log_.add(sent(i));
}

void Rig::await_cnp() {
  next_cnp_tsc_ =
      next_cnp_ == cnps_.size() ? UINT64_MAX : environment_.clock().tsc(began_ + cnps_[next_cnp_].after);
}

bool Rig::next_cnp(std::uint64_t tsc, CnpOrder& out) {
  if (tsc < next_cnp_tsc_) return false;
  out = cnps_[next_cnp_++];
  await_cnp();
  return true;
}

std::uint16_t Rig::stamp_received(rte_mbuf** packets, std::uint16_t n, std::uint16_t room) {
  CnpOrder order;
  if (ports_.size() == 1 && n < room && next_cnp(turn_tsc_, order)) {
    packets[n] = make_cnp(order.qp);
    if (packets[n] != nullptr) ++n;
  }
  if (n == 0) return 0;
  const Time at = now();
  for (std::uint16_t i = 0; i < n; ++i) {
    const std::uint8_t* const bth = rte_pktmbuf_mtod(packets[i], const std::uint8_t*) + kBthOffset;
    log_.add({at, 0, load_be24(bth + 5) - kFirstQpn, 0, Event::Kind::kCnpOut});
  }
  return n;
}

void Rig::far_end() {
  const std::uint16_t port = ports_[1]->id();
  std::array<rte_mbuf*, 32> burst;
  while (!stop_.load(std::memory_order_acquire)) {
    const std::uint16_t n = rte_eth_rx_burst(port, 0, burst.data(), burst.size());
    for (std::uint16_t i = 0; i < n; ++i) rte_pktmbuf_free(burst[i]);
    CnpOrder order;
    if (!next_cnp(rte_rdtsc(), order)) continue;
    rte_mbuf* cnp = make_cnp(order.qp);
    if (cnp == nullptr) continue;
    const Time at = now();
    if (rte_eth_tx_burst(port, 0, &cnp, 1) == 1) {
      far_log_.add({at, 0, order.qp, 0, Event::Kind::kCnpArrived});
    } else {
      rte_pktmbuf_free(cnp);
    }
  }
}

void Rig::start_far_end() {
  if (ports_.size() != 2) return;
  stop_.store(false, std::memory_order_relaxed);
  rte_eal_remote_launch(
      [](void* self) {
        static_cast<Rig*>(self)->far_end();
        return 0;
      },
      this, 1);
}

void Rig::stop_far_end() {
  stop_.store(true, std::memory_order_release);
  if (ports_.size() == 2) rte_eal_wait_lcore(1);
}

Idling Rig::idle(Time duration) {
  start_far_end();
  Idling out = idle_for(duration, environment_.clock());
  stop_far_end();
  return out;
}

void Rig::run(Time duration, std::vector<CnpOrder> cnps) {
  cnps_ = std::move(cnps);
  began_ = now();
  await_cnp();
  start_far_end();
  board_->start(began_);
  lane_->wake();
  for (Time last = began_; last - began_ < duration;) {
    turn_tsc_ = rte_rdtsc();
    const Time at = environment_.clock().time(turn_tsc_);
    loop_.turn(at - last);
    last = at;
    lane_->run(at);
    ended_ = at;
  }
  stop_far_end();
}

}  // namespace softfeb::bench
