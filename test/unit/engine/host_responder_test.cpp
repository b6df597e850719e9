// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host_responder.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using roce::QpState;

namespace {

struct Rig {
  static constexpr std::uint64_t kMemory = 1 << 20;

  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kMemory);
  std::uint64_t asked = 0;
  std::vector<std::string> said;
  board::DataPathState seen;
  HostResponder host{{.first_bus_qp = 3, .qps = 2, .first_slot = 10, .memory = kMemory},
                     {.memory =
                          [this](std::uint64_t bytes) {
                            asked = std::max(asked, bytes);
                            return memory.data();
                          },
                      .taken = [](roce::Qpn qpn) { return qpn == 0x800; },
                      .say = [this](const std::string& text) { said.push_back(text); }}};

  std::vector<ReceiverAction> before(const board::DataPathAction& a) { return host.before(a, seen); }

  static board::SetQp qp(std::size_t number, QpState state, roce::Qpn dest = 0x11) {
    board::SetQp a;
    a.qp = number;
    a.context.state = state;
    a.context.type = 2;
    a.context.qpn = 0x123456;
    a.context.dest_qpn = dest;
    a.context.pmtu = 4096;
    a.context.sq_psn = 0x654321;
    return a;
  }
  static board::Dispatch burst(std::uint32_t length, std::uint32_t slots, std::uint64_t address,
                               std::uint32_t rkey, bool start = true) {
    board::Dispatch a;
    a.count = 10;
    a.length = length;
    a.address_wrap_count = slots;
    a.remote_address = address;
    a.rkey = rkey;
    a.start = start;
    return a;
  }
  /// Returns the regions of the first action in `actions` that sets regions.
  static std::vector<roce::MemoryRegion> regions(const std::vector<ReceiverAction>& actions) {
    for (const ReceiverAction& a : actions) {
      if (const auto* r = std::get_if<SetReceiveRegions>(&a)) return r->regions;
    }
    return {};
  }
};

}  // namespace

TEST_CASE("a QP of the bus gets its counterpart at RTS", "[host]") {
  Rig rig;
  for (const QpState s : {QpState::kInit, QpState::kRtr}) CHECK(rig.before(Rig::qp(3, s)).empty());
  const auto made = rig.before(Rig::qp(3, QpState::kRts));
  REQUIRE(made.size() == 2);
  const auto& a = std::get<SetReceiveQp>(made[0]);
  CHECK(a.slot == 10);
  CHECK(a.responder.qpn == 0x11);
  CHECK(a.responder.dest_qpn == 0x123456);
  CHECK(a.responder.pmtu == 4096);
  CHECK(a.responder.expected_psn == 0x654321);
  CHECK(a.responder.transport == roce::Transport::kRc);
  CHECK(a.responder.receives == roce::kUnlimitedReceives);
  CHECK(a.counter_goes_on);
  CHECK(std::get<SetReceiveRegions>(made[1]).regions.empty());
  // If the state of the board's QP is reported again, the receiver keeps its QP, because packets may be in
  // flight.
  CHECK(rig.before(Rig::qp(3, QpState::kRts)).empty());
  CHECK(rig.before(Rig::qp(3, QpState::kErr)).empty());
  const auto gone = rig.before(Rig::qp(3, QpState::kReset));
  REQUIRE(gone.size() == 1);
  CHECK(std::get<RemoveReceiveQp>(gone[0]).slot == 10);
  CHECK(rig.before(Rig::qp(3, QpState::kReset)).empty());
  // Reports about the QPs of other hosts have no effect. Actions that do not concern receivers have none
  // either.
  for (const std::size_t other : {0, 2, 5}) CHECK(rig.before(Rig::qp(other, QpState::kRts)).empty());
  CHECK(rig.before(board::SetDestination{}).empty());
}

TEST_CASE("UC and the second slot", "[host]") {
  Rig rig;
  auto uc = Rig::qp(4, QpState::kRts);
  uc.context.type = 3;
  const auto made = rig.before(uc);
  REQUIRE(made.size() == 2);
  CHECK(std::get<SetReceiveQp>(made[0]).slot == 11);
  CHECK(std::get<SetReceiveQp>(made[0]).responder.transport == roce::Transport::kUc);
}

