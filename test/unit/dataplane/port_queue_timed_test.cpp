// SPDX-License-Identifier: BSD-3-Clause
// Tests packets with departure times: iterations of the port queue occur at irregular times, but the packets
// carry the times of the schedule. The port is net_null, which does not support departure times itself; a TX
// callback reads the values that a NIC would read.
#include "base/rng.hpp"
#include "board_builder.hpp"
#include "dataplane/departure_stamps.hpp"
#include "dpdk_rig.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_ethdev.h>
#include <rte_mbuf_dyn.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

constexpr std::uint32_t kTimedPayload = 1024;
constexpr Time kHorizon = 20 * kMicrosecond;
constexpr Time kBegin = 10 * kMicrosecond;
constexpr std::uint64_t kDeviceEpoch = 1U << 20;

/// A device clock with ticks of two picoseconds, so that rounding cannot hide an error.
constexpr ClockMap kDeviceClock{0, kDeviceEpoch, std::uint64_t{1} << 63};

struct Seen {
  std::uint32_t qp = 0;
  bool flagged = false;
  std::uint64_t ticks = 0;
  Time handed_over = 0;
  Time departure() const { return (ticks - kDeviceEpoch) * 2 - kHorizon; }
};

class TimedBench {
 public:
  using Shape = std::function<void(engine::SendQpConfig&, std::uint32_t)>;

  TimedBench(std::uint32_t qps, std::uint64_t link_rate, const Shape& shape) {
    payload_ = board::make_payload(
        {.kind = board::PayloadKind::kZero, .message_length = kTimedPayload, .pmtu = kTimedPayload});
    payload_->fill(rig_.arena.allocate(payload_->arena_bytes()));
    board_ = make_board(qps, link_rate, shape);
    port_.add(*board_);
    clock_.write(kDeviceClock);
    stamps = std::make_unique<DepartureStamps>(clock_, kHorizon);
    test::RigPort::Queue queue;
    queue.parts.stamps = stamps.get();
    port_queue_ = port_.make_queue(queue);
    field_ = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, nullptr);
    flag_ = rte_mbuf_dynflag_lookup(RTE_MBUF_DYNFLAG_TX_TIMESTAMP_NAME, nullptr);
    REQUIRE(field_ >= 0);
    REQUIRE(flag_ >= 0);
    callback_ = rte_eth_add_tx_callback(
        port_.id(), 0,
        [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, void* self) {
          for (std::uint16_t i = 0; i < n; ++i) static_cast<TimedBench*>(self)->look_at(packets[i]);
          return n;
        },
        this);
    turn(kBegin);
    board_->start(kBegin);
    port_queue_->wake();
  }
  ~TimedBench() { rte_eth_remove_tx_callback(port_.id(), 0, callback_); }

  void turn(Time now) {
    now_ = now;
    port_queue_->run(now);
  }
  /// Runs iterations between `from` and `to`, at random intervals of at most `longest`.
  void turns(Time from, Time to, Time longest) {
    for (Time t = from; t < to; t += 1 + rng_.below(longest)) turn(t);
  }
  engine::Board& board() { return *board_; }
  void wake() { port_queue_->wake(); }

  std::vector<Seen> seen;
  std::unique_ptr<DepartureStamps> stamps;

  std::map<std::uint32_t, std::vector<Time>> departures() const {
    std::map<std::uint32_t, std::vector<Time>> out;
    for (const Seen& s : seen) out[s.qp].push_back(s.departure());
    return out;
  }

 private:
  std::unique_ptr<engine::Board> make_board(std::uint32_t qps, std::uint64_t link_rate, const Shape& shape) {
    test::BoardBuilder builder(test::identity(1));
    builder.config.link_rate = link_rate;
    for (std::uint32_t i = 0; i < qps; ++i) {
      engine::SendQpConfig& qp = builder.qp(test::identity(2), *payload_, kTimedPayload);
      qp.requester.transport = roce::Transport::kUc;
      shape(qp, i);
    }
    return builder.build();
  }
  void look_at(rte_mbuf* m) {
    const std::uint8_t* const bth = rte_pktmbuf_mtod(m, const std::uint8_t*) + 14 + 20 + 8;
    seen.push_back({load_be24(bth + 5) - test::kReceiveQpn, (m->ol_flags >> flag_ & 1) != 0,
                    *RTE_MBUF_DYNFIELD(m, field_, std::uint64_t*), now_});
  }

  Rng rng_{5};
  test::DpdkRig rig_;
  test::RigPort port_{rig_, {.frame_bytes = 1518}};
  std::unique_ptr<board::PayloadSource> payload_;
  std::unique_ptr<engine::Board> board_;
  Mailbox<ClockMap> clock_;
  std::unique_ptr<PortQueue> port_queue_;
  const rte_eth_rxtx_callback* callback_ = nullptr;
  int field_ = -1, flag_ = -1;
  Time now_ = 0;
};

