// SPDX-License-Identifier: BSD-3-Clause
// Tests accesses to a board's registers. The test plays the part of the workers.
#include "slowcontrol/register_bus.hpp"

#include "board/metadata_codec.hpp"
#include "board/payload.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::slowcontrol;
using roce::QpState;

namespace {

constexpr std::uint32_t kScratch = 0x8001'0000;  // AppMem: not part of the data path
constexpr std::uint32_t kSuccess = 0x8003'0f00;  // RoceChecker.SuccessCounter: part of the data path
constexpr std::uint32_t kControl = 0x0015'0f00, kTx = 0x0015'0f04;
constexpr std::uint32_t kCloseConn = 0x0012'0000;
constexpr std::uint32_t kPd = 0x128aeb;
constexpr roce::Qpn kHostQpn = 0x11;

board::QpRequest request_for(board::QpVerb verb, QpState state) {
  return {.verb = verb,
          .pd_handler = kPd,
          .qpn = kPd,
          .mask = 0x3ff'ffff,
          .qp = {.state = static_cast<std::uint8_t>(state),
                 .pmtu = 1,
                 .sq_psn = 0x654321,
                 .dest_qpn = kHostQpn,
                 .type = 2}};
}

/// A board with one slot of the metadata bus, a receiver that acts as the host, and the register bus, which
/// passes requests to the workers of the board and of the receiver.
struct BusRig {
  std::unique_ptr<board::PayloadSource> payload = board::make_test_pattern();
  std::unique_ptr<engine::Board> board;
  std::unique_ptr<engine::Receiver> receiver;
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(4096);
  engine::HostResponder responder;
  board::BoardRegisters registers{board::BoardRegistersConfig{}};
  std::deque<dataplane::BoardRequest*> for_board;
  std::deque<dataplane::ReceiverRequest*> for_receiver;
  bool full = false;                  ///< whether the workers' queues accept no requests
  std::vector<std::string> served;    ///< names of the workers that have served requests, in order
  std::vector<RegisterBus*> waiting;  ///< buses that have reported that an access is waiting
  std::size_t inspected = 0;          ///< number of actions that the observer has seen
  std::size_t writes = 0;             ///< number of writes reported as completed
  Time now = kMillisecond;
  RegisterBus bus;

  explicit BusRig(bool host = false)
      : responder({.memory = 4096}, {.memory = [this](std::uint64_t) { return memory.data(); },
                                     .taken = [](roce::Qpn) { return false; },
                                     .say = [](const std::string&) {}}),
        bus(make_endpoints(host)) {}

  RegisterBus::Deps make_endpoints(bool host) {
    engine::BoardConfig b;
    b.identity.ip = *roce::IpAddress::parse("10.0.0.1");
    b.bus.slots = 1;
    b.bus.qp.payload = payload.get();
    board = std::make_unique<engine::Board>(b);
    engine::ReceiverConfig r;
    r.identity.ip = *roce::IpAddress::parse("10.0.0.2");
    r.slots.resize(1);
    r.slots[0].reply_path.source_ip = r.identity.ip;
    r.slots[0].reply_path.dest_ip = b.identity.ip;
    receiver = std::make_unique<engine::Receiver>(r);
    return {
        .registers = &registers,
        .board = board.get(),
        .to_board = [this](dataplane::BoardRequest& request) { return queue(for_board, request); },
        .responder = host ? &responder : nullptr,
        .receiver = receiver.get(),
        .to_receiver = [this](dataplane::ReceiverRequest& request) { return queue(for_receiver, request); },
        .observe = [](board::LiveState&, Time) {},
        .set_link = [this](const board::SetRssi&, Time) { served.emplace_back("link"); },
        .inspect = [this](const board::DataPathAction&) { ++inspected; },
        .written = [this](Time) { ++writes; },
        .waiting = [this](RegisterBus& which) { waiting.push_back(&which); }};
  }

  template <typename Request>
  bool queue(std::deque<Request*>& to, Request& request) {
    if (!full) to.push_back(&request);
    return !full;
  }

  /// Takes the first request from a queue and executes it, as the worker `name` would.
  template <typename Request>
  bool serve(std::deque<Request*>& from, const char* name) {
    if (from.empty()) return false;
    carry_out(*from.front(), now);
    from.front()->done.store(true);
    from.pop_front();
    served.emplace_back(name);
    return true;
  }
  /// Runs the workers until all accesses are complete.
  void run() {
    while (bus.busy()) {
      serve(for_receiver, "receiver");
      serve(for_board, "board");
      bus.poll(now);
    }
  }

  struct Reply {
    std::optional<srp::BusResult> result;
    std::array<std::uint8_t, 4> bytes{};
  };
  void read(std::uint32_t address, Reply& reply) {
    bus.read(address, reply.bytes, now, [&reply](const srp::BusResult& r, Time) { reply.result = r; });
  }
  void write(std::uint32_t address, ByteSpan data, std::optional<srp::BusResult>& result) {
    bus.write(address, data, now, [&result](const srp::BusResult& r, Time) { result = r; });
  }
  std::uint32_t read_now(std::uint32_t address) {
    Reply reply;
    read(address, reply);
    run();
    REQUIRE(reply.result);
    CHECK(reply.result->status == srp::BusStatus::kOk);
    return load_le32(reply.bytes.data());
  }
  void write_now(std::uint32_t address, ByteSpan data) {
    std::optional<srp::BusResult> result;
    write(address, data, result);
    run();
    REQUIRE(result);
    CHECK(result->status == srp::BusStatus::kOk);
  }
  void set_word(std::uint32_t address, std::uint32_t value) {
    std::array<std::uint8_t, 4> bytes{};
    store_le32(bytes.data(), value);
    write_now(address, bytes);
  }

