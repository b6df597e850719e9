// SPDX-License-Identifier: BSD-3-Clause
#include "engine/flight.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

constexpr std::uint32_t kPacket = 4108;
constexpr std::uint64_t kOpen = congestion::CongestionControl::kNoWindow;
constexpr std::uint32_t kNoSpacing = congestion::CongestionControl::kNoAckSpacing;

void send(FlightTracker& t, std::uint64_t packet, bool asked, Time at = 0, bool first_time = true) {
  t.sent({.bytes = kPacket, .first_time = first_time, .asked = asked}, packet, at);
}

congestion::Ack acknowledge(FlightTracker& t, std::uint32_t packets, std::uint64_t last, bool awaiting,
                            bool sample = true) {
  return t.acknowledged({.bytes = std::uint64_t{packets} * kPacket,
                         .packets = packets,
                         .last = last,
                         .sample = sample,
                         .awaiting = awaiting});
}

}  // namespace

TEST_CASE("stamps: an older stamp is discarded with the one taken", "[flight]") {
  RttStamps s;
  for (std::uint64_t n = 0; n < 5; ++n) s.add(2 * n, 100 + n);
  CHECK(s.take(4) == Time{102});
  CHECK(s.size() == 2);
  CHECK_FALSE(s.take(4));  // a duplicate ACK
  CHECK_FALSE(s.take(7));  // packet 7 has no stamp; the stamp of packet 6 is dropped, because it is older
  CHECK(s.take(8) == Time{104});
  CHECK(s.size() == 0);
}

TEST_CASE("stamps: a full ring drops new stamps", "[flight]") {
  RttStamps s;
  for (std::uint64_t n = 0; n < 10; ++n) s.add(n, n);
  CHECK(s.size() == RttStamps::kCapacity);
  CHECK_FALSE(s.take(9));
  CHECK(s.size() == 0);
  s.add(10, 10);
  CHECK(s.take(10) == Time{10});
}

TEST_CASE("stamps: packet numbers may pass 2^32", "[flight]") {
  RttStamps s;
  constexpr std::uint64_t kLast = UINT32_MAX;
  s.add(kLast, 1);
  s.add(kLast + 1, 2);
  CHECK(s.take(kLast) == Time{1});
  CHECK(s.take(kLast + 1) == Time{2});
}

TEST_CASE("tracker: counts bytes and packets in flight", "[flight]") {
  FlightTracker t(0);
  for (std::uint64_t n = 0; n < 4; ++n) send(t, n, true, 10 * n);
  CHECK(t.flight().bytes == 4 * kPacket);
  const congestion::Ack a = acknowledge(t, 3, 2, true);
  CHECK(a.sent_at == Time{20});
  CHECK(a.bytes == 3 * kPacket);
  CHECK(a.packets == 3);
  CHECK(a.acked == 3);
  CHECK(a.sent == 4);
  CHECK(a.in_flight_before() == 4);
  CHECK(t.flight().bytes == kPacket);
}

TEST_CASE("tracker: the progress of a NAK is no RTT sample", "[flight]") {
  FlightTracker t(0);
  for (std::uint64_t n = 0; n < 3; ++n) send(t, n, true, 10 * n);
  const congestion::Ack a = acknowledge(t, 2, 1, true, false);
  CHECK_FALSE(a.sent_at);
  CHECK(a.packets == 2);
  CHECK(acknowledge(t, 1, 2, false).sent_at == Time{20});
}

TEST_CASE("tracker: a go-back discards stamps, and retransmissions get none", "[flight]") {
  FlightTracker t(0);
  for (std::uint64_t n = 0; n < 3; ++n) send(t, n, true, n);
  t.go_back();
  CHECK(t.flight().bytes == 0);
  send(t, 0, true, 10, false);
  CHECK(t.flight().bytes == kPacket);
  // The ACK covers packets 0 and 1, which means that the two packets had arrived. Packet 1 has not been sent
  // again since the go-back.
  const congestion::Ack a = acknowledge(t, 2, 1, false);
  CHECK_FALSE(a.sent_at);
  CHECK(a.acked == 2);
  CHECK(a.sent == 3);
  CHECK(t.flight().bytes == 0);
}

TEST_CASE("tracker: asks at the ack spacing", "[flight]") {
  FlightTracker t(16'384);
  std::vector<bool> asked;
  for (std::uint64_t n = 0; n < 8; ++n) {
    asked.push_back(t.asks(kPacket, kOpen));
    send(t, n, asked.back());
  }
  CHECK(asked == std::vector{false, false, false, true, false, false, false, true});
  // If a packet requests an ACK for another reason, such as the end of a message, the spacing is counted from
  // this packet on.
  send(t, 8, true);
  CHECK_FALSE(t.asks(kPacket, kOpen));
}

TEST_CASE("tracker: spacing 0 asks on every packet, and no spacing on none", "[flight]") {
  CHECK(FlightTracker(0).asks(1, kOpen));
  FlightTracker t(kNoSpacing);
  for (std::uint64_t n = 0; n < 10; ++n) send(t, n, false);
  CHECK_FALSE(t.asks(kPacket, kOpen));
}

TEST_CASE("tracker: the packet that closes the window asks", "[flight]") {
  FlightTracker t(kNoSpacing);
  constexpr std::uint64_t kWindow = 2 * kPacket + 1;
  CHECK_FALSE(t.asks(kPacket, kWindow));
  send(t, 0, false);
  CHECK_FALSE(t.asks(kPacket, kWindow));
  send(t, 1, false);
  CHECK_FALSE(t.closed(kWindow));
  CHECK(t.asks(kPacket, kWindow));
  send(t, 2, true);
  CHECK(t.closed(kWindow));
  acknowledge(t, 3, 2, false);
  CHECK_FALSE(t.closed(kWindow));
}

TEST_CASE("tracker: a window that shrinks to less than what is in flight does not block forever",
          "[flight]") {
  FlightTracker t(kNoSpacing);
  for (std::uint64_t n = 0; n < 3; ++n) send(t, n, false);
  CHECK_FALSE(t.closed(1));  // no packet has requested an ACK, so a closed window would never open again
  CHECK(t.asks(kPacket, 1));
  send(t, 3, true);
  CHECK(t.closed(1));
}

TEST_CASE("tracker: queue pairs of a group share window and running numbers, but not stamps", "[flight]") {
  Flight flight;
  FlightTracker a(0, {}, &flight), b(0, {}, &flight);
  send(a, 0, true, 1);
  send(b, 0, true, 2);
  send(b, 1, true, 3);
  CHECK(flight.bytes == 3 * kPacket);
  CHECK(flight.awaiting == 2);
  CHECK(a.closed(kPacket));
  const congestion::Ack ack = acknowledge(b, 2, 1, false);
  CHECK(ack.sent_at == Time{3});
  CHECK(ack.sent == 3);
  CHECK(ack.acked == 2);
  CHECK(flight.awaiting == 1);
  CHECK(acknowledge(a, 1, 0, false).sent_at == Time{1});
  CHECK(flight.bytes == 0);
  CHECK(flight.awaiting == 0);
}

TEST_CASE("tracker: a queue pair that gives up leaves nothing in the group's flight", "[flight]") {
  Flight flight;
  FlightTracker a(0, {}, &flight), b(0, {}, &flight);
  send(a, 0, true);
  send(b, 0, true);
  a.give_up();
  a.give_up();
  CHECK(flight.bytes == kPacket);
  CHECK(flight.acked == 1);
  CHECK(flight.sent == 2);
  CHECK(flight.awaiting == 1);
}
