// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/worker_requests.hpp"

#include "board/payload.hpp"

#include <thread>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

/// A board and a receiver, each with a slot of the metadata bus.
struct Bench {
  std::unique_ptr<board::PayloadSource> payload = board::make_test_pattern();
  std::unique_ptr<engine::Board> board;
  std::unique_ptr<engine::Receiver> receiver;
  RequestQueue<BoardRequest> requests;

  Bench() {
    engine::BoardConfig c;
    c.identity.ip = *roce::IpAddress::parse("10.0.0.1");
    c.bus.slots = 1;
    c.bus.qp.payload = payload.get();
    board = std::make_unique<engine::Board>(c);
    engine::ReceiverConfig r;
    r.identity.ip = *roce::IpAddress::parse("10.0.0.2");
    r.slots.resize(1);
    r.slots[0].reply_path.source_ip = r.identity.ip;
    r.slots[0].reply_path.dest_ip = c.identity.ip;
    receiver = std::make_unique<engine::Receiver>(r);
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

TEST_CASE("a write is in force for reads in the same request", "[dataplane][requests]") {
  Bench b;
  BoardRequest r;
  r.board = b.board.get();
  board::Dispatch burst;
  burst.count = 7;
  r.actions = {create(5), burst};
  r.state.qps.resize(1);
  REQUIRE(b.requests.push(r));
  CHECK_FALSE(r.done);
  CHECK(b.requests.serve(3 * kSecond));
  CHECK(r.done);
  CHECK(r.state.at == 3 * kSecond);
  CHECK(r.state.qps[0].exists);
  CHECK(r.state.requests_waiting == 7);
  r.actions.clear();
  r.done = false;
  REQUIRE(b.requests.push(r));
  CHECK_FALSE(b.requests.serve(4 * kSecond));  // false, because the request only reads state
  CHECK(r.done);
}

TEST_CASE("a request for a receiver is in force when it is done", "[dataplane][requests]") {
  Bench b;
  RequestQueue<ReceiverRequest> requests;
  engine::SetReceiveQp qp;
  qp.slot = 0;
  qp.responder.qpn = 9;
  ReceiverRequest r;
  r.receiver = b.receiver.get();
  r.actions = {qp};
  CHECK(requests.empty());
  REQUIRE(requests.push(r));
  CHECK_FALSE(requests.empty());
  CHECK_FALSE(b.receiver->qp_exists(0));
  CHECK(requests.serve(0));
  CHECK(r.done);
  CHECK(b.receiver->qp_exists(0));
  r.actions = {engine::RemoveReceiveQp{0}};
  r.done = false;
  REQUIRE(requests.push(r));
  requests.serve(0);
  CHECK(r.done);
  CHECK_FALSE(b.receiver->qp_exists(0));
}

TEST_CASE("an iteration executes a bounded number in order; a full ring is reported",
          "[dataplane][requests]") {
  Bench b;
  std::vector<BoardRequest> all(RequestQueue<BoardRequest>::kCapacity + 1);
  for (BoardRequest& r : all) r.board = b.board.get();
  for (std::size_t i = 0; i < RequestQueue<BoardRequest>::kCapacity; ++i) REQUIRE(b.requests.push(all[i]));
  CHECK_FALSE(b.requests.push(all.back()));
  b.requests.serve(0);
  for (std::size_t i = 0; i < all.size(); ++i)
    REQUIRE(all[i].done == (i < RequestQueue<BoardRequest>::kPerIteration));
}

TEST_CASE("requests pass from one thread to another", "[dataplane][requests]") {
  Bench b;
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    for (Time now = 1; !stop; ++now) b.requests.serve(now);
  });
  std::uint64_t wrong = 0;
  for (roce::Qpn qpn = 1; qpn <= 2000; ++qpn) {
    BoardRequest r;
    r.board = b.board.get();
    r.actions = {create(qpn)};
    r.actions.emplace_back(board::SetQp{});
    if (qpn % 2 == 0) r.actions.pop_back();
    r.state.qps.resize(1);
    b.requests.push(r);
    while (!r.done.load(std::memory_order_acquire)) std::this_thread::yield();
    wrong += r.state.qps[0].exists != (qpn % 2 == 0);
  }
  stop = true;
  worker.join();
  CHECK(wrong == 0);
}
