// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/recording.hpp"

#include "eventfile/event_file.hpp"
#include "support/temporary_directory.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;
using namespace softfeb::eventfile;

namespace {

/// Adds the fragment {event, board} with `length` bytes of value event + board.
void add_piece(EventFile& file, EventBuilder& builder, std::uint64_t event, std::uint16_t board,
               std::uint32_t length, std::uint32_t total) {
  EventHeader header;
  header.event = event;
  header.board = board;
  header.length = length;
  header.total = total;
  const std::vector<std::uint8_t> payload(length, static_cast<std::uint8_t>(event + board));
  file.add(builder, event, {event, board, 0, length, total, 0}, header, payload);
}

std::string problem_of(const std::string& path, std::uint64_t most = 1 << 20) {
  try {
    read_recording(path, most);
  } catch (const EventFileError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a recording has the whole fragments of an event file") {
  const test::TemporaryDirectory folder;
  EventFileConfig config;
  config.path = (folder.path() / "run.h5").string();
  config.boards = 2;
  config.piece = 8;
  config.channels = 3;
  config.samples = 5;
  config.keep_free = 0;
  config.wait = true;
  config.queue = 4096;
  {
    EventFile file(config);
    EventBuilder builder({.boards = 2, .piece = 8, .window = 4}, &file);
    for (std::uint64_t e = 0; e < 100; ++e) {
      add_piece(file, builder, e, 1, 5, 5);
      add_piece(file, builder, e, 0, 8, e == 50 ? 16 : 8);  // event 50 lacks a piece
    }
    builder.finish(1000, 100);
    file.finish();
    CHECK(file.stats().not_written == 0);
  }
  const Recording recording = read_recording(config.path);
  CHECK(recording.channels == 3);
  CHECK(recording.samples == 5);
  REQUIRE(recording.fragments.size() == 199);
  for (const RecordedFragment& f : recording.fragments) {
    REQUIRE(f.bytes.size() == (f.board == 0 ? 8 : 5));
    for (const std::uint8_t b : f.bytes) REQUIRE(b == f.event + f.board);
    CHECK((f.event != 50 || f.board == 1));
  }
  CHECK(problem_of(config.path, 100).find("has more data than fit in memory; fix: ") != std::string::npos);

  const std::string cut = (folder.path() / "cut.h5").string();
  std::ifstream from(config.path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(from)), {});
  std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  CHECK_FALSE(problem_of(cut).empty());
}

TEST_CASE("what is not a recording is refused with the fix") {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "text.h5").string();
  std::ofstream(path) << "text";
  CHECK(problem_of(path) ==
        path + ": is not an HDF5 file; fix: name a file that softfeb or rdma-sink has written");
  CHECK(problem_of("no-such-file").find("No such file or directory; fix: ") != std::string::npos);
}
