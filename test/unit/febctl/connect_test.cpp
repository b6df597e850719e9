// SPDX-License-Identifier: BSD-3-Clause
#include "connect.hpp"

#include "board_fake.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "metadata_bus.hpp"
#include "metadata_messages.hpp"

#include <chrono>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::febctl;
using namespace softfeb::test;

namespace {

/// Forwards accesses to a board. Unlike the board, this object ends with the connection.
class Pass final : public RegisterPort {
 public:
  explicit Pass(RegisterPort& to) : to_(to) {}
  Bytes read(Range range) override { return to_.read(range); }
  std::vector<ReadResult> read_many(std::span<const Range> ranges) override { return to_.read_many(ranges); }
  void write(std::uint32_t address, ByteSpan data) override { to_.write(address, data); }
  void post(std::uint32_t address, ByteSpan data) override { to_.post(address, data); }

 private:
  RegisterPort& to_;
};

struct Bench {
  ~Bench() { std::fclose(said); }

  /// Returns all printed lines.
  std::string printed() const {
    std::string text;
    std::rewind(said);
    for (int c = std::fgetc(said); c != EOF; c = std::fgetc(said)) text += static_cast<char>(c);
    return text;
  }

  std::FILE* said = std::tmpfile();
  BoardFake board{catalogue()};
  Output out{true, said};
  Context context{catalogue(), out, {}, [this] { return std::make_unique<Pass>(board); }};
};

ConnectOptions host() {
  ConnectOptions o;
  o.host_ip = "192.168.2.100";
  o.qpn = 0x11;
  o.rkey = 0x1234;
  o.address = 0x7f0000000000;
  o.length = 100'000;
  o.psn = 0x654321;
  return o;
}

}  // namespace

TEST_CASE("a connection sets up queue pair, destination and dispatcher") {
  Bench b;
  const Connection made = make_connection(b.context, host());
  const board::QpContext& qp = b.board.metadata().qp(0);
  CHECK(qp.state == roce::QpState::kRts);
  CHECK(qp.dest_qpn == 0x11);
  CHECK(qp.sq_psn == 0x654321);
  CHECK(qp.qpn == made.board.qpn);
  CHECK(b.board.words[0x00110000] == 0xb712);
  CHECK(b.board.words[0x00110004] == 0x6402a8c0);
  CHECK(b.board.words[0x80020f04] == 4096);
  CHECK(b.board.words[0x80020f08] == 0x1234);
  CHECK(b.board.words[0x80020f0c] == made.board.lkey);
  CHECK(b.board.words[0x80020f10] == made.board.qpn);
  CHECK(b.board.words[0x80020f20] == 24);
  CHECK(end_connection(b.context, made.board, 1).empty());
  CHECK(qp.state == roce::QpState::kReset);
  CHECK(b.board.words[0x80020f10] == 0);
}

TEST_CASE("a failed connection leaves nothing behind") {
  Bench b;
  b.board.stuck_at = 0x80020f20;
  CHECK_THROWS_WITH(make_connection(b.context, host()), Catch::Contains("AddrWrapCount"));
  CHECK(b.board.metadata().qp(0).state == roce::QpState::kReset);
  b.board.stuck_at = 1;
  CHECK(make_connection(b.context, host()).board.qpn);
}

TEST_CASE("impossible connections are reported before anything is sent") {
  Bench b;
  for (const int mistake : {0, 1, 2, 3, 4}) {
    INFO(mistake);
    ConnectOptions o = host();
    if (mistake == 0) o.pmtu = 1500;
    if (mistake == 1) o.size = 0;
    if (mistake == 2) o.qpn = 0;
    if (mistake == 3) o.length = 4095;
    if (mistake == 4) o.host_ip.clear();
    CHECK_THROWS_AS(make_connection(b.context, o), UsageError);
  }
  CHECK(b.board.log.empty());
}

