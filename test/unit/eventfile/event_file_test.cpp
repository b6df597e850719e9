// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/event_file.hpp"

#include "support/temporary_directory.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;
using namespace softfeb::eventfile;

namespace {

/// Makes the piece that `fragment` describes, and passes it to the recorder.
template <typename Recorder>
FragmentVerdict add(Recorder& recorder, EventBuilder& builder, Time now, const Fragment& fragment) {
  EventHeader header;
  header.event = fragment.event;
  header.board = static_cast<std::uint16_t>(fragment.board);
  header.length = fragment.length;
  header.offset = fragment.offset;
  header.total = fragment.total;
  const std::vector<std::uint8_t> payload(fragment.length, 7);
  return recorder.add(builder, now, fragment, header, payload);
}

class Log final : public EventRecorder {
 public:
  std::string text;

 private:
  void record_fragment(const EventHeader& header, ByteSpan payload) override {
    text += std::to_string(header.event) + "." + std::to_string(header.board) + ":" +
            std::to_string(payload.size()) + " ";
  }
  void record_closed(const ClosedEvent& event, std::optional<Time> latency) override {
    std::uint32_t pieces = 0;
    for (std::uint32_t b = 0; b < event.boards(); ++b) pieces += count_pieces(event, b);
    text += std::string(to_string(event.status())) + std::to_string(event.event()) + "(" +
            std::to_string(pieces) + ")" + (latency ? "+" + std::to_string(*latency) : "") + " ";
  }
};

}  // namespace

TEST_CASE("fragments are recorded before their event closes, and rejected ones never") {
  Log log;
  EventBuilderConfig config;
  config.boards = 2;
  config.piece = 4;
  config.timeout = 100;
  EventBuilder builder(config, &log);
  add(log, builder, 10, {0, 0, 0, 4, 6, 5});
  add(log, builder, 10, {0, 0, 0, 4, 6, 5});  // duplicate
  add(log, builder, 11, {0, 9, 0, 4, 4, 5});  // unknown board
  add(log, builder, 12, {0, 1, 0, 0, 0, 5});
  add(log, builder, 20, {1, 0, 4, 2, 6, 5});
  add(log, builder, 30, {0, 0, 4, 2, 6, 5});
  add(log, builder, 31, {0, 0, 4, 2, 6, 5});   // duplicate of a piece whose event is already closed
  add(log, builder, 120, {1, 1, 0, 4, 4, 5});  // arrives after the event has closed
  add(log, builder, 130, {2, 1, 0, 4, 4, 5});
  builder.finish(140, 3);
  CHECK(log.text == "0.0:4 0.1:0 1.0:2 0.0:2 complete0(3)+25 timeout1(1) 2.1:4 end2(1) ");
}

TEST_CASE("paths that cannot be created") {
  const test::TemporaryDirectory folder;
  CHECK(why_not_creatable((folder.path() / "run.h5").string()).empty());
  CHECK(why_not_creatable("softfeb-no-such-file").empty());
  CHECK(why_not_creatable(folder.path().string()).find("exists; fix:") != std::string::npos);
  for (const char* path : {"", "/no/such/folder/run.h5", "/dev/null/run.h5", "no-such-folder/"}) {
    INFO(path);
    CHECK(why_not_creatable(path).find("fix: name a") != std::string::npos);
    EventFileConfig config;
    config.path = path;
    CHECK_THROWS_AS(EventFile(config), EventFileError);
  }
}

TEST_CASE("two files are written at the same time") {
  const test::TemporaryDirectory folder;
  EventFileConfig config;
  config.path = (folder.path() / "a.h5").string();
  config.keep_free = 0;
  EventFile a(config);
  config.path = (folder.path() / "b.h5").string();
  config.flush_ms = 1;
  EventFile b(config);
  EventBuilder first({}, &a);
  EventBuilder second({}, &b);
  for (std::uint64_t e = 0; e < 2000; ++e) {
    add(a, first, e, {e, 0, 0, 500, 500, e});
    add(b, second, e, {e, 0, 0, 500, 500, e});
  }
  for (EventFile* file : {&a, &b}) {
    file->finish();
    const EventFileStats stats = file->stats();
    CHECK(file->error().empty());
    CHECK(stats.closed == 2000);
    CHECK(stats.written == 2000);
    CHECK(stats.not_written == 0);
    CHECK(stats.fragments == 2000);
    CHECK(stats.data_bytes == 1'000'000);
    CHECK(stats.queue_peak > 500);
  }
}
