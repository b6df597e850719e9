// SPDX-License-Identifier: BSD-3-Clause
#include "faults/fault_rules.hpp"

#include "roce/icrc.hpp"
#include "roce_frame.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::faults;

namespace {

constexpr std::uint8_t kFirst = 0x06, kMiddle = 0x07, kLast = 0x08, kOnly = 0x0a, kUcOnly = 0x2a;
constexpr roce::Qpn kQpn = 0x11;

FaultQp queue_pair(roce::Psn first_psn, std::size_t rules, roce::Qpn qpn = kQpn,
                   Direction direction = Direction::kTx) {
  FaultQp qp{*roce::IpAddress::parse("10.0.0.1"),
             *roce::IpAddress::parse("10.0.0.2"),
             qpn,
             first_psn,
             {},
             direction};
  for (std::uint32_t r = 0; r < rules; ++r) qp.rules.push_back(r);
  return qp;
}

/// Applies a list of rules to the packets of one queue pair, whose first PSN is `first_psn`.
struct Rig {
  FaultRules rules;

  Rig(const std::vector<FaultRule>& list, roce::Psn first_psn = 0)
      : rules(list, {queue_pair(first_psn, list.size(), kQpn, list.front().on.direction)}) {}

  /// Returns the indices of the rules that apply to this request.
  std::vector<std::uint32_t> request(roce::Psn psn, std::uint8_t opcode = kOnly, roce::Qpn qpn = kQpn) {
    auto frame = test::roce_frame({.qpn = qpn, .psn = psn});
    frame[42] = opcode;
    return judged(frame);
  }
  std::vector<std::uint32_t> response(roce::Psn psn, std::uint8_t syndrome, std::uint8_t opcode = 0x11) {
    auto frame = test::roce_frame({.psn = psn});
    frame[42] = opcode;
    frame[54] = syndrome;
    return judged(frame);
  }
  bool hits(roce::Psn psn, std::uint8_t opcode = kOnly) { return !request(psn, opcode).empty(); }

  std::vector<std::uint32_t> judged(const std::vector<std::uint8_t>& frame) {
    const auto at = locate_roce(frame);
    REQUIRE(at);
    std::vector<std::uint32_t> found;
    for (const RuleHit& hit : rules.judge(frame, *at).hits) {
      if (!hit.keep) found.push_back(hit.rule);
    }
    return found;
  }
};

PacketSelector at_psn(std::uint32_t n, std::uint32_t iteration = 1) {
  PacketSelector on;
  on.psn = PsnRange{true, n, n};
  on.iteration = iteration;
  return on;
}

}  // namespace

TEST_CASE("a relative PSN is hit once, at its iteration", "[faults]") {
  Rig rig({{at_psn(4), {}}, {at_psn(4, 3), {}}}, 100);
  CHECK_FALSE(rig.hits(4));
  CHECK_FALSE(rig.hits(103));
  CHECK(rig.request(104) == std::vector<std::uint32_t>{0});
  CHECK(rig.request(104, kOnly, kQpn + 1).empty());
  CHECK_FALSE(rig.hits(104));
  CHECK(rig.request(104) == std::vector<std::uint32_t>{1});
  CHECK_FALSE(rig.hits(104));
  PacketSelector any = at_psn(4);
  any.iteration.reset();
  Rig always({{any, {}}});
  for (int i = 0; i < 5; ++i) CHECK(always.hits(4));
}

TEST_CASE("ranges of PSNs wrap", "[faults]") {
  PacketSelector on;
  on.psn = PsnRange{false, 0xfffff0, 0x10};
  on.iteration = 1;
  CHECK(on.psn->size() == 0x21);
  Rig absolute({{on, {}}}, 0x123);
  for (const roce::Psn psn : {0xfffff0U, 0xffffffU, 0U, 0x10U}) {
    CHECK(absolute.hits(psn));
    CHECK_FALSE(absolute.hits(psn));
  }
  for (const roce::Psn psn : {0xffffefU, 0x11U}) CHECK_FALSE(absolute.hits(psn));
  on.psn = PsnRange{true, 1, 3};
  Rig relative({{on, {}}}, 0xfffffe);
  CHECK_FALSE(relative.hits(0xfffffe));
  CHECK(relative.hits(0xffffff));
  CHECK(relative.hits(0));
  CHECK(relative.hits(1));
  CHECK_FALSE(relative.hits(2));
}