TEST_CASE("teardown finds leftovers of another client") {
  Bench b;
  make_connection(b.context, host());
  teardown_command(b.context, {});
  CHECK(b.board.metadata().qp(0).state == roce::QpState::kReset);
  // Simulate the laboratory's script, which writes the host's QPN to SQpn instead of the board's.
  make_connection(b.context, host());
  b.board.words[0x80020f10] = 0x11;
  teardown_command(b.context, {});
  CHECK(b.board.metadata().qp(0).state == roce::QpState::kReset);
  // If there are no resources to free, teardown succeeds.
  teardown_command(b.context, {});
  teardown_command(b.context, {.all_regions = true});
  CHECK(make_connection(b.context, host()).board.qpn);
}

TEST_CASE("teardown finds a queue pair whose QPN no register shows") {
  Bench b;
  make_connection(b.context, host());
  b.board.words[0x80020f10] = b.board.words[0x80020f0c] =
      0;  // SQpn and LKey are 0, because the client was killed before it wrote them
  // The request of the next client is refused, so the bus no longer shows the response that describes the
  // queue pair.
  MetadataBus bus(b.board, b.context.catalogue, std::chrono::seconds(2));
  REQUIRE_FALSE(bus.ask(allocate_pd(0x77)).success);
  SECTION("its protection domain is there") {}
  SECTION("its protection domain has been freed") { REQUIRE(bus.ask(free_pd(0)).success); }
  teardown_command(b.context, {});
  CHECK(b.board.metadata().qp(0).state == roce::QpState::kReset);
  for (int i = 0; i < 3; ++i) {  // the board has two memory regions, so teardown must free them
    CHECK(make_connection(b.context, host()).board.qpn);
    teardown_command(b.context, {});
  }
}

TEST_CASE("teardown tells how many memory regions it has freed") {
  Bench b;
  b.out = Output(false, b.said);
  make_connection(b.context, host());
  teardown_command(b.context, {.all_regions = true});
  CHECK_THAT(b.printed(), Catch::Contains("freed queue pair") && Catch::Contains("freed 1 memory region\n"));
}

TEST_CASE("nothing is written unless all values are valid") {
  Bench b;
  CHECK_THROWS_AS(write_command(b.context, {.words = {"ScratchPad", "1", "UpTimeCnt", "2"}}), UsageError);
  CHECK_THROWS_AS(write_command(b.context, {.words = {"ScratchPad", "1", "0x5", "2"}}), UsageError);
  CHECK_THROWS_AS(write_command(b.context, {.words = {"ScratchPad", "1", "0x4", "x"}}), UsageError);
  CHECK_THROWS_AS(write_command(b.context, {.words = {"ScratchPad"}}), UsageError);
  CHECK(b.board.log.empty());
  write_command(b.context, {.words = {"ScratchPad", "1", "0x80010000", "2,3"}});
  CHECK(b.board.words[4] == 1);
  CHECK(b.board.words[0x80010004] == 3);
}

TEST_CASE("reads by name, pattern and range") {
  Bench b;
  b.board.words[4] = 7;
  b.board.words[0x80010004] = 9;
  read_command(b.context, {.what = {"ScratchPad", "FwRudpServer[0].cur*", "0x80010000:8"}});
  const auto found = nlohmann::json::parse(b.printed());
  REQUIRE(found.size() == 9);
  CHECK(found[0]["value"] == 7);
  CHECK(found[8]["words"] == nlohmann::json::array({0, 9}));
  CHECK_THROWS_AS(read_command(b.context, {.what = {"AppTx.SendFrame"}}), UsageError);
  CHECK_THROWS_AS(read_command(b.context, {.what = {"0xfffffffc:8"}}), UsageError);
  b.board.decode_error_at = 0x80010004;
  CHECK_THROWS_AS(read_command(b.context, {.what = {"0x80010000:8"}}), Refusal);
}

TEST_CASE("dispatch reports failures") {
  Bench b;
  dispatch_command(b.context, {.count = 100});
  CHECK(nlohmann::json::parse(b.printed())["SuccessCounter"] == 100);
  b.board.lost = 1;
  CHECK_THROWS_WITH(dispatch_command(b.context, {.count = 100}), Catch::Contains("1 requests failed"));
  CHECK_THROWS_AS(dispatch_command(b.context, {.count = 1U << 24}), UsageError);
  CHECK_THROWS_AS(dispatch_command(b.context, {}), UsageError);
  dispatch_command(b.context, {.reset = true});
}
