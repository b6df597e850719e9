// SPDX-License-Identifier: BSD-3-Clause
// Tests how acknowledgements are reported to congestion control, and how the window and the ACK spacing of
// congestion control affect a board's packets.
#include "board_builder.hpp"
#include "congestion/algorithm.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using congestion::Ack;
using congestion::CongestionControl;
using congestion::Nak;

namespace {

constexpr std::uint32_t kPmtu = 1024;
constexpr std::uint32_t kMiddle = kPmtu + 12;  // bytes of a middle packet, from BTH through pad

/// Records the calls that the congestion control objects of a test receive.
struct Log {
  struct Acknowledged {
    Ack ack;
    Time at;
  };
  std::vector<Acknowledged> acks;
  std::vector<Nak> naks;
  std::uint64_t sent_bytes = 0;
  /// Bytes in flight, counted from BTH through pad. The number is correct only if no packet is lost.
  std::uint64_t in_flight = 0;
  std::uint64_t most_in_flight = 0;
};

/// A congestion control object that has a fixed window and ACK spacing, and logs its events.
class Recorder final : public CongestionControl {
 public:
  Recorder(Log& log, std::uint64_t window, std::uint32_t spacing)
      : CongestionControl(congestion::kOnAck | congestion::kOnNak | congestion::kWindow),
        log_(log),
        window_(window),
        spacing_(spacing) {}
  std::uint32_t ack_spacing() const override { return spacing_; }
  std::size_t memory() const override { return sizeof *this; }
  congestion::CongestionState state(Time) const override { return {}; }

 private:
  Departure find_departure(std::uint32_t, Time) override { return {0, true}; }
  void on_sent(std::uint32_t bytes, Time) override {
    log_.sent_bytes += bytes;
    log_.in_flight += bytes;
    log_.most_in_flight = std::max(log_.most_in_flight, log_.in_flight);
  }
  void on_ack(const Ack& ack, Time now) override {
    log_.acks.push_back({ack, now});
    log_.in_flight -= std::min(log_.in_flight, ack.bytes);
  }
  void on_nak(Nak nak, Time) override { log_.naks.push_back(nak); }
  std::uint64_t find_window() const override { return window_; }

  Log& log_;
  std::uint64_t window_;
  std::uint32_t spacing_;
};

/// Makes Recorder objects. Its two parameters are the window and the ACK spacing.
class Recording final : public congestion::Algorithm {
 public:
  std::string_view name() const override { return "recording"; }
  std::string_view summary() const override { return ""; }
  std::span<const congestion::Parameter> parameters() const override { return {}; }
  congestion::ParameterValues defaults(const congestion::PathFacts&) const override { return {}; }
  std::optional<Conflict> conflict(std::span<const double>) const override { return {}; }
  congestion::Hooks hooks() const override {
    return congestion::kOnAck | congestion::kOnNak | congestion::kWindow;
  }
  congestion::Needs needs() const override { return congestion::kNeedsAcks; }
  std::size_t bytes(const congestion::PathFacts&) const override { return sizeof(Recorder); }
  CongestionControl* make(void* place, std::span<const double> v,
                          const congestion::PathFacts&) const override {
    return new (place) Recorder(log, static_cast<std::uint64_t>(v[0]), static_cast<std::uint32_t>(v[1]));
  }
  congestion::Change change(CongestionControl&, std::span<const double>, Time) const override {
    return congestion::Change::kRefused;
  }

  mutable Log log;
};

constexpr double kNoWindow = 1e18;

/// A board whose queue pairs write messages to a receiver.
class AckExperiment {
 public:
  struct Options {
    std::uint32_t qps = 1;
    std::uint32_t message = 20 * kPmtu;
    std::uint64_t messages = 1;
    double window = kNoWindow;
    double spacing = 0;
    bool group = false;
    std::uint64_t link_rate = 1'250'000'000;  ///< bytes per second; 0 = unlimited
    bool fast_path = true;
    roce::TimingProfile timing = roce::TimingProfile::kStandard;
    roce::Transport transport = roce::Transport::kRc;
  };