TEST_CASE("positions count retransmissions, `every` counts what fulfils the other conditions", "[faults]") {
  PacketSelector on;
  on.packet = PositionRange{2, 3};
  Rig positions({{on, {}}});
  CHECK_FALSE(positions.hits(0));
  CHECK_FALSE(positions.hits(1));
  CHECK(positions.hits(0));
  CHECK(positions.hits(1));
  CHECK_FALSE(positions.hits(2));

  PacketSelector every;
  every.every = 3;
  every.iteration = 1;
  Rig third({{every, {}}}, 0xfffffe);
  CHECK_FALSE(third.hits(0xfffffe));
  CHECK_FALSE(third.hits(0xffffff));
  CHECK_FALSE(third.hits(0xfffffe));  // a retransmission
  CHECK(third.hits(0));
  CHECK_FALSE(third.hits(0));
  CHECK_FALSE(third.hits(1));
  CHECK_FALSE(third.hits(2));
  CHECK(third.hits(3));
}

TEST_CASE("messages and their parts are found again when they are retransmitted", "[faults]") {
  PacketSelector on;
  on.message = 1;
  const auto with = [&](MessagePart part, std::uint32_t number, std::optional<std::uint32_t> iteration) {
    PacketSelector s = on;
    s.part = part;
    s.part_number = number;
    s.iteration = iteration;
    return FaultRule{s, {}};
  };
  Rig rig({with(MessagePart::kAll, 0, 1), with(MessagePart::kFirst, 0, 2), with(MessagePart::kLast, 0, {}),
           with(MessagePart::kNumber, 1, 2)},
          0xfffffd);
  using List = std::vector<std::uint32_t>;
  CHECK(rig.request(0xfffffd, kFirst).empty());
  CHECK(rig.request(0xfffffe, kLast).empty());
  CHECK(rig.request(0xffffff, kFirst) == List{0});
  CHECK(rig.request(0, kMiddle) == List{0});
  CHECK(rig.request(1, kLast) == List{0, 2});
  CHECK(rig.request(2, kOnly).empty());
  CHECK(rig.request(0xffffff, kFirst) == List{1});
  CHECK(rig.request(0, kMiddle) == List{3});
  CHECK(rig.request(1, kLast) == List{2});
  CHECK(rig.request(2, kOnly).empty());
}

TEST_CASE("positions in a message do not depend on the opcode and the PSNs of the rule", "[faults]") {
  PacketSelector middle;
  middle.message = 1;
  middle.part = MessagePart::kNumber;
  middle.part_number = 1;
  middle.operation = roce::Operation::kWriteMiddle;
  PacketSelector last_psns = middle;
  last_psns.part_number = 3;
  last_psns.operation.reset();
  last_psns.psn = PsnRange{true, 3, 4};
  Rig rig({{middle, {}}, {last_psns, {}}});
  using List = std::vector<std::uint32_t>;
  CHECK(rig.request(0).empty());
  CHECK(rig.request(1, kFirst).empty());
  CHECK(rig.request(2, kMiddle) == List{0});
  CHECK(rig.request(3, kMiddle).empty());
  CHECK(rig.request(4, kLast) == List{1});
}

TEST_CASE("iterations include packets that `packet` and `round` exclude", "[faults]") {
  PacketSelector position;
  position.packet = PositionRange{2, 9};
  position.iteration = 2;
  PacketSelector round = at_psn(1);
  round.round = 2;
  PacketSelector first_in_positions = at_psn(0);
  first_in_positions.packet = position.packet;
  Rig rig({{position, {}}, {round, {}}, {first_in_positions, {}}});
  using List = std::vector<std::uint32_t>;
  CHECK(rig.request(0, kFirst).empty());
  CHECK(rig.request(1, kMiddle).empty());
  CHECK(rig.request(1, kMiddle) == List{0});  // rule 1 selects first transmissions; this is the second
  CHECK(rig.request(0, kFirst) == List{0});
  CHECK(rig.request(1, kMiddle).empty());  // this is the third transmission
}

TEST_CASE("rules select opcodes, rounds and counts", "[faults]") {
  PacketSelector on;
  on.operation = roce::Operation::kWriteOnly;
  on.count = 2;
  Rig opcodes({{on, {}}});
  CHECK_FALSE(opcodes.hits(0, kFirst));
  CHECK(opcodes.hits(1, kUcOnly));
  CHECK(opcodes.hits(2, kOnly));
  CHECK_FALSE(opcodes.hits(3, kOnly));
  CHECK_FALSE(opcodes.hits(4, 0x11));  // an ACK is not a request

  PacketSelector second;
  second.round = 2;
  Rig rounds({{second, {}}});
  CHECK_FALSE(rounds.hits(0, kFirst));
  CHECK_FALSE(rounds.hits(1, kMiddle));
  CHECK(rounds.hits(1, kMiddle));
  CHECK(rounds.hits(2, kMiddle));
  CHECK_FALSE(rounds.hits(2, kMiddle));
  CHECK_FALSE(rounds.hits(3, kFirst));
}

