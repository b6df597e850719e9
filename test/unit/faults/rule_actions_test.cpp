// SPDX-License-Identifier: BSD-3-Clause
#include "faults/rule_actions.hpp"

#include "roce_frame.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::faults;

namespace {

using HeapFrame = std::vector<std::uint8_t>;

/// Packets on the heap. At most `limit` of them exist at a time.
struct HeapPackets {
  using Packet = HeapFrame*;

  std::size_t limit = SIZE_MAX;
  std::size_t exist = 0;
  bool may_hold = true;
  bool may_write = true;

  HeapFrame* make(const HeapFrame& bytes) {
    if (exist >= limit) return nullptr;
    ++exist;
    return new HeapFrame(bytes);
  }
  HeapFrame* copy(const HeapFrame* packet) { return make(*packet); }
  MutableByteSpan writable(HeapFrame* packet) const {
    return may_write ? MutableByteSpan(*packet) : MutableByteSpan();
  }
  static void edited(HeapFrame* packet, std::size_t size) { packet->resize(size); }
  bool prepare_hold(const HeapFrame*) const { return may_hold; }
  void release(HeapFrame* packet) {
    --exist;
    delete packet;
  }
};

/// Records the PSNs of the packets that leave.
struct Exit {
  HeapPackets& packets;
  std::size_t places = SIZE_MAX;
  bool forwards = true;  ///< if false, forward() loses each packet, like a random loss
  std::vector<roce::Psn> out = {};
  std::vector<HeapFrame> frames = {};

  bool room() const { return places != 0; }
  bool forward(HeapFrame* packet) {
    if (forwards) return put(packet), true;
    return packets.release(packet), false;
  }
  void drop(HeapFrame* packet) const { packets.release(packet); }
  void add_copy(HeapFrame* packet) { add_held(packet); }
  void add_held(HeapFrame* packet) {
    --places;
    put(packet);
  }
  void put(HeapFrame* packet) {
    const auto at = locate_roce(*packet);
    out.push_back(at ? at->psn : UINT32_MAX);
    frames.push_back(*packet);
    packets.release(packet);
  }
};

struct ActionRig {
  HeapPackets packets;
  Exit exit{packets};
  std::unique_ptr<RuleActions<HeapPackets>> actions;

  explicit ActionRig(const std::vector<FaultRule>& rules, const HoldLimits& limits = {},
                     std::uint32_t qps = 1) {
    std::vector<FaultQp> all;
    for (std::uint32_t q = 0; q < qps; ++q) {
      all.push_back({*roce::IpAddress::parse("10.0.0.1"), *roce::IpAddress::parse("10.0.0.2"), 1 + q, 0, {}});
      for (std::uint32_t r = 0; r < rules.size(); ++r) all.back().rules.push_back(r);
    }
    actions = std::make_unique<RuleActions<HeapPackets>>(packets, FaultRules(rules, all), limits);
  }

  void send(roce::Psn psn, Time now = 1, roce::Qpn qpn = 1) {
    HeapFrame* const packet = packets.make(test::roce_frame({.qpn = qpn, .psn = psn}));
    const auto at = locate_roce(*packet);
    const auto judged = actions->judge(*packet, *at);
    if (judged.qp == FaultRules::kNone) {
      exit.forward(packet);
    } else {
      actions->apply(packet, *at, judged, exit, now);
    }
  }
  void send_all(std::initializer_list<roce::Psn> psns) {
    for (const roce::Psn psn : psns) send(psn);
  }
  const RuleCounters& counters(std::size_t rule) const { return actions->counters()[rule]; }
};

FaultRule action_rule(roce::Psn psn, const FaultAction& action) {
  FaultRule r;
  r.on.psn = PsnRange{false, psn, psn};
  r.action = action;
  return r;
}

using PsnList = std::vector<roce::Psn>;
constexpr FaultAction kDropIt{.kind = ActionKind::kDrop};
constexpr FaultAction kTwice{.kind = ActionKind::kDuplicate, .value = 2};

FaultAction delayed(Time by) { return {.kind = ActionKind::kDelay, .delay = by}; }
FaultAction behind(std::uint32_t n) { return {.kind = ActionKind::kReorder, .value = n}; }

}  // namespace

