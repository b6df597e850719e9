// SPDX-License-Identifier: BSD-3-Clause
// Compares receivers that get the same packets, once in segments that use the fast path and once in segments
// that do not. Responses, counters and memory must be equal.
#include "base/rng.hpp"
#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "roce/frame.hpp"
#include "roce/icrc.hpp"
#include "wire.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

using test::Bytes;

constexpr std::uint32_t kTakenQps = 6;
constexpr std::uint32_t kTakenLength = 10'000;  // nine packets of 1024 bytes and a shorter one
constexpr std::size_t kUdpEnds = 14 + 20 + 8;

/// Returns a frame in segments that end at the given offsets.
Segments cut(const Bytes& frame, std::vector<std::size_t> ends) {
  Segments out;
  std::size_t from = 0;
  ends.push_back(frame.size());
  for (std::size_t to : ends) {
    to = std::min(to, frame.size());
    if (to > from) out.push(ByteSpan(frame).subspan(from, to - from));
    from = std::max(from, to);
  }
  return out;
}

/// Splits a frame into segments as softfeb's boards do: headers, payload and iCRC.
Segments chained(const Bytes& frame) {
  const std::uint8_t op = frame[kUdpEnds];
  const std::size_t headers = kUdpEnds + 12 + (op == 0x06 || op == 0x0a ? 16 : 0);
  return cut(frame, {headers, frame.size() - 4});
}

/// Splits a frame inside the BTH and inside the payload.
Segments in_pieces(const Bytes& frame) { return cut(frame, {kUdpEnds + 5, kUdpEnds + 60, kUdpEnds + 300}); }

/// A board whose queue pairs write to station 2. The first queue pair is UC; the others are RC.
test::BoardBuilder sender(const board::PayloadSource& payload) {
  test::BoardBuilder b(test::identity(1));
  b.config.link_rate = 12'500'000'000;
  for (std::uint32_t q = 0; q < kTakenQps; ++q) {
    SendQpConfig& s = b.qp(test::identity(2), payload);
    if (q == 0) s.requester.transport = roce::Transport::kUc;
    s.requester.ack_every = q;
  }
  return b;
}

/// A receiver for the messages of sender().
struct Taker {
  explicit Taker(const board::PayloadSource& payload, bool cached = false)
      : memory(kTakenQps * std::size_t{kTakenLength}) {
    test::ReceiverBuilder r(test::identity(2));
    r.config.notification.interval = 3 * kMicrosecond;
    const test::BoardBuilder from = sender(payload);
    for (std::uint32_t q = 0; q < kTakenQps; ++q) {
      ReceiveQpSetup& s = r.qp(from.config.qps[q],
                               MutableByteSpan(memory).subspan(q * std::size_t{kTakenLength}, kTakenLength));
      test::expect_payload(s, payload);
      s.qp.memory_is_cached = cached;
      if (q == 1) s.qp.expected = nullptr;
      if (q == 2) s.qp.check_continuity = true;
      if (q == 3) s.regions[0].data = nullptr;
    }
    receiver = r.build();
  }

  std::vector<Bytes> answers(Time now) {
    std::array<std::array<std::uint8_t, TxFrame::kHeaderRoom>, 8> rooms;
    std::array<TxFrame, 8> out;
    std::vector<Bytes> all;
    for (std::size_t n = out.size(); n == out.size();) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i].header = rooms[i].data();
      n = receiver->poll(now, out);
      for (std::size_t i = 0; i < n; ++i) all.push_back(test::bytes_of(out[i]));
    }
    return all;
  }

  std::vector<std::uint64_t> figures() const {
    const EndpointCounters& e = receiver->counters();
    std::vector<std::uint64_t> f{e.rx_frames,
                                 e.rx_roce,
                                 e.rx_icrc_errors,
                                 e.rx_unknown_qp,
                                 e.rx_wrong_peer,
                                 e.rx_bad_transport,
                                 e.rx_other,
                                 receiver->incidents(),
                                 receiver->receiver_counters().cnp_tx};
    for (std::uint32_t q = 0; q < kTakenQps; ++q) {
      const roce::ReceiveQp& qp = receiver->qp(q);
      const roce::ResponderCounters& c = qp.responder().counters();
      f.insert(f.end(), {c.packets, c.payload_bytes, c.messages, c.duplicate, c.out_of_order,
                         c.missing_packets, c.missing_messages, c.discarded, c.access_errors,
                         c.invalid_requests, c.ack_tx, c.nak_sequence_tx, c.nak_error_tx, c.ignored});
      f.insert(f.end(), {qp.responder().expected_psn(), qp.map().received(), qp.map().missing(),
                         qp.unexpected_messages(), qp.congestion_experienced(), qp.bytes_wrong(),
                         qp.continuity().checked(), receiver->written_end(q)});
      if (qp.payload_check())
        f.insert(f.end(), {qp.payload_check()->checked(), qp.payload_check()->mismatches().size()});
    }
    return f;
  }

  Bytes memory;
  std::unique_ptr<Receiver> receiver;
};

