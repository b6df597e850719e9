// SPDX-License-Identifier: BSD-3-Clause
#include "pacing_rig.hpp"

#include "board_builder.hpp"
#include "dataplane/path_mtu.hpp"
#include "endpoints.hpp"

#include <algorithm>
#include <array>

#include <emmintrin.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::bench {

namespace {

constexpr std::uint32_t kHeld = 2048;
constexpr std::uint32_t kSendQueue = 64;

}  // namespace

/// A board that logs when it has processed a CNP. Each log entry also contains the time that was passed to
/// the board.
class PacingRig::ProbedBoard final : public engine::Board {
 public:
  ProbedBoard(const engine::BoardConfig& config, PacingRig& rig) : Board(config), rig_(rig) {}

  std::size_t poll(Time now, std::span<engine::TxFrame> out) override {
    const std::size_t n = Board::poll(now, out);
    if (n != 0) rig_.told_ = now;
    return n;
  }

 private:
  void receive_roce(const roce::ParsedFrame& frame, Time now) override {
    Board::receive_roce(frame, now);
    if (frame.content.part(0)[0] != roce::kOpcodeCnp) return;
    rig_.log_.add({rig_.out_, now, 0, 0, Event::Kind::kCnpOut});
    unsettled_[count_++] = load_be24(frame.content.part(0).data() + 5) - kFirstQpn;
    log(Event::Kind::kCnpRegistered, count_ - 1, now);
    if (!in_burst() || count_ == unsettled_.size()) finish_burst(now);
  }
  /// Logs that the next departures of the queue pairs that received a CNP in this burst have been updated.
  void finish_burst(Time now) override {
    Board::finish_burst(now);
    if (count_ == 0) return;
    log(Event::Kind::kCnpSettled, 0, now);
    count_ = 0;
  }
  /// Logs an event of this kind for each queue pair in `unsettled_`, starting with index `first`.
  void log(Event::Kind kind, std::size_t first, Time now) {
    const Time at = rig_.now();
    for (std::size_t k = first; k < count_; ++k) rig_.log_.add({at, now, unsettled_[k], 0, kind});
  }

  PacingRig& rig_;
  std::array<std::uint32_t, 64> unsettled_{};  ///< queue pairs that received a CNP in this burst
  std::size_t count_ = 0;
};

PacingRig::PacingRig(const Environment& environment, const PacingRigConfig& config)
    : environment_(environment), config_(config), log_(config.events) {
  make_board();
  make_ports();
  add_callbacks();
}

PacingRig::~PacingRig() {
  // Remove the callbacks. They are registered for the port number, which the next port reuses.
  rte_eth_remove_tx_callback(ports_[0]->id(), 0, tx_callback_);
  rte_eth_remove_rx_callback(ports_[0]->id(), 0, rx_callback_);
  acks_.reset();
  port_queue_.reset();
}

/// Returns the time at which all preceding instructions have been executed. Does not wait until their
/// stores have reached the caches, because this would delay the measured loop.
Time PacingRig::now() const {
  _mm_lfence();
  return environment_.clock().time(rte_rdtsc());
}

void PacingRig::make_board() {
  payload_ = board::make_payload(
      {.kind = board::PayloadKind::kZero, .message_length = config_.packets * kPayload, .pmtu = kPayload});
  payload_->fill(rig_.arena.allocate(payload_->arena_bytes()));
  test::BoardBuilder builder(board_identity());
  for (std::uint32_t i = 0; i < config_.qps; ++i) {
    engine::SendQpConfig& qp = builder.qp(peer(), *payload_, kPayload);
    qp.requester.transport = config_.transport;
    qp.requester.dest_qpn = qp.requester.qpn;
    qp.requester.send_queue_depth = config_.transport == roce::Transport::kRc ? kSendQueue : 4;
    qp.traffic.rkey = 0;
    qp.traffic.remote_address = 0;
    config_.shape(qp, i);
  }
  board_ = std::make_unique<ProbedBoard>(builder.config, *this);
}