TEST_CASE("a reordered packet leaves behind those that overtake it, or after the longest hold", "[faults]") {
  ActionRig rig({action_rule(1, behind(2)), action_rule(2, behind(1))}, {4, 100}, 2);
  rig.send(0, 10);
  rig.send(1, 20);
  rig.send(7, 20, 2);  // a packet of another queue pair
  CHECK(rig.exit.out == PsnList{0, 7});
  CHECK(rig.actions->held() == 1);
  CHECK(rig.actions->next_due() == 120);
  rig.send(2, 30);  // is held as well, so it does not overtake packet 1
  CHECK(rig.actions->held() == 2);
  rig.send(3, 40);
  CHECK(rig.exit.out == PsnList{0, 7, 3, 2});
  rig.actions->release_due(rig.exit, 119);
  CHECK(rig.exit.out.size() == 4);
  rig.send(4, 119);
  CHECK(rig.exit.out == PsnList{0, 7, 3, 2, 4, 1});
  CHECK(rig.actions->next_due() == kNever);
  rig.send(1, 200);
  CHECK(rig.actions->take_due(299) == nullptr);
  HeapFrame* const late = rig.actions->take_due(300);
  REQUIRE(late != nullptr);
  CHECK(locate_roce(*late)->psn == 1);
  rig.packets.release(late);
}

TEST_CASE("packets that are due at a time leave only when they are asked for", "[faults]") {
  ActionRig rig({action_rule(1, delayed(50)), action_rule(2, delayed(10)), action_rule(3, behind(1))});
  rig.send(1, 100);
  rig.send(2, 100);
  rig.send(3, 100);
  // Packet 4 overtakes packet 3 and therefore releases it. Packets 1 and 2 are due, but stay until
  // release_due() is called.
  rig.send(4, 1000);
  CHECK(rig.exit.out == PsnList{4, 3});
  CHECK(rig.actions->next_due() == 110);
  rig.actions->release_due(rig.exit, 1000);
  CHECK(rig.exit.out == PsnList{4, 3, 2, 1});
}

TEST_CASE("copies, replays and held packets wait for room, or are refused", "[faults]") {
  ActionRig rig({action_rule(1, kTwice), action_rule(2, behind(1)),
                 action_rule(4, {.kind = ActionKind::kReplay, .old = {false, 0, 0}})});
  rig.exit.places = 1;
  rig.send_all({0, 1});
  CHECK(rig.exit.out == PsnList{0, 1, 1});
  CHECK((rig.counters(0).hits == 0 && rig.counters(0).refused == 1));
  rig.send_all({2, 3});
  CHECK(rig.exit.out == PsnList{0, 1, 1, 3});
  CHECK(rig.actions->next_due() == 0);
  rig.send(4);
  CHECK(rig.counters(2).refused == 1);
  rig.exit.places = 8;
  rig.send(4);
  CHECK(rig.exit.out == PsnList{0, 1, 1, 3, 4, 4, 2, 0});
  CHECK(rig.counters(2).hits == 1);
}

