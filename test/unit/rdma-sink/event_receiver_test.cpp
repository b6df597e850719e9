// SPDX-License-Identifier: BSD-3-Clause
#include "event_receiver.hpp"

#include "base/rng.hpp"
#include "eventfile/event_file.hpp"
#include "roce/icrc.hpp"
#include "support/temporary_directory.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;
using namespace softfeb::sink;

namespace {

constexpr std::uint32_t kPiece = 100;
constexpr EventTime kOrigin{1000, 0};

EventOptions two_boards() {
  EventOptions o;
  o.layout = {
      .boards = 2, .builders = 1, .slots = 4, .slot = 3 * (kPiece + kEventHeaderSize), .piece = kPiece};
  o.window = 4;
  o.timeout_us = 1000;
  o.remember = 8;
  return o;
}

/// An event receiver with its memory. The functions play the part of boards that write to this memory.
struct EventBench {
  explicit EventBench(const EventOptions& o = two_boards(), eventfile::EventFile* file = nullptr)
      : options(o), memory(o.layout.memory(), 0xee), receiver(o, memory, kOrigin, file) {}

  static EventHeader header(std::uint64_t event, std::uint16_t board, std::uint32_t piece,
                            std::uint32_t total) {
    EventHeader h;
    h.event = event;
    h.board = board;
    h.offset = piece * kPiece;
    h.length = std::min(kPiece, total - h.offset);
    h.total = total;
    h.time = time_after(kOrigin, 5 * kMicrosecond);
    return h;
  }
  std::uint8_t* slot(std::uint64_t event, std::uint32_t board, std::uint32_t piece = 0) {
    return memory.data() + options.layout.address_of(event, board) + options.layout.piece_address(piece);
  }
  /// Writes a header and a payload to the address of a piece. This address depends only on `event`, `board`
  /// and `piece`, which may contradict the header.
  void write(EventHeader h, std::uint64_t event, std::uint32_t board, std::uint32_t piece) {
    std::uint8_t* const to = slot(event, board, piece);
    std::fill_n(to + kEventHeaderSize, h.length, static_cast<std::uint8_t>(h.board + 1));
    h.payload_crc = roce::crc32(0, ByteSpan(to + kEventHeaderSize, h.length));
    write_event_header(h, to);
  }
  /// Writes a piece whose header is correct, and reports its completion.
  void send(std::uint64_t event, std::uint16_t board, std::uint32_t piece, std::uint32_t total,
            Time now = 0) {
    const EventHeader h = header(event, board, piece, total);
    write(h, event, board, piece);
    complete(event, board, h.length, now);
  }
  void complete(std::uint64_t event, std::uint32_t board, std::uint32_t payload, Time now = 0) {
    receiver.on_message(now, board, static_cast<std::uint32_t>(event), kEventHeaderSize + payload);
  }
  std::uint64_t verdicts(FragmentVerdict v) const { return receiver.builder().counts()[v]; }

  EventOptions options;
  std::vector<std::uint8_t> memory;
  EventReceiver receiver;
};

}  // namespace