void PacingRig::make_ports() {
  for (int end = 0; end < (config_.ring ? 2 : 1); ++end) {
    test::RigPortConfig c;
    c.device = config_.ring ? "net_ring:bench" : "net_null";
    c.frame_bytes = dataplane::frame_bytes_for(dataplane::mtu_for(kPayload, false));
    c.ring = 1024;
    c.held = kHeld;
    c.port = {.name = end == 0 ? "board" : "far end",
              .lcores = 2,
              .macs = {(end == 0 ? board_identity() : peer()).mac}};
    ports_.push_back(std::make_unique<test::RigPort>(rig_, c));
  }
  ports_[0]->add(*board_);
  port_queue_ = ports_[0]->make_queue();
  const bool reliable = config_.transport == roce::Transport::kRc;
  if (config_.ring) {
    far_end_.emplace(environment_, ports_[1]->id(), reliable, rig_.pools);
    return;
  }
  cnps_.emplace(environment_.lcores(), rig_.pools);
  if (reliable) acks_.emplace(ports_[0]->id(), 0, path_to_board(), environment_.lcores(), rig_.pools);
}

void PacingRig::add_callbacks() {
  tx_callback_ = rte_eth_add_tx_callback(
      ports_[0]->id(), 0,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, void* self) {
        static_cast<PacingRig*>(self)->stamp_sent(packets, n);
        return n;
      },
      this);
  rx_callback_ = rte_eth_add_rx_callback(
      ports_[0]->id(), 0,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, std::uint16_t room, void* self) {
        return static_cast<PacingRig*>(self)->stamp_received(packets, n, room);
      },
      this);
}

void PacingRig::stamp_sent(rte_mbuf* const* packets, std::uint16_t n) {
  const Time at = now();
  const auto sent = [&](std::uint16_t i) {
    const std::uint8_t* const bth = rte_pktmbuf_mtod(packets[i], const std::uint8_t*) + kBthOffset;
    return Event{at, told_, load_be24(bth + 5) - kFirstQpn, load_be24(bth + 9), Event::Kind::kSent};
  };
  // Packets that the port did not accept are offered again. Their new times then replace the old ones in the
  // log.
  Event* const before = log_.last(n);
  const Event first = sent(0);
  if (before != nullptr && before->kind == Event::Kind::kSent && before->qp == first.qp &&
      before->psn == first.psn) {
    for (std::uint16_t i = 0; i < n; ++i) before[i].at = at;
    return;
  }
  for (std::uint16_t i = 0; i < n; ++i) log_.add(sent(i));
}

std::uint16_t PacingRig::stamp_received(rte_mbuf** packets, std::uint16_t n, std::uint16_t room) {
  if (cnps_ && n < room && cnps_->due(turn_tsc_)) {
    std::uint32_t qp = 0;
    packets[n] = cnps_->take(qp);
    if (packets[n] != nullptr) ++n;
  }
  // Do not read the packets, because waiting for their cache lines would disturb the measurement.
  if (n != 0) out_ = now();
  return n;
}

std::uint64_t PacingRig::retransmitted() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < board_->qp_count(); ++i)
    sum += board_->qp(i).requester().counters().retransmitted_packets;
  return sum;
}

Idling PacingRig::idle(Time duration) {
  if (far_end_) far_end_->launch();
  Idling out = idle_for(duration, environment_.clock());
  if (far_end_) far_end_->join();
  return out;
}

void PacingRig::run(Time duration, std::vector<CnpOrder> cnps) {
  began_ = now();
  (far_end_ ? far_end_->cnps() : *cnps_).begin(std::move(cnps), began_, environment_.clock());
  if (far_end_) far_end_->launch();
  board_->start(began_);
  port_queue_->wake();
  for (Time last = began_; last - began_ < duration;) {
    turn_tsc_ = rte_rdtsc();
    const Time at = environment_.clock().time(turn_tsc_);
    loop_.turn(at - last);
    if (at - last > LoopTime::kAway) log_.add({at, last, 0, 0, Event::Kind::kAway});
    last = at;
    port_queue_->run(at);
    ended_ = at;
  }
  if (far_end_) far_end_->join();
}

}  // namespace softfeb::bench
