// SPDX-License-Identifier: BSD-3-Clause
// Tests that processing a detector's data, from trigger to complete event, does not allocate, lock, print or
// call the kernel.
#include "detector/camera_busy.hpp"
#include "detector/counter_payload.hpp"
#include "detector/event_builder.hpp"
#include "detector/fragment_fifo.hpp"
#include "detector/payload_pools.hpp"
#include "eventfile/event_file.hpp"
#include "support/temporary_directory.hpp"
#include "watch.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;
using namespace softfeb::steady;

namespace {

constexpr std::uint16_t kBoards = 4;
constexpr EventLayout kLayout{.boards = kBoards, .slots = 16, .slot = 2048, .piece = 700};

/// Boards and a receiver that share a payload. A WRITE takes no time.
class Detector {
 public:
  /// `recorder` receives the events; it may be null.
  explicit Detector(const EventPayload& payload, EventRecorder* recorder = nullptr)
      : payload_(payload),
        recorder_(recorder),
        sequence_(
            {{.type = EventType::kSubarray,
              .rate_hz = 50'000,
              .pile_up_parts = std::uint64_t{1} << 29,
              .pile_up_window = 20 * kMicrosecond},
             {.kind = TriggerSourceConfig::Kind::kPeriodic, .type = EventType::kFlatfield, .rate_hz = 997},
             {.kind = TriggerSourceConfig::Kind::kList, .times = {5, 6, kMillisecond}}},
            7 * kMicrosecond),
        busy_(sequence_, kBoards, kMicrosecond),
        builder_({.boards = kBoards,
                  .piece = kLayout.piece,
                  .largest = kLayout.largest(),
                  .window = 4,
                  .remember = 4,
                  .slots = kLayout.slots},
                 recorder),
        message_(kLayout.slot) {
    for (std::uint16_t b = 0; b < kBoards; ++b) boards_.emplace_back(config_of(b));
  }

  void run(Time end) {
    while (const auto trigger = sequence_.accept_before(end)) {
      ++events;
      for (FragmentFifo& board : boards_) {
        const std::uint32_t size = payload_.size(trigger->event, board.config().board);
        board.trigger(*trigger, size, payload_.shape().flags);
        send(board, board.next_ready());
      }
    }
  }

  const EventBuilder& builder() const { return builder_; }
  std::uint64_t events = 0;
  std::uint64_t wrong = 0;

 private:
  FragmentFifoConfig config_of(std::uint16_t board) const {
    const EventPayload::Shape& shape = payload_.shape();
    return {.layout = kLayout,
            .board = board,
            .busy_at = 12,
            .kind = shape.kind,
            .channels = shape.channels,
            .samples = shape.samples};
  }

  void send(FragmentFifo& board, Time now) {
    board.advance(now);
    for (; board.has_piece(); board.pop()) {
      const FragmentPiece p = board.piece();
      const std::uint16_t b = board.config().board;
      const std::uint32_t crc = payload_.crc(p.event, b, p.offset, p.length);
      write_event_header(board.header(p.place, p.index, crc), message_.data());
      const std::uint8_t* const bytes = payload_.bytes(p.event, b, p.offset, p.length);
      std::memcpy(message_.data() + kEventHeaderSize, bytes, p.length);
      receive(ByteSpan(message_).first(p.message_length()), now);
      busy_.report(b, board.busy(), now);
      board.complete(p.place, now);
    }
  }

  void receive(ByteSpan message, Time now) {
    EventHeader h;
    if (read_event_header(message, h) != HeaderVerdict::kOk) ++wrong;
    if (compare_payload(payload_, h, message.subspan(kEventHeaderSize)).any()) ++wrong;
    const Time trigger = time_since({}, h.time);
    const Fragment fragment{h.event, h.board, h.offset, h.length, h.total, trigger};
    if (recorder_ == nullptr)
      builder_.add(now, fragment);
    else
      recorder_->add(builder_, now, fragment, h, message.subspan(kEventHeaderSize));
  }

  const EventPayload& payload_;
  EventRecorder* recorder_;
  TriggerSequence sequence_;
  CameraBusy busy_;
  EventBuilder builder_;
  std::vector<FragmentFifo> boards_;
  std::vector<std::uint8_t> message_;
};

void check_steady(const EventPayload& payload) {
  Detector detector(payload);
  detector.run(kMillisecond);
  Watch watch;
  watch_this_thread(&watch);
  detector.run(100 * kMillisecond);
  watch_this_thread(nullptr);
  INFO(watch.text());
  CHECK(watch.total() == 0);
  CHECK(detector.events > 3000);
  CHECK(detector.wrong == 0);
  CHECK(detector.builder().counts()[EventStatus::kComplete] == detector.events);
}

}  // namespace

TEST_CASE("a detector's data need no memory for an event", "[steady]") {
  const CameraImages::Config camera{.boards = kBoards, .channels = 12, .samples = 40, .images = 4};
  check_steady(*make_camera_pool({.camera = camera, .boards = {0, kBoards}, .piece = kLayout.piece}));
  check_steady(*make_camera_pool({.camera = camera,
                                  .kind = PayloadKind::kRoi,
                                  .suppression = {440, 2},
                                  .boards = {0, kBoards},
                                  .piece = kLayout.piece}));
  check_steady(
      CounterPayload({0, 1600, FragmentSizes::Shape::kExponential, 3}, kLayout.piece, kLayout.largest()));
}

TEST_CASE("an event file costs the builder's thread no memory and no call of the kernel", "[steady]") {
  const test::TemporaryDirectory folder;
  eventfile::EventFileConfig config;
  config.path = (folder.path() / "run.h5").string();
  config.boards = kBoards;
  config.piece = kLayout.piece;
  config.keep_free = 0;
  SECTION("that takes all events") {}
  SECTION("that cannot take all") { config.queue = 8192; }
  eventfile::EventFile file(config);
  const CounterPayload payload({0, 1600, FragmentSizes::Shape::kExponential, 3}, kLayout.piece,
                               kLayout.largest());
  Detector detector(payload, &file);
  Watch watch;
  bool seen = false;
  std::thread builder([&] {
    detector.run(kMillisecond);
    seen = see_system_calls();
    watch_this_thread(&watch);
    detector.run(50 * kMillisecond);
    watch_this_thread(nullptr);
  });
  builder.join();
  file.finish();
  INFO(watch.text());
  CHECK(seen);
  CHECK(watch.total() == 0);
  const eventfile::EventFileStats stats = file.stats();
  CHECK(stats.closed == detector.events);
  CHECK(stats.written + stats.not_written == stats.closed);
  CHECK((stats.not_written == 0) == (config.queue > 8192));
}
