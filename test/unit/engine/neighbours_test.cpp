// SPDX-License-Identifier: BSD-3-Clause
// Tests boards that need many next hops at the same time, in virtual time.
#include "board_builder.hpp"
#include "engine/next_hops.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <memory>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using test::Wire;

namespace {

struct ManySetup {
  std::uint32_t boards = 1;
  std::uint32_t receivers = 1;  ///< number of receivers; each board has a QP to every receiver
  bool v6 = false;
  std::uint32_t absent = 0;  ///< number of receivers that do not exist; these are the first ones
};

Identity identity(bool v6, std::uint32_t n) {
  Identity id = test::identity(n, v6);
  id.prefix_length = v6 ? 64 : 8;
  return id;
}

/// Boards, and endpoints that only answer address requests.
class ManyToMany {
 public:
  static constexpr std::uint32_t kFirstReceiver = 100'000;

  explicit ManyToMany(const ManySetup& s)
      : wire(std::make_unique<Wire>(std::vector<Endpoint*>{}, 7)),
        payload_(test::FilledPayload::zeros(1024, 1024)) {
    for (std::uint32_t b = 0; b < s.boards; ++b) wire->add(*boards.emplace_back(board(s, 1 + b)));
    for (std::uint32_t r = s.absent; r < s.receivers; ++r)
      wire->add(*receivers.emplace_back(test::BoardBuilder(identity(s.v6, kFirstReceiver + r)).build()));
  }

  std::size_t unresolved() const {
    std::size_t n = 0;
    for (const auto& b : boards) {
      for (std::size_t i = 0; i < b->qp_count(); ++i) n += b->qp(i).resolved() ? 0 : 1;
    }
    return n;
  }
  bool run_until(Time limit) {
    return wire->run(limit, [this] {
      return std::all_of(boards.begin(), boards.end(), [](const auto& b) { return b->unresolved() == 0; });
    });
  }

  std::vector<std::unique_ptr<Board>> boards, receivers;
  std::unique_ptr<Wire> wire;

 private:
  std::unique_ptr<Board> board(const ManySetup& s, std::uint32_t n) const {
    test::BoardBuilder builder(identity(s.v6, n));
    for (std::uint32_t r = 0; r < s.receivers; ++r) {
      SendQpConfig& qp = builder.qp(identity(s.v6, kFirstReceiver + r), *payload_);
      qp.requester.transport = roce::Transport::kUc;
      qp.peer_mac.reset();
    }
    return builder.build();
  }

  test::FilledPayload payload_;
};

}  // namespace

TEST_CASE("queue pairs to many receivers resolve all neighbours within 10 ms", "[neighbours]") {
  const bool v6 = GENERATE(false, true);
  const auto [boards, receivers] = GENERATE(std::pair{1U, 1000U}, std::pair{300U, 2U}, std::pair{64U, 64U});
  ManyToMany m({.boards = boards, .receivers = receivers, .v6 = v6});
  CAPTURE(v6, boards, receivers);
  CHECK(m.run_until(10 * kMillisecond));
  CHECK(m.unresolved() == 0);
  // Nothing was dropped, so there was one request per address.
  for (const auto& b : m.boards) CHECK(b->host().counters().arp_requests_tx == receivers);
  for (const auto& r : m.receivers) {
    CHECK(r->host().counters().arp_replies_tx == boards);
    CHECK(r->host().counters().answers_dropped == 0);
  }
}

TEST_CASE("the time for address resolution is recorded", "[neighbours]") {
  ManyToMany m({.receivers = 100});
  CHECK(m.boards[0]->resolution_took() == kNever);
  REQUIRE(m.run_until(10 * kMillisecond));
  // The board resolves four addresses at a time. Each group of four takes two wire delays.
  CHECK(m.boards[0]->resolution_took() == 25 * 2 * m.wire->delay);
  ManyToMany statics({.receivers = 1});
  statics.boards[0]->host().neighbours().set_static(statics.receivers[0]->identity().ip, {2, 0, 0, 0, 0, 9});
  REQUIRE(statics.run_until(kMillisecond));
  CHECK(statics.boards[0]->resolution_took() == 0);
  CHECK(statics.boards[0]->host().counters().arp_requests_tx == 0);
}

TEST_CASE("every four absent receivers delay the others by 2 ms", "[neighbours]") {
  ManyToMany m({.receivers = 500, .absent = 80});
  CHECK_FALSE(m.run_until(20 * NextHops::kPatience + 10 * kMillisecond));
  CHECK(m.unresolved() == 80);
  CHECK(m.boards[0]->unresolved() == 80);
  CHECK(m.boards[0]->host().counters().arp_requests_tx == 500);
  CHECK_FALSE(m.run_until(20 * kSecond));
  CHECK(m.boards[0]->unresolved() == 80);
  CHECK(m.boards[0]->host().counters().arp_requests_tx == 420 + 80 * NextHops::kTries);
  CHECK(m.boards[0]->qp(0).requester().state() == roce::QpState::kErr);
  CHECK(m.boards[0]->qp(80).requester().state() == roce::QpState::kRts);
}

TEST_CASE("a lost request or answer is repeated a second later", "[neighbours]") {
  ManyToMany m({.boards = 10, .receivers = 100});
  m.wire->loss = (1ULL << 32) / 10;
  CHECK_FALSE(m.run_until(900 * kMillisecond));
  CHECK(m.unresolved() > 50);
  CHECK(m.unresolved() < 400);
  m.wire->loss = 0;
  CHECK(m.run_until(kSecond + 20 * kMillisecond));
}

TEST_CASE("next hops: one per address, four requested at a time", "[neighbours]") {
  NextHops hops;
  const auto give_up = [](std::uint32_t) { FAIL("given up"); };
  for (std::uint32_t i = 0; i < 20; ++i) {
    CHECK(hops.add(roce::IpAddress::from_v4(i)) == i);
    CHECK(hops.add(roce::IpAddress::from_v4(0)) == 0);
  }
  CHECK(hops.next_event(5) == 5);
  for (std::uint32_t i = 0; i < NextHops::kTogether; ++i) CHECK(hops.next_request(5) == i);
  CHECK(hops.next_request(5) == NextHops::kNone);
  CHECK(hops.next_event(5) == 5 + NextHops::kPatience);
  hops.learned(2, 6);  // after this reply, the next request may be sent
  CHECK(hops.next_request(6) == 4);
  hops.learned(19, 6);  // this address was not requested, so the reply permits no further request
  CHECK(hops.next_request(6) == NextHops::kNone);
  CHECK(hops.unknown() == 18);
  hops.advance(5 + NextHops::kPatience, give_up);
  for (std::uint32_t i = 5; i < 8; ++i) CHECK(hops.next_request(5 + NextHops::kPatience) == i);
  CHECK(hops.next_request(5 + NextHops::kPatience) == NextHops::kNone);
  CHECK(hops.find(roce::IpAddress::from_v4(7)) == 7);
  CHECK(hops.find(roce::IpAddress::from_v4(20)) == NextHops::kNone);
}
