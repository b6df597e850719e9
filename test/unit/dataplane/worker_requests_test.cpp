// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/board_requests.hpp"

#include "board/payload.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"

#include <thread>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

/// A worker's endpoints: a board with a slot of the metadata bus, and a receiver.
struct Bench {
  std::unique_ptr<board::PayloadSource> payload = board::make_test_pattern();
  std::unique_ptr<engine::Board> board;
  engine::Receiver receiver{engine::ReceiverConfig{}};
  std::vector<engine::Endpoint*> endpoints;
  BoardRequests requests;

  Bench() {
    engine::BoardConfig c;
    c.identity.ip = *roce::IpAddress::parse("10.0.0.1");
    c.bus.slots = 1;
    c.bus.qp.payload = payload.get();
    board = std::make_unique<engine::Board>(c);
    endpoints = {&receiver, board.get()};
  }
};

board::SetQp create(roce::Qpn qpn) {
  board::SetQp a;
  a.context.state = roce::QpState::kCreate;
  a.context.qpn = qpn;
  a.context.type = 2;
  return a;
}

}  // namespace

TEST_CASE("a write is in force for reads in the same request", "[dataplane][board-requests]") {
  Bench b;
  BoardRequest r;
  r.endpoint = 1;
  board::Dispatch burst;
  burst.count = 7;
  r.actions = {create(5), burst};
  r.state.qps.resize(1);
  REQUIRE(b.requests.push(&r));
  CHECK_FALSE(r.done);
  CHECK(b.requests.serve(b.endpoints, 3 * kSecond));
  CHECK(r.done);
  CHECK(r.state.at == 3 * kSecond);
  CHECK(r.state.qps[0].exists);
  CHECK(r.state.requests_waiting == 7);
  r.actions.clear();
  r.done = false;
  REQUIRE(b.requests.push(&r));
  CHECK_FALSE(b.requests.serve(b.endpoints, 4 * kSecond));  // only reads
  CHECK(r.done);
}

TEST_CASE("requests for endpoints that are not boards complete, too", "[dataplane][board-requests]") {
  Bench b;
  for (const std::size_t endpoint : {std::size_t{0}, std::size_t{2}}) {
    BoardRequest r;
    r.endpoint = endpoint;
    r.actions = {create(5)};
    REQUIRE(b.requests.push(&r));
    CHECK_FALSE(b.requests.serve(b.endpoints, 0));
    CHECK(r.done);
  }
}

TEST_CASE("an iteration executes a bounded number in order; a full ring is reported",
          "[dataplane][board-requests]") {
  Bench b;
  std::vector<BoardRequest> all(BoardRequests::kRoom + 1);
  for (std::size_t i = 0; i < BoardRequests::kRoom; ++i) REQUIRE(b.requests.push(&all[i]));
  CHECK_FALSE(b.requests.push(&all.back()));
  b.requests.serve(b.endpoints, 0);
  for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i].done == (i < BoardRequests::kInOneTurn));
}

TEST_CASE("from one thread to another", "[dataplane][board-requests]") {
  Bench b;
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    for (Time now = 1; !stop; ++now) b.requests.serve(b.endpoints, now);
  });
  std::uint64_t wrong = 0;
  for (roce::Qpn qpn = 1; qpn <= 2000; ++qpn) {
    BoardRequest r;
    r.endpoint = 1;
    r.actions = {create(qpn)};
    r.actions.emplace_back(board::SetQp{});
    if (qpn % 2 == 0) r.actions.pop_back();
    r.state.qps.resize(1);
    b.requests.push(&r);
    while (!r.done.load(std::memory_order_acquire)) std::this_thread::yield();
    wrong += r.state.qps[0].exists != (qpn % 2 == 0);
  }
  stop = true;
  worker.join();
  CHECK(wrong == 0);
}