  explicit AckExperiment(const Options& o)
      : payload_(test::FilledPayload::counter(o.message, kPmtu)), memory_(o.message) {
    test::BoardBuilder b(test::identity(1));
    b.config.link_rate = o.link_rate;
    test::ReceiverBuilder r(test::identity(2));
    for (std::uint32_t i = 0; i < o.qps; ++i) {
      SendQpConfig& qp = b.qp(r.config.identity, *payload_, kPmtu);
      qp.requester.timing = o.timing;
      qp.requester.transport = o.transport;
      qp.requester.timeout = 8;  // 1 ms
      qp.requester.retry_count = 7;
      qp.traffic.messages = o.messages;
      qp.congestion = congestion::AlgorithmSettings{&recording, {o.window, o.spacing}, {}};
      if (o.group) qp.congestion_group = 1;
      r.qp(qp, memory_);
    }
    board = b.build();
    board->set_fast_path(o.fast_path);
    receiver_ = r.build();
    wire = std::make_unique<test::Wire>(std::vector<Endpoint*>{board.get(), receiver_.get()});
  }

  /// Returns true if everything was sent and acknowledged within a second.
  bool run() {
    board->start(wire->now);
    return wire->run(kSecond, [this] { return board->finished(); });
  }
  const Log& log() const { return recording.log; }

  Recording recording;
  std::unique_ptr<Board> board;
  std::unique_ptr<test::Wire> wire;

 private:
  test::FilledPayload payload_;
  std::vector<std::uint8_t> memory_;
  std::unique_ptr<Receiver> receiver_;
};

std::uint64_t bytes_of(const Log& log) {
  std::uint64_t sum = 0;
  for (const auto& a : log.acks) sum += a.ack.bytes;
  return sum;
}

}  // namespace

TEST_CASE("ack: every packet once, with its RTT", "[board][congestion][ack]") {
  AckExperiment e({.messages = 3});
  REQUIRE(e.run());
  const Log& log = e.log();
  REQUIRE(log.acks.size() == 60);
  for (std::size_t n = 0; n < log.acks.size(); ++n) {
    const auto& [ack, at] = log.acks[n];
    CHECK(ack.packets == 1);
    CHECK(ack.acked == n + 1);
    CHECK(ack.bytes == kMiddle + (n % 20 == 0 ? 16 : 0));
    REQUIRE(ack.sent_at);
    CHECK(at - *ack.sent_at == 2 * e.wire->delay);  // the wire delays long and short frames equally
  }
  CHECK(bytes_of(log) == log.sent_bytes);
  CHECK(log.acks.back().ack.sent == 60);
}

TEST_CASE("ack: the spacing applies on the fast path as well", "[board][congestion][ack]") {
  const bool fast = GENERATE(false, true);
  AckExperiment e({.messages = 2, .spacing = 4 * kMiddle, .fast_path = fast});
  REQUIRE(e.run());
  // Every fourth packet requests an ACK. The first packet is longer because of its RETH, but not so much
  // longer that an ACK is requested earlier.
  REQUIRE(e.log().acks.size() == 10);
  for (const auto& a : e.log().acks) {
    CHECK(a.ack.packets == 4);
    CHECK(a.ack.sent_at);
  }
  CHECK(bytes_of(e.log()) == e.log().sent_bytes);
}

TEST_CASE("window: packets leave while fewer bytes than the window are in flight",
          "[board][congestion][ack]") {
  const double window = GENERATE(1., kMiddle + 1., 5. * kMiddle, 5. * kMiddle + 1.);
  const double spacing = GENERATE(0., 1e9);
  CAPTURE(window, spacing);
  AckExperiment e({.messages = 2, .window = window, .spacing = spacing});
  REQUIRE(e.run());
  const Log& log = e.log();
  // A packet may leave while the window has any room, so the bytes in flight can exceed the window. The first
  // packet of a message is 16 bytes longer than the others.
  CHECK(static_cast<double>(log.most_in_flight) < window + kMiddle + 16);
  CHECK(static_cast<double>(log.most_in_flight) >= window);
  CHECK(bytes_of(log) == log.sent_bytes);
  // With a window of n packets, at most n packets leave per round trip.
  const double packets = std::ceil(window / (kMiddle + 1));
  CHECK(to_seconds(e.wire->now) > 40 / (packets + 1) * to_seconds(2 * e.wire->delay));
}

