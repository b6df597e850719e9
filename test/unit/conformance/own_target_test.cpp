// SPDX-License-Identifier: BSD-3-Clause
// Tests the requests to softfeb's own receiver.
#include "conformance/own_target.hpp"

#include "conformance/virtual_run.hpp"
#include "roce/icrc.hpp"

#include <set>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Matchers::Contains;

namespace {

/// softfeb's own receiver, with the requests that the tests make.
struct Own {
  OwnTargetConfig addresses = virtual_addresses();
  OwnTarget target{addresses};

  TargetReply open(QpSpec spec = {}, std::optional<roce::IpAddress> requester = std::nullopt) {
    return target.answer(OpenRequest{.spec = spec,
                                     .psn = 7,
                                     .requester_qp = 0x55,
                                     .requester_ip = requester.value_or(addresses.requesters.front())});
  }
  TargetState state(roce::Qpn qp) { return target.answer(StateRequest{qp}).state; }
  std::string refusal(const TargetRequest& request) {
    return target.answer(request).error.value_or("accepted");
  }

  /// Sends the packets of `text` to the queue pair and returns the answers.
  std::vector<Answer> send(const TargetReply& qp, const std::string& text) {
    Prober board({.mac = {2, 0, 0, 0, 0, 1}, .ip = addresses.requesters.front(), .prefix_length = 24});
    VirtualWire wire(kMicrosecond);
    wire.add(target.receiver());
    wire.add(board);
    Script script({.path = {.source_mac = {2, 0, 0, 0, 0, 1},
                            .dest_mac = addresses.identity.mac,
                            .source_ip = addresses.requesters.front(),
                            .dest_ip = addresses.identity.ip},
                   .dest_qp = qp.qp,
                   .first_psn = 7,
                   .regions = target.regions()});
    board.resolve(addresses.identity.ip);
    for (Time end = now + kMillisecond; now < end; now += kMicrosecond) wire.run(now);
    for (const PacketSpec& spec : parse_packets(text)) board.send(script.make(spec).frames.front());
    for (Time end = now + kMillisecond; now < end; now += kMicrosecond) wire.run(now);
    return board.take_answers();
  }
  Time now = 0;
};

}  // namespace

TEST_CASE("the own receiver tells what it can do", "[own]") {
  Own own;
  const Capabilities c = own.target.capabilities();
  CHECK(c.memory);
  CHECK(c.receives);
  CHECK(c.states);
  CHECK(c.counters);
  CHECK(c.v6);
  CHECK(c.two_ips);
  CHECK_FALSE(c.reads);
  CHECK_FALSE(c.atomics);
  CHECK_FALSE(c.sends);
  CHECK(c.region_size == Script::kRegionSize);
  CHECK(own.target.device().ip == own.addresses.identity.ip);
  CHECK(own.target.regions().size() == 4);
  OwnTargetConfig plain = own.addresses;
  plain.v6_identity.reset();
  plain.requesters.resize(1);
  OwnTarget one(plain);
  CHECK_FALSE(one.capabilities().v6);
  CHECK_FALSE(one.capabilities().two_ips);
  CHECK(one.v6_receiver() == nullptr);
}

TEST_CASE("queue pairs are opened and closed", "[own]") {
  Own own;
  const TargetReply first = own.open(), second = own.open();
  CHECK_FALSE(first.error);
  CHECK(first.qp != second.qp);
  CHECK(own.state(first.qp) == TargetState::kRts);
  CHECK(own.refusal(CloseRequest{first.qp}) == "accepted");
  CHECK(own.refusal(CloseRequest{first.qp}) == "there is no such queue pair");
  CHECK(own.state(second.qp) == TargetState::kRts);
  CHECK_FALSE(own.open({}, own.addresses.requesters[1]).error);
  CHECK_FALSE(own.open({}, own.addresses.v6_requester).error);
  CHECK_THAT(own.open({}, roce::IpAddress::parse("10.0.0.99")).error.value_or(""),
             Contains("does not know the requester 10.0.0.99"));
}

TEST_CASE("at most as many queue pairs are open as there are slots", "[own]") {
  Own own;
  std::set<roce::Qpn> qpns;
  for (std::uint32_t k = 0; k < own.addresses.slots; ++k) qpns.insert(own.open().qp);
  CHECK(qpns.size() == own.addresses.slots);
  CHECK(own.open().error == "too many queue pairs are open");
  CHECK_FALSE(own.open({}, own.addresses.requesters[1]).error);  // the second address has slots of its own
  CHECK(own.refusal(CloseRequest{*qpns.begin()}) == "accepted");
  CHECK_FALSE(own.open().error);
}

TEST_CASE("requests for a queue pair that does not exist are refused", "[own]") {
  Own own;
  const TargetRequest requests[] = {CloseRequest{9}, ModifyRequest{9, TargetState::kRtr}, StateRequest{9},
                                    ReceiveRequest{9, 1}, EventRequest{9}};
  for (const TargetRequest& request : requests) CHECK(own.refusal(request) == "there is no such queue pair");
}

TEST_CASE("a WRITE is in memory, and memory is read, filled and summed", "[own]") {
  Own own;
  const TargetReply qp = own.open();
  const auto answers = own.send(qp, "O(e,8,fill=0x5a)!");
  REQUIRE(answers.size() == 1);
  CHECK(answers.front().is_ack());
  CHECK(answers.front().psn == 7);
  CHECK(answers.front().source_ip == own.addresses.identity.ip);
  const auto read = [&](std::uint64_t offset, std::uint64_t length) {
    return own.target.answer(ReadRequest{.region = 0, .offset = offset, .length = length});
  };
  const std::vector<std::uint8_t> written(8, 0x5a);
  CHECK(read(Script::kMargin, 8).bytes == written);
  CHECK(read(Script::kMargin - 1, 1).bytes.front() == kGuard);
  CHECK(own.target.answer(CrcRequest{.region = 0, .offset = Script::kMargin, .length = 8}).crc ==
        roce::crc32(0, ByteSpan(written)));
  own.target.answer(FillRequest{});
  CHECK(read(Script::kMargin, 1).bytes.front() == kGuard);
  CHECK(read(Script::kRegionSize, 0).bytes.empty());
}

