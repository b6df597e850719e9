// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/flight_log.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Contains;

namespace {

constexpr roce::Psn kFirst = 0xffffff;  // the PSN wraps after the first packet
constexpr std::uint32_t kMtu = 1'024;

Answer response(std::uint8_t syndrome, roce::Psn psn, std::uint32_t msn) {
  Answer out;
  out.opcode = roce::kOpcodeRcAck;
  out.psn = psn;
  out.aeth = roce::Aeth{.syndrome = syndrome, .msn = msn};
  return out;
}
Answer response_ack(roce::Psn psn, std::uint32_t msn) { return response(roce::Aeth::kNoCredits, psn, msn); }
Answer response_nak(std::uint8_t syndrome, roce::Psn psn, std::uint32_t msn) {
  return response(syndrome, psn, msn);
}

/// Returns a log with three packets of the first message and one packet of the second.
FlightLog two_messages() {
  FlightLog log(kFirst, 16);
  log.sent(0xffffff, 4'096, kMtu, false);
  log.sent(0, std::nullopt, kMtu, false);
  log.sent(1, std::nullopt, 100, true);
  log.sent(2, 65'536, 8, true);
  return log;
}

}  // namespace

TEST_CASE("the payload of a packet follows that of its predecessor", "[flight]") {
  FlightLog log(kFirst, 16);
  CHECK(log.sent(0xffffff, 4'096, kMtu, false) == 4'096);
  CHECK(log.sent(0, std::nullopt, kMtu, false) == 4'096 + kMtu);
  CHECK(log.sent(0xffffff, 4'096, kMtu, false) == std::nullopt);  // a retransmission
  CHECK(log.sent(0, std::nullopt, kMtu, false) == std::nullopt);
  CHECK(log.sent(1, std::nullopt, 100, true) == 4'096 + 2 * kMtu);
  CHECK(log.sent(2, 0, 8, true) == 0);
  CHECK(log.messages() == 2);
}

TEST_CASE("the MSN of an ACK is the number of messages up to its PSN", "[flight]") {
  FlightLog log = two_messages();
  CHECK(log.answer(response_ack(0xffffff, 0)).empty());
  CHECK(log.answer(response_ack(1, 1)).empty());
  CHECK(log.answer(response_ack(2, 2)).empty());
  CHECK_THAT(log.answer(response_ack(1, 2)), Contains("has MSN 2 instead of 1"));
  CHECK_THAT(log.answer(response_ack(0, 1)), Contains("has MSN 1 instead of 0"));
}

TEST_CASE("an acknowledgement of a packet that was not sent is wrong", "[flight]") {
  FlightLog log = two_messages();
  CHECK_THAT(log.answer(response_ack(3, 2)), Contains("that was not sent"));
  CHECK_THAT(log.answer(response_nak(0x60, 3, 2)), Contains("that was not sent"));
}

TEST_CASE("a gap is reported once, until its packet has come", "[flight]") {
  FlightLog log = two_messages();
  CHECK(log.answer(response_nak(0x60, 0, 0)).empty());
  CHECK_THAT(log.answer(response_nak(0x60, 0, 0)), Contains("second NAK 0x60"));
  log.delivered(0);
  CHECK(log.answer(response_nak(0x60, 0, 0)).empty());
  CHECK(log.answer(response_nak(0x60, 1, 0)).empty());  // reports another gap
}

TEST_CASE("packets behind a refused one may be reported again", "[flight]") {
  FlightLog log = two_messages();
  CHECK(log.answer(response_nak(0x60, 0, 0)).empty());
  CHECK(log.answer(response_nak(0x2c, 0, 0)).empty());
  CHECK(log.answer(response_nak(0x60, 0, 0)).empty());
}

TEST_CASE("packets are counted in the order in which they are delivered", "[flight]") {
  FlightLog log = two_messages();
  log.delivered(0xffffff);
  log.delivered(1);
  log.delivered(2);
  log.delivered(0);
  log.delivered(0xffffff);
  CHECK(log.out_of_sequence() == 2);
  CHECK(log.duplicates() == 1);
}

TEST_CASE("packets that were sent long ago are not judged", "[flight]") {
  FlightLog log(0, 2);
  for (roce::Psn psn = 0; psn < 100; ++psn) log.sent(psn, 0, 8, true);
  CHECK(log.answer(response_ack(3, 99)).empty());
  CHECK_THAT(log.answer(response_ack(98, 98)), Contains("has MSN 98 instead of 99"));
}
