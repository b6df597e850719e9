// SPDX-License-Identifier: BSD-3-Clause
// Tests the metadata bus through RoceEngine's registers, and its interaction with the data path.
#include "board/board_registers.hpp"
#include "register_access.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::board;
using roce::QpState;
using softfeb::test::RegisterAccessor;

namespace {

constexpr std::uint32_t kControl = 0x0015'0f00, kTx = 0x0015'0f04, kRx = 0x0015'0f2c;
constexpr std::uint32_t kPd = 0x128aeb;

class Bus : public RegisterAccessor {
 public:
  using RegisterAccessor::RegisterAccessor;

  template <typename Request>
  MetadataResponse ask(const Request& request) {
    set_word(kControl, 0);
    write(kTx, encode_request(request).bytes());
    set_word(kControl, 1);
    REQUIRE(word(kControl) == 3);
    std::array<std::uint8_t, MetadataResponseBits::kBytes> answer;
    read(kRx, answer);
    return decode_response(MetadataResponseBits(answer)).value();
  }

  QpResponse qp(QpVerb verb, QpState state = QpState::kReset) {
    return std::get<QpResponse>(ask(QpRequest{.verb = verb,
                                              .pd_handler = kPd,
                                              .qpn = kPd,
                                              .mask = 0x3ff'ffff,
                                              .qp = {.state = static_cast<std::uint8_t>(state),
                                                     .pmtu = 5,
                                                     .sq_psn = 0x654321,
                                                     .dest_qpn = 0x11,
                                                     .type = 2}}));
  }

  void connect() {
    ask(PdRequest{.allocate = true, .key = kPd});
    REQUIRE(qp(QpVerb::kCreate).success);
    for (const QpState s : {QpState::kInit, QpState::kRtr, QpState::kRts})
      REQUIRE(qp(QpVerb::kModify, s).success);
  }
};

std::vector<QpState> states(const Actions& actions) {
  std::vector<QpState> out;
  for (const auto& a : actions.data_path) out.push_back(std::get<SetQp>(a).context.state);
  return out;
}

}  // namespace

TEST_CASE("metadata bus: the data path receives every state with the QP's number on the board",
          "[registers]") {
  BoardRegisters board({.first_bus_qp = 3});
  Bus bus(board);
  bus.connect();
  CHECK(states(bus.actions) == std::vector{QpState::kCreate, QpState::kInit, QpState::kRtr, QpState::kRts});
  const SetQp rts = std::get<SetQp>(bus.actions.data_path.back());
  CHECK(rts.qp == 3);
  CHECK(rts.context.sq_psn == 0x654321);
  CHECK(rts.context.dest_qpn == 0x11);
  CHECK(rts.context.qpn == kPd);
}

TEST_CASE("metadata bus: a query shows the data path's next PSN, and its error", "[registers]") {
  BoardRegisters board({.first_bus_qp = 3});
  Bus bus(board);
  // An earlier connection has left this state in the data path.
  bus.live.data.qps = {{.qp = 3, .exists = true, .next_psn = 7, .failed = true}};
  bus.connect();
  CHECK(std::get<SetQp>(bus.actions.data_path.back()).context.sq_psn == 0x654321);
  bus.live.data.qps = {{.qp = 0, .exists = true, .next_psn = 1, .failed = true},
                       {.qp = 3, .exists = true, .next_psn = 0x654399}};
  CHECK(bus.qp(QpVerb::kQuery).qp.sq_psn == 0x654399);
  bus.live.data.qps[1].failed = true;
  bus.actions.clear();
  CHECK(bus.qp(QpVerb::kQuery).qp.current_state == 6);
  CHECK(bus.actions.empty());  // no action, because the data path itself reported the error
  CHECK(bus.qp(QpVerb::kDestroy).success);
  CHECK(states(bus.actions) == std::vector{QpState::kReset});
}

TEST_CASE("metadata bus: only a rising edge of SendMetaData starts a message", "[registers]") {
  BoardRegisters board({});
  Bus bus(board);
  bus.write(kTx, encode_request(PdRequest{.allocate = true, .key = 5}).bytes());
  CHECK(bus.word(kControl) == 0);
  bus.set_word(kControl, 2);  // RecvMetaData is not writable
  CHECK(bus.word(kControl) == 0);
  bus.set_word(kControl, 1);
  CHECK(bus.word(kControl) == 3);
  bus.set_word(kControl, 1);  // no edge, so the request is not executed again (a second PD would be refused)
  std::array<std::uint8_t, 36> answer;
  bus.read(kRx, answer);
  CHECK(std::get<PdResponse>(decode_response(MetadataResponseBits(answer)).value()).success);
  bus.set_word(kControl, 0);
  CHECK(bus.word(kControl) == 2);
  bus.set_word(kControl, 3);
  bus.read(kRx, answer);
  CHECK_FALSE(std::get<PdResponse>(decode_response(MetadataResponseBits(answer)).value()).success);
}

TEST_CASE("metadata bus: unused bits of MetaDataTx read as 0, unknown types get no response", "[registers]") {
  BoardRegisters board({});
  Bus bus(board);
  bus.ask(PdRequest{.allocate = true, .key = 5});
  std::vector<std::uint8_t> ones(40, 0xff);
  bus.set_word(kControl, 0);
  bus.write(kTx, ones);
  CHECK(bus.word(kTx + 36) == 0x7fff);
  bus.set_word(kControl, 1);
  CHECK(bus.word(kControl) == 1);  // RecvMetaData of the previous message is cleared
  CHECK(std::get<PdResponse>(bus.ask(PdRequest{.allocate = true, .key = 6})).success ==
        false);  // the bus still responds
}

TEST_CASE("metadata bus: SoftReset frees everything and informs the data path once", "[registers]") {
  BoardRegisters board({.profile = find_profile("kcu105-rocev2-2026.09")});
  Bus bus(board);
  bus.connect();
  bus.actions.clear();
  bus.set("RoceEngine.SoftReset", 1);
  REQUIRE(bus.actions.data_path.size() == 1);
  CHECK(std::holds_alternative<SoftReset>(bus.actions.data_path[0]));
  CHECK((bus.word(kControl) & 2) == 0);
  CHECK(board.metadata()->qp(0).state == QpState::kReset);
  bus.connect();
}