TEST_CASE("memory outside the region is refused", "[own]") {
  Own own;
  struct Row {
    std::uint32_t region;
    std::uint64_t offset, length;
  };
  for (const Row r : {Row{1, 0, 8}, Row{0, Script::kRegionSize, 1}, Row{0, Script::kRegionSize - 7, 8},
                      Row{0, UINT64_MAX, 1}, Row{0, 8, UINT64_MAX}, Row{0, UINT64_MAX, UINT64_MAX}}) {
    CHECK(own.refusal(ReadRequest{r.region, r.offset, r.length}) == "the range is outside of the region");
    CHECK(own.refusal(CrcRequest{r.region, r.offset, r.length}) == "the range is outside of the region");
  }
}

TEST_CASE("an immediate consumes a receive and is a completion", "[own]") {
  Own own;
  const TargetReply qp = own.open({.receives = 1, .rnr_timer = 5});
  auto answers = own.send(qp, "OI(e,8,imm=0x1234,se)! OI(e+1,8,imm=1)!");
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].is_ack());
  CHECK(answers[1].aeth->syndrome == (0x20 | 5));
  auto completions = own.target.answer(CompletionsRequest{}).completions;
  REQUIRE(completions.size() == 1);
  CHECK(completions[0].qp == qp.qp);
  CHECK(completions[0].success);
  CHECK(completions[0].length == 8);
  CHECK(completions[0].immediate == 0x1234U);
  CHECK(own.target.answer(CompletionsRequest{}).completions.empty());
  CHECK(own.target.answer(EventRequest{qp.qp}).event);
  own.target.answer(ReceiveRequest{qp.qp, 3});
  answers = own.send(qp, "OI(e+1,0,imm=2)!");
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].is_ack());
  // When the queue pair enters the error state, the remaining receives are flushed. Each is reported once.
  own.target.answer(CompletionsRequest{});
  own.target.answer(ModifyRequest{qp.qp, TargetState::kError});
  completions = own.target.answer(CompletionsRequest{}).completions;
  REQUIRE(completions.size() == 2);
  CHECK_FALSE(completions[0].success);
  CHECK(own.target.answer(CompletionsRequest{}).completions.empty());
}

TEST_CASE("an event is raised for solicited messages alone", "[own]") {
  Own own;
  const TargetReply qp = own.open({.receives = 2});
  own.send(qp, "OI(e,0)!");
  CHECK_FALSE(own.target.answer(EventRequest{qp.qp}).event);
  own.send(qp, "OI(e+1,0,se)!");
  CHECK(own.target.answer(EventRequest{qp.qp}).event);
}

TEST_CASE("the states of a queue pair", "[own]") {
  Own own;
  const TargetReply qp = own.open({.state = TargetState::kInit});
  CHECK(own.state(qp.qp) == TargetState::kInit);
  CHECK(own.send(qp, "O(e,8)!").empty());
  own.target.answer(ModifyRequest{qp.qp, TargetState::kRtr});
  CHECK(own.state(qp.qp) == TargetState::kRtr);
  CHECK(own.send(qp, "O(e,8)!").size() == 1);
  own.target.answer(ModifyRequest{qp.qp, TargetState::kRts});
  CHECK(own.state(qp.qp) == TargetState::kRts);
  own.target.answer(ModifyRequest{qp.qp, TargetState::kError});
  CHECK(own.state(qp.qp) == TargetState::kError);
  CHECK(own.send(qp, "O(e+1,8)!").empty());
  // An invalid request also moves its queue pair to the error state.
  const TargetReply other = own.open();
  CHECK(own.send(other, "O(e,8,rkey=1)!").front().aeth->syndrome == 0x62);
  CHECK(own.state(other.qp) == TargetState::kError);
}

TEST_CASE("a queue pair in INIT can be moved to the error state", "[own]") {
  Own own;
  const TargetReply qp = own.open({.receives = 2, .state = TargetState::kInit});
  own.target.answer(ModifyRequest{qp.qp, TargetState::kError});
  CHECK(own.state(qp.qp) == TargetState::kError);
  CHECK(own.target.answer(CompletionsRequest{}).completions.size() == 2);
  CHECK(own.send(qp, "O(e,8)!").empty());
}

TEST_CASE("a queue pair without write access refuses WRITEs", "[own]") {
  Own own;
  const TargetReply qp = own.open({.remote_write = false});
  const auto answers = own.send(qp, "O(e,8)!");
  REQUIRE(answers.size() == 1);
  CHECK_FALSE(answers.front().is_ack());
}

TEST_CASE("the counters of the own receiver", "[own]") {
  Own own;
  const TargetReply qp = own.open();
  const auto counters = [&] { return own.target.answer(CountersRequest{}).counters; };
  CHECK(counters().at("icrc_errors") == 0);
  own.send(qp, "O(e,8)! O(e,8)! O(e+2,8)! O(e+1,8,icrc=^1)! O(e+1,8,ecn=ce)!");
  const auto after = counters();
  CHECK(after.at("icrc_errors") == 1);
  CHECK(after.at("duplicate_requests") == 1);
  CHECK(after.at("out_of_sequence") == 1);
  CHECK(after.at("ce_marked") == 1);
  CHECK(after.at("cnps_sent") == 1);
  CHECK(after.at("rnr_naks_sent") == 0);
}