TEST_CASE("a packet is held once; one that is dropped is neither held nor repeated", "[faults]") {
  ActionRig twice({action_rule(0, delayed(50)), action_rule(0, behind(1))});
  twice.send(0);
  CHECK(twice.actions->held() == 1);
  // Both rules would hold the packet. `reorder` is carried out first, so `delay` is refused.
  CHECK((twice.counters(0).refused == 1 && twice.counters(1).hits == 1));

  ActionRig dropped({action_rule(0, delayed(50)), action_rule(0, behind(1)), action_rule(0, kTwice),
                     action_rule(0, kDropIt),
                     action_rule(0, {.kind = ActionKind::kReplay, .old = {false, 0, 0}})});
  dropped.send(0);
  CHECK(dropped.actions->held() == 0);
  for (const std::size_t r : {0U, 1U, 2U})
    CHECK((dropped.counters(r).hits == 0 && dropped.counters(r).refused == 1));
  CHECK(dropped.counters(3).hits == 1);
  CHECK(dropped.exit.out == PsnList{0});  // the replayed packet
}

TEST_CASE("copies of a held packet leave at once and overtake nothing", "[faults]") {
  ActionRig rig({action_rule(0, behind(1)), action_rule(1, behind(1)), action_rule(1, kTwice)});
  rig.send_all({0, 1});
  CHECK(rig.exit.out == PsnList{1, 1});
  CHECK(rig.actions->held() == 2);
}

TEST_CASE("a packet that is lost at random overtakes nothing, its copies do", "[faults]") {
  ActionRig rig({action_rule(0, behind(1)), action_rule(2, kTwice)});
  rig.exit.forwards = false;
  rig.send_all({0, 1});
  CHECK(rig.actions->held() == 1);
  rig.send(2);
  CHECK(rig.exit.out == PsnList{2, 2, 0});
}

TEST_CASE("edits apply before copies are made, and replays repeat the packet as it was", "[faults]") {
  FaultAction flip{.kind = ActionKind::kCorrupt, .target = CorruptTarget::kPayload, .mask = 0xff};
  ActionRig rig({action_rule(0, kTwice), action_rule(0, flip),
                 action_rule(0, {.kind = ActionKind::kTruncate, .value = 4}),
                 action_rule(1, {.kind = ActionKind::kReplay, .old = {false, 0, 0}})});
  const HeapFrame whole = test::roce_frame({.qpn = 1});
  rig.send_all({0, 1});
  REQUIRE(rig.exit.frames.size() == 5);
  HeapFrame changed = whole;
  changed[14 + 20 + 8 + 12 + 16] ^= 0xff;
  changed.resize(changed.size() - 4);
  for (std::size_t i = 0; i < 3; ++i) CHECK(rig.exit.frames[i] == changed);
  CHECK(rig.exit.frames[4] == whole);
}

TEST_CASE("actions without memory are refused", "[faults]") {
  ActionRig rig({action_rule(0, {.kind = ActionKind::kMarkCe}), action_rule(1, delayed(50)),
                 action_rule(2, kTwice),
                 action_rule(3, {.kind = ActionKind::kReplay, .old = {false, 0, 0}})});
  rig.packets.limit = 1;
  rig.packets.may_hold = rig.packets.may_write = false;
  rig.send_all({0, 1, 2, 3});
  CHECK(rig.exit.out == PsnList{0, 1, 2, 3});
  for (std::size_t r = 0; r < 4; ++r) CHECK((rig.counters(r).hits == 0 && rig.counters(r).refused == 1));
}

TEST_CASE("the store is limited, and releases its packets when it is destroyed", "[faults]") {
  ActionRig rig({action_rule(0, delayed(50)), action_rule(1, delayed(50)),
                 action_rule(9, {.kind = ActionKind::kReplay, .old = {false, 0, 0}}),
                 action_rule(9, {.kind = ActionKind::kReplay, .old = {false, 1, 1}})},
                {2, 100});
  rig.send_all({0, 1, 9});
  // One packet is kept and one is held.
  CHECK(rig.packets.exist == 2);
  CHECK((rig.counters(0).hits == 1 && rig.counters(1).refused == 1));
  CHECK((rig.counters(2).hits == 1 && rig.counters(3).refused == 1));
  CHECK(rig.exit.out == PsnList{1, 9, 0});
  rig.actions.reset();
  CHECK(rig.packets.exist == 0);
}