TEST_CASE("responses are selected by kind; CNPs only if named", "[faults]") {
  const auto rule = [](std::optional<ResponseKind> kind, std::optional<std::uint64_t> count = {}) {
    PacketSelector on;
    on.direction = Direction::kRx;
    on.response = kind;
    on.count = count;
    return FaultRule{on, {}};
  };
  Rig rig({rule(ResponseKind::kAck), rule(ResponseKind::kNak, 1), rule(ResponseKind::kRnr),
           rule(ResponseKind::kCnp), rule({})});
  using List = std::vector<std::uint32_t>;
  CHECK(rig.response(9, 0x1f) == List{0, 4});
  CHECK(rig.response(9, 0x60) == List{1, 4});
  CHECK(rig.response(9, 0x60) == List{4});
  CHECK(rig.response(9, 0x21) == List{2, 4});
  CHECK(rig.response(0, 0, roce::kOpcodeCnp) == List{3});
  CHECK(rig.response(0, 0, kOnly).empty());

  PacketSelector again;
  again.direction = Direction::kRx;
  again.iteration = 2;
  Rig window({{again, {}}});
  CHECK(window.response(7, 0).empty());
  CHECK(window.response(8, 0).empty());
  CHECK(window.response(7, 0) == List{0});
  CHECK(window.response(7, 0).empty());
}

TEST_CASE("actions come in their order, and rules of the other direction never apply", "[faults]") {
  const auto rule = [](ActionKind kind) { return FaultRule{{}, {.kind = kind}}; };
  FaultRule back = rule(ActionKind::kDrop);
  back.on.direction = Direction::kRx;
  Rig rig({rule(ActionKind::kDrop), rule(ActionKind::kCorrupt), rule(ActionKind::kMarkCe),
           rule(ActionKind::kCorrupt), back});
  CHECK(rig.request(0) == std::vector<std::uint32_t>{2, 1, 3, 0});
  rig.rules.applied(1);
  rig.rules.refused(3);
  CHECK(rig.rules.counters()[1].hits == 1);
  CHECK(rig.rules.counters()[3].refused == 1);
  CHECK_FALSE(FaultRules().active());
  CHECK_FALSE(FaultRules({rule(ActionKind::kDrop)}, {queue_pair(0, 1, kQpn, Direction::kRx)}).active());
}

TEST_CASE("the packet of a replay is kept when it passes", "[faults]") {
  FaultRule rule{at_psn(2), {.kind = ActionKind::kReplay, .old = {true, 0, 0}}};
  Rig rig({rule});
  const auto judge = [&](roce::Psn psn) {
    const auto frame = test::roce_frame({.psn = psn});
    return rig.rules.judge(frame, *locate_roce(frame));
  };
  REQUIRE(judge(0).hits.size() == 1);
  CHECK(judge(1).hits.empty());
  REQUIRE(judge(2).hits.size() == 1);
  CHECK_FALSE(judge(2).hits.size() == 1);
  CHECK(judge(0).hits.empty());
}

TEST_CASE("a replay never keeps a CNP, whose PSN has no meaning", "[faults]") {
  FaultRule rule{at_psn(2), {.kind = ActionKind::kReplay, .old = {true, 0, 0}}};
  rule.on.direction = Direction::kRx;
  Rig rig({rule});
  const auto keeps = [&](std::uint8_t opcode) {
    auto frame = test::roce_frame({.psn = 0});
    frame[42] = opcode;
    const auto hits = rig.rules.judge(frame, *locate_roce(frame)).hits;
    return std::any_of(hits.begin(), hits.end(), [](const RuleHit& hit) { return hit.keep; });
  };
  CHECK_FALSE(keeps(0x81));  // CNP
  CHECK(keeps(0x11));        // acknowledgement
}

TEST_CASE("many queue pairs are told apart, and the memory is known in advance", "[faults]") {
  std::vector<FaultQp> qps;
  for (roce::Qpn q = 0; q < 1000; ++q) qps.push_back(queue_pair(q, 2, q));
  PacketSelector window;
  window.iteration = 2;
  const std::vector<FaultRule> rules{{at_psn(0), {}}, {at_psn(1), {}}};
  FaultRules all(rules, qps);
  CHECK(all.states() == 2000);
  for (roce::Qpn q = 0; q < 1000; ++q) {
    const auto frame = test::roce_frame({.qpn = q, .psn = q});
    const auto judged = all.judge(frame, *locate_roce(frame));
    REQUIRE(judged.qp == q);
    REQUIRE(judged.hits.size() == 1);
  }
  const auto v6 = test::roce_frame({.ipv6 = true, .qpn = 1, .psn = 1});
  CHECK(all.judge(v6, *locate_roce(v6)).qp == FaultRules::kNone);
  CHECK(FaultRules::memory_needed(rules, qps) == 2000);
  CHECK(FaultRules::memory_needed({{window, {}}}, {queue_pair(0, 1)}) == 4 * FaultRules::kWindow);
}