TEST_CASE("with very many ready queue pairs, each sends 16 packets in a row", "[board][congestion][ack]") {
  constexpr std::uint32_t kMessage = 64, kQuantum = 16;
  const bool fast = GENERATE(false, true);
  const double spacing = GENERATE(0., 4. * kMiddle, 1e9);
  const std::uint32_t qps = GENERATE(256U, 257U);
  CAPTURE(fast, spacing, qps);
  AckExperiment e(
      {.qps = qps, .message = kMessage * kPmtu, .spacing = spacing, .link_rate = 0, .fast_path = fast});
  e.board->start(0);
  std::vector<roce::Qpn> order;
  for (std::uint32_t n = 0; n < 2 * kQuantum * qps; ++n) {
    std::array<std::uint8_t, TxFrame::kHeaderRoom> room{};
    TxFrame out{.header = room.data()};
    REQUIRE(e.board->poll(1, std::span(&out, 1)) == 1);
    order.push_back(load_be32(out.header + 14 + 20 + 8 + 4) & 0xffffff);
  }
  std::size_t longest = 0, shortest = order.size(), in_row = 0;
  for (std::size_t n = 1; n < order.size(); ++n) {
    ++in_row;
    if (order[n] == order[n - 1]) continue;
    longest = std::max(longest, in_row);
    shortest = std::min(shortest, in_row);
    in_row = 0;
  }
  CHECK(longest == (qps > 256 ? kQuantum : 1));
  CHECK(shortest == longest);
}

TEST_CASE("window: covers the queue pairs of a group together", "[board][congestion][ack]") {
  AckExperiment e({.qps = 5, .messages = 4, .window = 3. * kMiddle, .spacing = 1e9, .group = true});
  REQUIRE(e.run());
  const Log& log = e.log();
  CHECK(log.most_in_flight >= 3 * kMiddle);
  CHECK(log.most_in_flight < 4 * kMiddle + 16);
  CHECK(log.acks.back().ack.acked == 400);
  CHECK(log.acks.back().ack.sent == 400);
  CHECK(bytes_of(log) == log.sent_bytes);
}

TEST_CASE("ack: losses yield NAKs and timeouts, but no sample of a packet sent twice",
          "[board][congestion][ack]") {
  const bool group = GENERATE(false, true);
  const auto timing = GENERATE(roce::TimingProfile::kStandard, roce::TimingProfile::kFirmware);
  CAPTURE(group, static_cast<int>(timing));
  AckExperiment e({.qps = 3,
                   .message = 50 * kPmtu + 1,
                   .messages = 20,
                   .window = 8. * kMiddle,
                   .group = group,
                   .timing = timing});
  e.wire->loss = 5 * test::Wire::kPercent;
  REQUIRE(e.run());
  const Log& log = e.log();
  CHECK(std::count(log.naks.begin(), log.naks.end(), Nak::kSequence) > 5);
  CHECK(std::count(log.naks.begin(), log.naks.end(), Nak::kTimeout) > 1);
  std::uint64_t acked = 0;
  for (const auto& [ack, at] : log.acks) {
    if (ack.sent_at) CHECK(at - *ack.sent_at == 2 * e.wire->delay);
    acked += ack.packets;
    if (group) CHECK(ack.acked == acked);
  }
  CHECK(acked == 3 * 20 * 51);
  CHECK(bytes_of(log) == 3 * 20 * (50 * kPmtu + 4 + 51 * 12 + 16));
}

TEST_CASE("window: a queue pair that fails does not keep the window of its group closed",
          "[board][congestion][ack]") {
  AckExperiment e({.qps = 2, .messages = 2, .window = 2. * kMiddle, .group = true});
  e.board->start(0);
  e.wire->run_until(3 * kMicrosecond);  // packets of both QPs are in flight
  e.board->qp(0).requester().set_state(roce::QpState::kErr, e.wire->now);
  REQUIRE(e.wire->run(kSecond, [&] { return e.board->qp(1).finished(); }));
  CHECK(e.board->qp(1).completed_payload_bytes() == 2 * 20 * kPmtu);
}

TEST_CASE("ack: a UC queue pair has no window", "[board][congestion][ack]") {
  AckExperiment e({.window = 1, .transport = roce::Transport::kUc});
  REQUIRE(e.run());
  CHECK(e.log().acks.empty());
  CHECK(e.log().most_in_flight == 20 * kMiddle + 16);
}