TEST_CASE("pieces of all boards make an event", "[rdma-sink]") {
  EventBench bench;
  bench.send(0, 0, 0, 250, 10 * kMicrosecond);
  bench.send(0, 0, 1, 250, 11 * kMicrosecond);
  bench.send(0, 1, 0, 0, 12 * kMicrosecond);
  bench.send(0, 0, 2, 250, 15 * kMicrosecond);
  bench.receiver.finish(kSecond, 1);
  const auto report = bench.receiver.report();
  CHECK(report["complete"] == 1);
  CHECK(report["headers"]["ok"] == 4);
  CHECK(report["fragments"]["accepted"] == 4);
  CHECK(report["payload_bytes"] == 250);
  CHECK(report["latency_ns"]["max"] == 10'000);
  CHECK(report["never_seen"]["count"] == 0);
  CHECK(report["loss"] == 0);
  CHECK(report["file"].is_null());
  CHECK(bench.receiver.problems().empty());
}

TEST_CASE("pieces after a lost one are found", "[rdma-sink]") {
  EventBench bench;
  bench.send(7, 0, 2, 250);
  bench.send(7, 1, 1, 250);
  bench.send(7, 1, 0, 250);
  CHECK(bench.verdicts(FragmentVerdict::kAccepted) == 3);
  bench.receiver.finish(kSecond, std::nullopt);
  const auto report = bench.receiver.report();
  CHECK(report["end"] == 0);
  CHECK(report["timeout"] == 1);
  CHECK(report["incomplete"][0]["missing"].dump() == "[[0,[[0,1]]],[1,[[2,2]]]]");
  CHECK(report["never_seen"]["ranges"].dump() == "[[0,6]]");
  CHECK(bench.receiver.problems().size() == 1);
}

TEST_CASE("boards of which nothing arrived, and the limit of losses", "[rdma-sink]") {
  EventOptions options = two_boards();
  options.loss_limit_percent = 50;
  EventBench bench(options);
  bench.send(0, 1, 0, 40);
  bench.send(1, 0, 0, 40);
  bench.send(1, 1, 0, 40);
  bench.receiver.finish(kSecond, 2);
  CHECK(bench.receiver.report()["incomplete"][0]["missing"].dump() == "[[0,null]]");
  CHECK(bench.receiver.loss() == 0.5);
  CHECK(bench.receiver.problems().empty());
}

TEST_CASE("a header that contradicts its immediate, QP or address is not trusted", "[rdma-sink]") {
  EventBench bench;
  EventHeader h = EventBench::header(4, 0, 0, 40);
  bench.write(h, 0, 0, 0);  // events 0 and 4 use the same slot
  bench.complete(0, 0, 40);
  CHECK(bench.receiver.contradictions(Contradiction::kEvent) == 1);
  h = EventBench::header(1, 1, 0, 40);
  bench.write(h, 1, 0, 0);
  bench.complete(1, 0, 40);
  CHECK(bench.receiver.contradictions(Contradiction::kBoard) == 1);
  h = EventBench::header(2, 0, 1, 140);
  bench.write(h, 2, 0, 0);
  bench.complete(2, 0, 40);
  CHECK(bench.receiver.contradictions(Contradiction::kOffset) == 1);
  bench.complete(2, 0, 100'000);  // longer than its slot
  CHECK(bench.receiver.contradictions(Contradiction::kOffset) == 2);
  bench.complete(0xffff'ffff, 0, 40);  // an event before the first
  CHECK(bench.receiver.contradictions(Contradiction::kEvent) == 2);
  CHECK(bench.receiver.builder().counts().fragments == 0);
}

TEST_CASE("headers that fail are counted by reason", "[rdma-sink]") {
  EventBench bench;
  bench.send(0, 0, 0, 40);
  for (std::uint64_t e = 1; e < 4; ++e) bench.write(EventBench::header(e, 0, 0, 40), e, 0, 0);
  bench.receiver.on_message(0, 0, 1, 63);
  bench.complete(2, 0, 41);
  bench.slot(3, 0)[kEventHeaderSize] ^= 1;
  bench.complete(3, 0, 40);
  for (std::uint64_t e = 4; e < 6; ++e) bench.write(EventBench::header(e, 0, 0, 40), e, 0, 0);
  bench.slot(4, 0)[8] ^= 1;
  bench.complete(4, 0, 40);
  bench.slot(5, 0)[0] ^= 1;
  bench.complete(5, 0, 40);
  for (const HeaderVerdict v : {HeaderVerdict::kShort, HeaderVerdict::kSize, HeaderVerdict::kPayloadCrc,
                                HeaderVerdict::kHeaderCrc, HeaderVerdict::kMagic, HeaderVerdict::kOk})
    CHECK(bench.receiver.headers()[v] == 1);
  CHECK(bench.verdicts(FragmentVerdict::kAccepted) == 1);
}

TEST_CASE("the piece after a rejected one is judged at its own place", "[rdma-sink]") {
  EventBench bench;
  for (std::uint32_t piece = 0; piece < 3; ++piece) {
    const EventHeader h = EventBench::header(2, 1, piece, 250);
    bench.write(h, 2, 0, piece);  // board 0 writes headers of board 1
    bench.complete(2, 0, h.length);
  }
  CHECK(bench.receiver.contradictions(Contradiction::kBoard) == 3);
}

TEST_CASE("event numbers continue when the immediate wraps", "[rdma-sink]") {
  EventBench bench;
  constexpr std::uint64_t kBefore = 0x7fff'ffff;
  for (std::uint64_t e = kBefore; e < 0x1'8000'0010; e += 0x4000'0000)
    for (std::uint16_t b = 0; b < 2; ++b) bench.send(e, b, 0, 40);
  CHECK(bench.receiver.builder().counts()[EventStatus::kComplete] == 5);
}

TEST_CASE("any bytes at any time", "[rdma-sink]") {
  EventBench bench;
  Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t r = rng.next();
    const std::uint64_t event = r % 16;
    const auto board = static_cast<std::uint16_t>(r >> 8 & 1);
    const auto piece = static_cast<std::uint32_t>((r >> 16) % 3);
    bench.write(EventBench::header(event, board, piece, 250), event, board, piece);
    if ((r >> 24 & 7) == 0) bench.memory[(r >> 32) % bench.memory.size()] ^= 1;
    const auto immediate = static_cast<std::uint32_t>((r >> 27 & 7) == 0 ? rng.next() : event);
    const auto length =
        static_cast<std::uint32_t>((r >> 30 & 7) == 0 ? rng.next() : kEventHeaderSize + kPiece);
    bench.receiver.on_message(static_cast<Time>(i) * kMicrosecond, board, immediate, length);
  }
  bench.receiver.finish(kSecond, std::nullopt);
  const EventBuilderCounts& counts = bench.receiver.builder().counts();
  CHECK(counts.fragments <= bench.receiver.headers()[HeaderVerdict::kOk]);
  CHECK(counts[FragmentVerdict::kRejectedBoard] == 0);
  CHECK(counts[FragmentVerdict::kRejectedBounds] == 0);
  CHECK(counts[FragmentVerdict::kAccepted] > 0);
}

TEST_CASE("accepted fragments reach the event file", "[rdma-sink]") {
  const test::TemporaryDirectory folder;
  EventOptions options = two_boards();
  options.out = (folder.path() / "run.h5").string();
  eventfile::EventFileConfig config;
  config.path = options.out;
  config.boards = 2;
  config.piece = kPiece;
  config.keep_free = 0;
  eventfile::EventFile file(config);
  EventBench bench(options, &file);
  bench.send(0, 0, 0, 150);
  bench.send(0, 0, 1, 150);
  bench.send(0, 1, 0, 40);
  bench.send(1, 1, 0, 40);
  bench.receiver.finish(kSecond, 2);
  const auto report = bench.receiver.report();
  CHECK(report["file"]["written"] == 2);
  CHECK(report["file"]["not_written"] == 0);
  CHECK(report["file"]["fragments"] == 3);
  CHECK(report["file"]["data_bytes"] == 230);
  CHECK(report["file"]["error"].is_null());
}
