// SPDX-License-Identifier: BSD-3-Clause
#include "roce/receive_qp.hpp"

#include "base/rng.hpp"
#include "responder_fixture.hpp"
#include "stream_fixture.hpp"

#include <set>
#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::roce::test;

namespace {

/// Returns message `n` of a sender that sends `source` repeatedly. Each pass consists of messages of `length`
/// bytes and possibly a shorter last one.
std::vector<std::uint8_t> message_of(const std::vector<std::uint8_t>& source, std::size_t length,
                                     std::uint64_t n) {
  const std::size_t per_pass = (source.size() + length - 1) / length;
  const std::size_t at = n % per_pass * length;
  const auto from = source.begin() + static_cast<std::ptrdiff_t>(at);
  return {from, from + static_cast<std::ptrdiff_t>(std::min(length, source.size() - at))};
}

}  // namespace

TEST_CASE("receiving QP: a file in passes over lossy UC; correct and missing messages are reported",
          "[receive_qp]") {
  constexpr std::uint32_t kLength = 700;
  const auto source = random_bytes(2500, 11);  // a pass consists of messages of 700, 700, 700 and 400 bytes
  const VectorStream stream(source, 4 * kLength);
  for (const auto numbering : {MessageNumbering::kLayout, MessageNumbering::kImmediate}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Rng rng(seed);
      Memory memory(kLength);
      ReceiveQpConfig c;
      c.responder = config(Transport::kUc, 0xfffff0);
      c.layout.emplace(kLength, kPmtu, source.size());
      c.expected = &stream;
      c.numbering = numbering;
      c.first_immediate = 0xfffffff0;
      c.map_capacity = 1000;
      ReceiveQp qp(c, memory.regions);
      std::set<std::uint64_t> lost;
      std::uint64_t right_bytes = 0;
      Psn psn = 0xfffff0;
      constexpr std::uint64_t kMessages = 400;
      for (std::uint64_t n = 0; n < kMessages; ++n) {
        auto packets = write_message(Transport::kUc, psn, 0, message_of(source, kLength, n), true,
                                     static_cast<std::uint32_t>(0xfffffff0 + n));
        psn = psn_add(psn, static_cast<std::uint32_t>(packets.size()));
        bool whole = true;
        for (auto& p : packets) {
          if (rng.below(20) == 0) {
            whole = false;
          } else if (qp.on_request(p.get(), 0).request.payload) {
            right_bytes += p.payload.size();
          }
        }
        if (!whole) lost.insert(n);
      }
      qp.finish(kMessages);
      std::set<std::uint64_t> told;
      for (const auto& r : qp.map().ranges()) {
        for (std::uint64_t n = r.first; n <= r.last; ++n) told.insert(n);
      }
      CHECK(told == lost);
      CHECK_FALSE(lost.empty());
      CHECK(qp.map().missing() == lost.size());
      CHECK(qp.map().received() + lost.size() == kMessages);
      CHECK(qp.responder().counters().messages == qp.map().received());
      CHECK(qp.payload_check()->checked() == right_bytes);
      CHECK(qp.bytes_wrong() == 0);
      CHECK(qp.unexpected_messages() == 0);
    }
  }
}

TEST_CASE("receiving QP: corrupt bytes and wrong message lengths are reported", "[receive_qp]") {
  const VectorStream stream(random_bytes(4096, 12));
  Memory memory(4096);
  ReceiveQpConfig c;
  c.responder = config(Transport::kRc);
  c.layout.emplace(512, kPmtu);
  c.expected = &stream;
  ReceiveQp qp(c, memory.regions);
  auto packets = write_message(Transport::kRc, 100, 0, message_of(stream.data(), 512, 0));
  packets[1].payload[3] ^= 4;
  for (auto& p : packets) qp.on_request(p.get(), 0);
  CHECK(qp.bytes_wrong() == 1);
  REQUIRE(qp.payload_check()->mismatches().size() == 1);
  CHECK(qp.payload_check()->mismatches()[0].offset == kPmtu + 3);
  CHECK(qp.unexpected_messages() == 0);
  qp.on_request(packet(Transport::kRc, Operation::kWriteOnly, 102, 100).get(), 0);
  CHECK(qp.unexpected_messages() == 1);
  CHECK(qp.map().received() == 0);  // the QP does not number messages
}

TEST_CASE("receiving QP: the byte counter is followed over known losses", "[receive_qp]") {
  Memory memory(4096);
  ReceiveQpConfig c;
  c.responder = config(Transport::kUc);
  c.check_continuity = true;
  ReceiveQp qp(c, memory.regions);
  std::uint8_t counter = 0;
  const auto next = [&](Psn psn) {
    auto p = packet(Transport::kUc, Operation::kWriteOnly, psn, 100);
    for (auto& b : p.payload) b = counter++;
    return p;
  };
  qp.on_request(next(100).get(), 0);
  qp.on_request(next(101).get(), 0);
  next(102);  // not received, as if the packet had been lost
  qp.on_request(next(103).get(), 0);
  CHECK(qp.bytes_wrong() == 0);
  counter = static_cast<std::uint8_t>(counter + 1);
  qp.on_request(next(104).get(), 0);
  CHECK(qp.bytes_wrong() == 1);
}

TEST_CASE("receiving QP: marks cause CNPs, even on dropped packets, but not in ERR", "[receive_qp]") {
  Memory memory(4096);
  NotificationPoint np({true, CnpScope::kQp, 10});
  ReceiveQpConfig c;
  c.responder = config(Transport::kRc);
  ReceiveQp qp(c, memory.regions, &np, np.attach(IpPair{}, 5));
  const auto send = [&](Psn psn, bool marked, Time now) {
    auto p = packet(Transport::kRc, Operation::kWriteOnly, psn, 8);
    p.request.congestion_experienced = marked;
    return qp.on_request(p.get(), now).send_cnp;
  };
  CHECK_FALSE(send(100, false, 0));
  CHECK(send(101, true, 0));
  CHECK_FALSE(send(102, true, 9));
  CHECK(send(100, true, 10));  // duplicate
  CHECK(send(110, true, 20));  // out of sequence
  auto bad = packet(Transport::kRc, Operation::kSendOnly, 103, 8);
  qp.on_request(bad.get(), 25);
  CHECK_FALSE(send(104, true, 40));
  CHECK(qp.congestion_experienced() == 5);
  CHECK(np.sent() == 3);
}

TEST_CASE("receiving QP: a comparison requires a layout", "[receive_qp]") {
  Memory memory(16);
  const VectorStream stream({1, 2, 3});
  ReceiveQpConfig c;
  c.expected = &stream;
  CHECK_THROWS_AS(ReceiveQp(c, memory.regions), std::invalid_argument);
  c.expected = nullptr;
  c.numbering = MessageNumbering::kLayout;
  CHECK_THROWS_AS(ReceiveQp(c, memory.regions), std::invalid_argument);
}
