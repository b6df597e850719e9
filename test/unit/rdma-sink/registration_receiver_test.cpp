// SPDX-License-Identifier: BSD-3-Clause
#include "registration_receiver.hpp"

#include "roce/transfer_immediate.hpp"
#include "shares.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sink;
using Catch::Contains;

namespace {

Hello transfers_of(std::uint32_t segments) {
  Hello hello;
  hello.message_size = 1000;
  hello.immediate = {ImmediateRule::Kind::kTransfer, 0, segments};
  hello.qps.resize(2);
  return hello;
}

std::uint32_t immediate(std::uint32_t op, std::uint32_t count, std::uint32_t index) {
  return roce::TransferImmediate{op, count, index}.encode();
}

}  // namespace

TEST_CASE("complete transfers are notified and reported", "[rdma-sink]") {
  RegistrationReceiver receiver({}, transfers_of(3), 4);
  for (std::uint32_t op = 0; op < 30; ++op) {
    for (const std::uint32_t index : {2U, 0U, 1U})
      receiver.on_message((op + 1) * kMicrosecond, immediate(op, 3, index), index == 2 ? 500 : 1000);
  }
  receiver.finish(kMillisecond, 90);
  CHECK(receiver.problems().empty());
  const nlohmann::json report = receiver.report();
  CHECK(report["complete"] == 30);
  CHECK(report["notifications"]["count"] == 30);
  CHECK(report["notifications"]["first"].size() == 20);
  CHECK(report["notifications"]["first"][1] == nlohmann::json{{"op", 1}, {"bytes", 2500}, {"at_us", 2.0}});
  CHECK(report["escaped"] == 30);
  CHECK(report["mask_bits"] == 32);
  CHECK(report["bytes"] == 30 * 2500);
}

TEST_CASE("incomplete transfers are reported with their masks", "[rdma-sink]") {
  RegistrationOptions options;
  options.entry_timeout_us = 100;
  RegistrationReceiver receiver(options, transfers_of(8), 4);
  receiver.on_message(0, immediate(0, 8, 0), 1000);
  receiver.on_message(kMicrosecond, immediate(0, 8, 3), 1000);
  receiver.advance(200 * kMicrosecond);
  receiver.on_message(300 * kMicrosecond, immediate(1, 8, 0), 1000);
  receiver.finish(301 * kMicrosecond, 24);
  const nlohmann::json report = receiver.report();
  REQUIRE(report["incomplete"].size() == 2);
  CHECK(report["incomplete"][0] == nlohmann::json{{"op", 0},
                                                  {"status", "abandoned"},
                                                  {"at_us", 100.0},
                                                  {"segments", 8},
                                                  {"missing", 6},
                                                  {"mask", "ffffff09"}});
  CHECK(report["incomplete"][1]["status"] == "open");
  CHECK(report["incomplete"][1]["mask"] == "ffffff01");
  CHECK_THAT(receiver.problems().at(0), Contains("3 of 3 transfers"));
}

TEST_CASE("messages that contradict their transfer are a problem", "[rdma-sink]") {
  RegistrationReceiver receiver({}, transfers_of(2), 4);
  receiver.on_message(0, immediate(0, 2, 0), 1000);
  receiver.on_message(1, immediate(0, 5, 0), 1000);  // more segments than the client has announced
  receiver.on_message(2, immediate(0, 2, 1), 1000);
  receiver.finish(3, std::nullopt);
  CHECK(receiver.notifications() == 1);
  CHECK(receiver.report()["wrong_immediate"] == 1);
  CHECK_THAT(receiver.problems().at(0), Contains("1 messages contradict"));
}

TEST_CASE("queue pairs share the memory of the transfers", "[rdma-sink]") {
  constexpr DeviceLimits kDevice{.max_cqe = 32767, .max_qp_wr = 1024};
  Options options;
  options.memory = 1U << 20;
  Hello hello = transfers_of(5);
  hello.slots = 3;
  const Shares s = share_out_transfers(options, hello, kDevice);
  CHECK(s.slots == 3);
  CHECK(s.length * 2 >= 3 * 5 * 1000);
  CHECK_FALSE(s.live);
  hello.slots = 0;
  CHECK(share_out_transfers(options, hello, kDevice).slots == (1U << 20) / 5000);
  hello.slots = 1000;
  CHECK_THROWS_WITH(share_out_transfers(options, hello, kDevice), Contains("--memory 5000000"));
  hello.immediate.kind = ImmediateRule::Kind::kCounter;
  CHECK_THROWS_WITH(share_out_transfers(options, hello, kDevice), Contains("without --registration"));
}