  /// Sends a message over the metadata bus.
  template <typename Request>
  void ask(const Request& request) {
    set_word(kControl, 0);
    write_now(kTx, board::encode_request(request).bytes());
    set_word(kControl, 1);
  }
  void modify(board::QpVerb verb, QpState state) { ask(request_for(verb, state)); }
};

}  // namespace

TEST_CASE("accesses outside the data path are answered at once", "[slowcontrol][register-bus]") {
  BusRig rig;
  const std::array<std::uint8_t, 4> data{1, 2, 3, 4};
  std::optional<srp::BusResult> written;
  rig.write(kScratch, data, written);
  REQUIRE(written);
  CHECK(written->words == 1);
  CHECK(rig.writes == 1);
  BusRig::Reply reply;
  rig.read(kScratch, reply);
  REQUIRE(reply.result);
  CHECK(reply.bytes == data);
  CHECK(rig.writes == 1);
  CHECK_FALSE(rig.bus.busy());
  CHECK(rig.waiting.empty());
}

TEST_CASE("an address without a register is a decode error", "[slowcontrol][register-bus]") {
  BusRig rig;
  BusRig::Reply reply;
  rig.read(0x7000'0000, reply);
  REQUIRE(reply.result);
  CHECK(reply.result->status == srp::BusStatus::kDecodeError);
  CHECK(reply.result->words == 0);
}

TEST_CASE("a read of the data path waits for the board's worker", "[slowcontrol][register-bus]") {
  BusRig rig;
  BusRig::Reply reply;
  rig.read(kSuccess, reply);
  CHECK(rig.bus.busy());
  CHECK(rig.waiting == std::vector<RegisterBus*>{&rig.bus});
  CHECK_FALSE(rig.bus.poll(rig.now));
  CHECK_FALSE(reply.result);
  REQUIRE(rig.serve(rig.for_board, "board"));
  CHECK(rig.bus.answered());
  CHECK(rig.bus.poll(rig.now));
  CHECK_FALSE(rig.bus.busy());
  REQUIRE(reply.result);
  CHECK(reply.result->words == 1);
}

TEST_CASE("a full queue of the worker is tried again", "[slowcontrol][register-bus]") {
  BusRig rig;
  rig.full = true;
  BusRig::Reply reply;
  rig.read(kSuccess, reply);
  CHECK_FALSE(rig.bus.poll(rig.now));
  CHECK(rig.for_board.empty());
  rig.full = false;
  CHECK_FALSE(rig.bus.poll(rig.now));
  CHECK(rig.for_board.size() == 1);
  CHECK_FALSE(rig.bus.poll(rig.now));
  CHECK(rig.for_board.size() == 1);  // the request was not queued a second time
  rig.run();
  CHECK(reply.result);
}

TEST_CASE("a write is in force before it is answered", "[slowcontrol][register-bus]") {
  BusRig rig;
  rig.ask(board::PdRequest{.allocate = true, .key = kPd});
  rig.set_word(kControl, 0);
  rig.write_now(kTx, board::encode_request(request_for(board::QpVerb::kCreate, QpState::kReset)).bytes());
  const std::array<std::uint8_t, 4> one{1, 0, 0, 0};
  std::optional<srp::BusResult> written;
  rig.write(kControl, one, written);
  while (!rig.board->qp_exists(0)) {
    REQUIRE_FALSE(written);
    REQUIRE(rig.bus.busy());
    if (!rig.serve(rig.for_board, "board")) rig.bus.poll(rig.now);
  }
  CHECK_FALSE(written);  // the worker has created the QP, but the client's write is not complete yet
  CHECK(rig.inspected == 1);
  CHECK(rig.bus.answered());
  CHECK(rig.bus.poll(rig.now));
  CHECK(written);
  CHECK((rig.read_now(kControl) & 2) == 2);  // RecvMetaData: the response is available
}

TEST_CASE("the built-in host is ready before the board sends", "[slowcontrol][register-bus]") {
  BusRig rig(true);
  rig.ask(board::PdRequest{.allocate = true, .key = kPd});
  rig.modify(board::QpVerb::kCreate, QpState::kReset);
  for (const QpState state : {QpState::kInit, QpState::kRtr}) rig.modify(board::QpVerb::kModify, state);
  CHECK_FALSE(rig.receiver->qp_exists(0));
  rig.served.clear();
  rig.modify(board::QpVerb::kModify, QpState::kRts);
  CHECK(rig.receiver->qp_exists(0));
  CHECK(rig.receiver->qp(0).config().responder.qpn == kHostQpn);
  CHECK(rig.board->qp(0).requester().state() == QpState::kRts);
  const auto receiver = std::find(rig.served.begin(), rig.served.end(), "receiver");
  REQUIRE(receiver != rig.served.end());
  REQUIRE(receiver + 1 != rig.served.end());
  CHECK(*(receiver + 1) == "board");
}

TEST_CASE("writes to a link's registers are passed on", "[slowcontrol][register-bus]") {
  BusRig rig;
  rig.set_word(kCloseConn, 2);
  CHECK(rig.served == std::vector<std::string>{"link"});
}