/// Returns the frames that a board sends. The board gets no responses, and each queue pair sends its messages
/// once.
std::vector<Bytes> messages(const board::PayloadSource& payload) {
  const auto board = sender(payload).build();
  test::Wire wire({board.get()});
  std::vector<Bytes> all;
  wire.tap = [&all](Endpoint&, const TxFrame& f) {
    if (all.size() < 900) all.push_back(test::bytes_of(f));
    return false;
  };
  board->start(0);
  wire.run_until(100 * kMicrosecond);
  return all;
}

/// Marks a frame as a switch does: sets CE and updates the IPv4 checksum.
void mark(Bytes& frame) {
  frame[15] |= 3;
  frame[24] = frame[25] = 0;
  store_be16(&frame[24], roce::internet_checksum(ByteSpan(frame).subspan(14, 20)));
}

/// Corrupts the payload and makes the iCRC valid again.
void spoil(Bytes& frame, Rng& rng) {
  frame[kUdpEnds + 40 + rng.below(frame.size() - kUdpEnds - 44)] ^= 0x10;
  const roce::ParsedFrame f = roce::parse_frame(ByteSpan(frame));
  store_le32(&frame[frame.size() - 4], roce::icrc_of(f.datagram.without_last(4)));
}

}  // namespace

TEST_CASE("receiver: interleaved packets give the same result on both paths", "[receiver]") {
  const auto payload = test::FilledPayload::counter(kTakenLength, 1024);
  const std::vector<Bytes> sent = messages(*payload);
  REQUIRE(sent.size() > 300);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    Taker quick(*payload, seed % 4 < 2), general(*payload);
    Time now = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      now += rng.below(2 * kMicrosecond);
      // With even seeds, no frame is lost or changed, so that long runs of packets are received completely.
      const auto what = seed % 2 == 0 ? 1'000 : rng.below(400);
      if (what == 0) continue;
      if (what == 1 && i > 20) i -= rng.below(20);
      Bytes frame = sent[i];
      if (what == 2) frame[rng.below(frame.size())] ^= static_cast<std::uint8_t>(1U << rng.below(8));
      if (what == 3) spoil(frame, rng);
      if (what == 4) frame.resize(rng.below(frame.size()));
      if (what == 5) frame.insert(frame.end(), 1 + rng.below(20), 0);
      if (what == 6) frame[6] ^= 4;
      if (seed % 2 == 1 && rng.below(10) == 0 && frame.size() > 30) mark(frame);
      if (frame.size() < kUdpEnds + 20) continue;
      const Bytes once = frame;
      for (Taker* t : {&quick, &general}) {
        const bool whole = rng.below(2) == 0;
        const Segments bytes = t == &general ? in_pieces(once)
                               : whole       ? Segments(ByteSpan(once))
                                             : chained(once);
        const roce::ParsedFrame parsed = roce::parse_frame(bytes);
        t->receiver->expect(parsed);
        t->receiver->receive(parsed, now);
      }
      if (rng.below(3) == 0) REQUIRE(quick.answers(now) == general.answers(now));
    }
    REQUIRE(quick.figures() == general.figures());
    REQUIRE(quick.memory == general.memory);
    if (seed % 2 == 0) {
      CHECK(quick.receiver->counters().rx_roce == sent.size());
      CHECK(quick.receiver->qp(kTakenQps - 1).bytes_wrong() == 0);
      CHECK(quick.receiver->qp(kTakenQps - 1).responder().counters().messages > 5);
    }
  }
}
