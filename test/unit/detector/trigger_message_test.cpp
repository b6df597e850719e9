// SPDX-License-Identifier: BSD-3-Clause
#include "detector/trigger_message.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;

namespace {

using Datagram = std::array<std::uint8_t, kTriggerMessageSize>;

constexpr TriggerMessage kTrigger{
    EventType::kSubarray, true, 0x01020304, {0x11121314, 0x21222324}, 0x3132333435363738};
constexpr BusyMessage kBusy{142, true, 7, {1, 2}, 9};

}  // namespace

TEST_CASE("trigger messages have the specified layout", "[detector][trigger]") {
  Datagram d{};
  write_trigger_message(kTrigger, d.data());
  CHECK(d == Datagram{'S',  'F',  'T',  'R',  1, 32, 1, 0, 4,    3,    2,    1,    0x14, 0x13, 0x12, 0x11,
                      0x24, 0x23, 0x22, 0x21, 0, 0,  0, 0, 0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31});
  CHECK(read_trigger_message(d) == kTrigger);
  d[7] = 0x80;  // an undefined flag, which is ignored
  CHECK(read_trigger_message(d) == kTrigger);
  CHECK_FALSE(read_busy_message(d));
}

TEST_CASE("busy messages name the board in their flags", "[detector][trigger]") {
  Datagram d{};
  write_busy_message(kBusy, d.data());
  CHECK(d[2] == 'B');
  CHECK(d[5] == 1);
  CHECK(d[6] == 142);
  CHECK(read_busy_message(d) == kBusy);
  CHECK_FALSE(read_trigger_message(d));
  d[5] = 2;
  CHECK_FALSE(read_busy_message(d));
}

TEST_CASE("false trigger messages are refused", "[detector][trigger]") {
  Datagram good{};
  write_trigger_message(kTrigger, good.data());
  CHECK_FALSE(read_trigger_message(ByteSpan(good).first(31)));
  CHECK_FALSE(read_trigger_message({}));
  for (const std::size_t i : {0, 3, 4}) {
    Datagram d = good;
    d[i] ^= 1;
    CHECK_FALSE(read_trigger_message(d));
  }
  Datagram d = good;
  store_le32(&d[16], EventTime::kQuarters);
  CHECK_FALSE(read_trigger_message(d));
}

TEST_CASE("a board ignores old triggers and counts lost ones", "[detector][trigger]") {
  TriggerOrder order;
  CHECK(order.accept(2));
  CHECK(order.lost() == 2);
  CHECK(order.accept(3));
  CHECK_FALSE(order.accept(3));
  CHECK_FALSE(order.accept(1));
  CHECK(order.ignored() == 2);
  CHECK(order.accept(7));
  CHECK(order.lost() == 5);
}