/// Returns the rate of QP `i`. Rates differ, so that in an iteration some QPs send several packets and others
/// none.
std::uint64_t rate_of_qp(std::uint32_t i) { return i == 0 ? 1'000'000'000 : 70'000'000 * i; }

void paced(engine::SendQpConfig& qp, std::uint32_t i) {
  qp.traffic.rate_kind = engine::RateKind::kPayloadBytes;
  qp.traffic.rate = rate_of_qp(i);
}

/// Returns the time at which packet n should leave according to the rate.
Time ideal(std::uint32_t qp, std::uint64_t n) {
  return kBegin + static_cast<Time>(Uint128{n} * kTimedPayload * kSecond / rate_of_qp(qp));
}

}  // namespace

TEST_CASE("a packet's departure time follows the schedule, regardless of when the worker runs",
          "[dataplane][pacing]") {
  TimedBench b(8, 0, paced);
  b.turns(kBegin + 100, 3 * kMillisecond, 5 * kMicrosecond);
  REQUIRE(b.seen.size() > 5000);
  for (std::size_t i = 0; i < b.seen.size(); ++i) {
    const Seen& s = b.seen[i];
    REQUIRE(s.flagged);
    // The port gets each packet at or after its scheduled time, but in time for the device, which sends the
    // packet one horizon after the scheduled time.
    REQUIRE(s.handed_over >= s.departure());
    REQUIRE(s.departure() + kHorizon > s.handed_over);
    if (i != 0) REQUIRE(s.ticks >= b.seen[i - 1].ticks);
  }
  for (const auto& [qp, times] : b.departures()) {
    for (std::size_t n = 0; n < times.size(); ++n) {
      const Time wanted = ideal(qp, n);
      CAPTURE(qp, n, wanted, times[n]);
      REQUIRE(times[n] <= wanted + 2);
      REQUIRE(times[n] + 2 >= wanted);
    }
  }
  CHECK(b.stamps->counters().overruns == 0);
}

TEST_CASE("frames on a full link leave one at a time, exact to the picosecond", "[dataplane][pacing]") {
  constexpr std::uint64_t kRate = 1'250'000'000;
  TimedBench b(3, kRate, [](engine::SendQpConfig&, std::uint32_t) {});
  b.turns(kBegin + 100, kMillisecond, 3 * kMicrosecond);
  REQUIRE(b.seen.size() > 1000);
  // Ethernet, IPv4, UDP, BTH, RETH, payload and iCRC; 24 bytes for FCS, preamble and inter-packet gap.
  constexpr Time kWire = Time{14 + 20 + 8 + 12 + 16 + kTimedPayload + 4 + 24} * kSecond / kRate;
  // Skip the first packets: the slack permits them to follow each other more closely.
  for (std::size_t i = 10; i < b.seen.size(); ++i) {
    const Time gap = b.seen[i].departure() - b.seen[i - 1].departure();
    REQUIRE(gap + 4 >= kWire);
    REQUIRE(gap <= kWire + 4);
  }
}

TEST_CASE("a worker that was late by more than the horizon sets no times in the past",
          "[dataplane][pacing]") {
  TimedBench b(4, 0, paced);
  b.turns(kBegin + 100, 500 * kMicrosecond, kMicrosecond);
  CHECK(b.stamps->counters().overruns == 0);
  const std::size_t before = b.seen.size();
  const Time back = 900 * kMicrosecond;
  b.turn(back);
  REQUIRE(b.seen.size() > before);
  for (std::size_t i = before; i < b.seen.size(); ++i) {
    REQUIRE(b.seen[i].departure() + b.stamps->slack() >= back);
    REQUIRE(b.seen[i].ticks >= b.seen[i - 1].ticks);
  }
  CHECK(b.stamps->counters().overruns == 1);
  CHECK(b.stamps->counters().latest > 380 * kMicrosecond);
  // The port queue catches up on all overdue packets, as without the offload. Until it has done so, it
  // shortens gaps to 15/16 of their ideal length.
  const Time end = 9 * kMillisecond;
  b.turns(back + 100, end, kMicrosecond);
  for (const auto& [qp, times] : b.departures()) CHECK(ideal(qp, times.size()) + kMicrosecond > end);
}

TEST_CASE("events in an iteration take effect from that iteration on", "[dataplane][pacing]") {
  TimedBench b(1, 0, [](engine::SendQpConfig& qp, std::uint32_t i) {
    paced(qp, i);
    qp.congestion = dcqcn::FirmwareSettings{};
  });
  b.turns(kBegin + 100, kMillisecond, 2 * kMicrosecond);
  const Time stop = kMillisecond + 5 * kMicrosecond;
  b.turn(stop);
  b.board().stop_traffic(stop);
  b.wake();
  b.turns(stop + 100, 2 * kMillisecond, 2 * kMicrosecond);
  REQUIRE(b.seen.size() > 100);
  CHECK(b.seen.back().departure() <= stop + 2 * kMicrosecond);
  CHECK(b.board().finished());
}
