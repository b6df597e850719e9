// SPDX-License-Identifier: BSD-3-Clause
#include "board_fake.hpp"
#include "failure.hpp"
#include "metadata_bus.hpp"
#include "queue_pair.hpp"
#include "support/metadata_bits.hpp"
#include "support/vector_files.hpp"

#include <fstream>
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::febctl;
using namespace softfeb::test;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kPd = 0x65128aeb;
constexpr RegionParameters kRegion{0x7f0012345000, 0x232800, 0x279c9002, 0x72e0ece0};
constexpr QpParameters kQp{.dest_qpn = 0x11, .rq_psn = 0x123456, .sq_psn = 0x654321, .rnr_retry = 7};

/// Returns the recorded requests of the reference client by name, each as 40 bytes in hex.
std::map<std::string, std::string> reference_requests() {
  std::map<std::string, std::string> requests;
  for (const auto& path : vector_files("control", ".json")) {
    for (const auto& v : nlohmann::json::parse(std::ifstream(path)))
      if (v.contains("tx_wire40")) requests[v.at("name")] = v.at("tx_wire40");
  }
  return requests;
}

std::string hex(const board::MetadataRequest& request) {
  const auto bits = board::encode_request(request);
  std::string out;
  for (const std::uint8_t b : bits.bytes()) {
    out += "0123456789abcdef"[b >> 4];
    out += "0123456789abcdef"[b & 15];
  }
  return out;
}

}  // namespace

TEST_CASE("requests equal the reference client's, byte for byte", "[vectors]") {
  const auto reference = reference_requests();
  if (reference.empty()) return;
  const std::uint32_t qpn = kPd & 0xffffff;
  CHECK(hex(allocate_pd(kPd)) == reference.at("alloc PD"));
  CHECK(hex(allocate_mr(kPd, kRegion)) == reference.at("alloc MR"));
  CHECK(hex(create_qp(kPd)) == reference.at("create QP"));
  CHECK(hex(to_init(qpn, kQp)) == reference.at("modify INIT"));
  CHECK(hex(to_rtr(qpn, kQp)) == reference.at("modify RTR"));
  CHECK(hex(to_rts(qpn, kQp)) == reference.at("modify RTS"));
  CHECK(hex(to_err(qpn)) == reference.at("modify ERR"));
  CHECK(hex(destroy_qp(qpn)) == reference.at("destroy QP"));
  CHECK(hex(free_mr(kPd, 0x279c9002, 0x72e0ece0)) == reference.at("dealloc MR"));
  CHECK(hex(free_pd(kPd)) == reference.at("dealloc PD"));
}

TEST_CASE("a queue pair is brought up and down through the registers") {
  BoardFake board(catalogue());
  MetadataBus bus(board, catalogue(), 2s);
  for (int round = 0; round < 2; ++round) {
    INFO(round);
    board.requests.clear();
    QueuePair qp(bus);
    qp.allocate_pd(kPd);
    qp.register_region(kRegion);
    qp.create();
    qp.bring_up(kQp);
    CHECK(qp.board().qpn == (kPd & 0xffffff));
    CHECK(qp.board().lkey == 0x279c9002);
    CHECK(board.metadata().qp(0).state == roce::QpState::kRts);
    CHECK(board.metadata().qp(0).sq_psn == 0x654321);
    CHECK(board.metadata().qp(0).pmtu == 4096);
    REQUIRE(board.requests.size() == 6);
    const auto reference = reference_requests();
    if (!reference.empty()) CHECK(board.requests[5] == reference.at("modify RTS"));
    CHECK(qp.take_down().empty());
    CHECK(board.metadata().qp(0).state == roce::QpState::kReset);
  }
}

TEST_CASE("a queue pair is taken down from any state") {
  const QpParameters p;
  for (int steps = 0; steps < 5; ++steps) {
    INFO(steps);
    BoardFake board(catalogue());
    MetadataBus bus(board, catalogue(), 2s);
    QueuePair qp(bus);
    qp.allocate_pd(kPd);
    if (steps > 0) qp.create();
    if (steps > 1) CHECK(bus.ask(to_init(*qp.board().qpn, p)).success);
    if (steps > 2) CHECK(bus.ask(to_rtr(*qp.board().qpn, p)).success);
    if (steps > 3) CHECK(bus.ask(to_rts(*qp.board().qpn, p)).success);
    CHECK(qp.take_down().empty());
    CHECK(board.metadata().qp(0).state == roce::QpState::kReset);
    QueuePair next(bus);
    next.allocate_pd(kPd + 1);
    next.create();
  }
}

TEST_CASE("a queue pair is taken down by its number alone") {
  BoardFake board(catalogue(), {.pds = 2, .mrs_per_pd = 4, .qps = 2});
  MetadataBus bus(board, catalogue(), 2s);
  QueuePair made(bus);
  made.allocate_pd(kPd);
  made.register_region(kRegion);
  made.create();
  made.bring_up(kQp);
  QueuePair found(bus, {.lkey = made.board().lkey, .qpn = made.board().qpn});
  CHECK(found.take_down().empty());
  CHECK(QueuePair(bus, {.qpn = 5}).take_down().size() == 1);
}

TEST_CASE("refusals of the board are reported with the fix") {
  BoardFake board(catalogue());
  MetadataBus bus(board, catalogue(), 2s);
  QueuePair first(bus);
  first.allocate_pd(kPd);
  QueuePair second(bus);
  CHECK_THROWS_WITH(second.allocate_pd(1), Catch::Contains("febctl teardown"));
  first.create();
  QueuePair third(bus, {.pd = kPd});
  CHECK_THROWS_AS(third.create(), Refusal);
  QueuePair rtr(bus, {.qpn = *first.board().qpn});
  rtr.bring_up(kQp);
  CHECK_THROWS_WITH(rtr.bring_up(kQp), Catch::Contains("INIT"));
}

TEST_CASE("a bus that does not respond is reported") {
  BoardFake board(catalogue());
  board.silent_bus = true;
  MetadataBus bus(board, catalogue(), 50ms);
  CHECK_THROWS_AS(bus.ask(allocate_pd(1)), NoAnswer);
}

TEST_CASE("two equal responses are two responses") {
  BoardFake board(catalogue());
  MetadataBus bus(board, catalogue(), 2s);
  CHECK(bus.ask(allocate_pd(1)).success);
  CHECK_FALSE(bus.ask(allocate_pd(1)).success);
  CHECK_FALSE(bus.ask(allocate_pd(1)).success);
  CHECK(board.requests.size() == 3);
}