TEST_CASE("a burst's address ring becomes a region of every active QP", "[host]") {
  Rig rig;
  // The burst is started before a QP exists. The QP gets the region of this burst when it is created.
  CHECK(rig.before(Rig::burst(9000, 16, 0x7f0000001000, 5)).empty());
  const auto first = Rig::regions(rig.before(Rig::qp(3, QpState::kRts)));
  REQUIRE(first.size() == 1);
  CHECK(first[0].address == 0x7f0000001000);
  CHECK(first[0].length == 144'000);
  CHECK(first[0].rkey == 5);
  CHECK(first[0].data == rig.memory.data());
  rig.before(Rig::qp(4, QpState::kRts, 0x12));
  // With a wrap count of 0, the ring has one slot.
  const auto told = rig.before(Rig::burst(100, 0, 0x5000, 6));
  REQUIRE(told.size() == 2);
  CHECK(std::get<SetReceiveRegions>(told[0]).slot == 10);
  CHECK(std::get<SetReceiveRegions>(told[1]).slot == 11);
  const auto both = Rig::regions(told);
  REQUIRE(both.size() == 2);
  CHECK(both[1].length == 100);
  CHECK(rig.before(Rig::burst(0, 16, 0x5000, 7)).empty());
}

TEST_CASE("intermediate register values before a burst leave no regions behind", "[host]") {
  Rig rig;
  rig.before(Rig::qp(3, QpState::kRts));
  rig.before(Rig::burst(1000, 4, 0x10'0000, 5));
  rig.before(Rig::burst(2000, 4, 0x10'0000, 5, false));
  rig.before(Rig::burst(2000, 4, 0x10'0000, 6, false));
  rig.before(Rig::burst(2000, 4, 0x10'0000, 7, false));
  const auto now = Rig::regions(rig.before(Rig::burst(2000, 4, 0x9000'0000, 7)));
  REQUIRE(now.size() == 2);
  CHECK(now[0].rkey == 5);
  CHECK(now[0].length == 8000);  // two rings had rkey 5, so the region covers both
  CHECK(now[1].rkey == 7);
  CHECK(now[1].address == 0x9000'0000);
  CHECK(now[1].length == 8000);  // two rings had rkey 7, but they are too far apart for one region
}

TEST_CASE("regions are bounded, and removed with the last QP", "[host]") {
  Rig rig;
  rig.before(Rig::qp(3, QpState::kRts));
  std::vector<roce::MemoryRegion> last;
  for (std::uint32_t k = 1; k < 30; ++k) last = Rig::regions(rig.before(Rig::burst(100, 1, k * 4096, k)));
  REQUIRE(last.size() == kMaxSlotRegions);
  CHECK(last.back().rkey == 29);
  CHECK(last.front().rkey == 30 - kMaxSlotRegions);
  rig.before(Rig::qp(3, QpState::kReset));
  CHECK(Rig::regions(rig.before(Rig::qp(3, QpState::kRts))).empty());
}

TEST_CASE("a ring larger than the memory is refused and reported once", "[host]") {
  Rig rig;
  rig.before(Rig::qp(3, QpState::kRts));
  CHECK(rig.before(Rig::burst(9000, 256, 0x1000, 5, false)).empty());
  CHECK(rig.said.empty());  // no report yet, because no burst was started
  for (int i = 0; i < 3; ++i) CHECK(rig.before(Rig::burst(9000, 256, 0x1000, 5)).empty());
  REQUIRE(rig.said.size() == 1);
  CHECK(rig.said[0].find("1048576") != std::string::npos);
  CHECK(rig.before(Rig::burst(9000, 1, UINT64_MAX - 100, 5)).empty());
  CHECK(rig.said.size() == 2);
  CHECK(rig.before(Rig::burst(UINT32_MAX, UINT32_MAX, 0, 5)).empty());
  CHECK(rig.asked == 0);
  CHECK(rig.before(Rig::burst(1 << 19, 2, 0, 5)).size() == 1);
  CHECK(rig.asked == Rig::kMemory);
}

TEST_CASE("a QPN already in use is refused and reported", "[host]") {
  Rig rig;
  CHECK(rig.before(Rig::qp(3, QpState::kRts, 0x800)).empty());
  CHECK(rig.said.size() == 1);
  CHECK(rig.before(Rig::qp(4, QpState::kRts, 0x11)).size() == 2);
  CHECK(rig.before(Rig::qp(3, QpState::kErr, 0x11)).empty());
  CHECK(rig.before(Rig::qp(3, QpState::kRts, 0x11)).empty());
  CHECK(rig.said.size() == 2);
}

TEST_CASE("the byte counter continues unless a burst was cut off", "[host]") {
  Rig rig;
  const auto again = [&rig] {
    rig.before(Rig::qp(3, QpState::kReset));
    return std::get<SetReceiveQp>(rig.before(Rig::qp(3, QpState::kRts)).at(0)).counter_goes_on;
  };
  CHECK(again());
  rig.seen.completions_ok = 100;
  CHECK(again());
  rig.seen.completions_failed = 3;
  CHECK_FALSE(again());
  CHECK(again());
  rig.seen.completions_failed = 0;  // the counter is 0, as after a write to ResetCounters
  CHECK(again());
  rig.seen.completions_failed = 1;
  CHECK_FALSE(again());
  const auto gone = rig.before(board::SoftReset{});
  REQUIRE(gone.size() == 1);
  CHECK(std::get<RemoveReceiveQp>(gone[0]).slot == 10);
  CHECK_FALSE(again());
  CHECK(again());
}
