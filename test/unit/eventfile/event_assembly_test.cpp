// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/event_assembly.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::eventfile;

namespace {

EventFileConfig two_boards() {
  EventFileConfig config;
  config.boards = 2;
  config.piece = 4;
  config.channels = 1;
  config.samples = 3;
  return config;
}

/// Adds a piece with the given payload to a fragment of `total` bytes, of kind waveform16.
void add(EventAssembly& assembly, std::uint64_t event, std::uint16_t board, std::uint32_t offset,
         std::uint32_t total, const std::vector<std::uint8_t>& payload) {
  detector::EventHeader header;
  header.event = event;
  header.board = board;
  header.offset = offset;
  header.total = total;
  header.length = static_cast<std::uint32_t>(payload.size());
  header.kind = detector::PayloadKind::kWaveform16;
  header.channels = 1;
  header.samples = 3;
  assembly.add(header, payload);
}

}  // namespace

TEST_CASE("pieces in any order become one board's data") {
  EventAssembly assembly(two_boards());
  add(assembly, 5, 1, 4, 6, {5, 0});
  add(assembly, 5, 0, 0, 0, {});
  add(assembly, 5, 1, 0, 6, {1, 0, 3, 0});
  REQUIRE(assembly.close({5, 1234, 3, 2, 0}));
  CHECK(assembly.event().latency_ns == 1234);
  REQUIRE(assembly.fragments().size() == 2);
  CHECK(assembly.fragments()[0].length == 0);
  CHECK(assembly.fragments()[1].missing_pieces == 0);
  CHECK(std::vector(assembly.data().begin(), assembly.data().end()) ==
        std::vector<std::uint8_t>{1, 0, 3, 0, 5, 0});
  const auto waveforms = assembly.waveforms();
  CHECK(std::vector(waveforms.begin(), waveforms.end()) ==
        std::vector<std::uint16_t>{0xffff, 0xffff, 0xffff, 1, 3, 5});
}

TEST_CASE("missing pieces are zeros in the data and 0xFFFF in the waveforms") {
  EventAssembly assembly(two_boards());
  add(assembly, 5, 0, 4, 6, {5, 0});
  REQUIRE(assembly.close({5, -1, 1, 0, 1}));
  CHECK(assembly.fragments()[0].missing_pieces == 1);
  CHECK(assembly.fragments()[0].status == 1);
  CHECK(std::vector(assembly.data().begin(), assembly.data().end()) ==
        std::vector<std::uint8_t>{0, 0, 0, 0, 5, 0});
  CHECK(assembly.waveforms()[0] == 0xffff);
}

TEST_CASE("an event without all accepted pieces is not laid out") {
  EventAssembly assembly(two_boards());
  add(assembly, 5, 0, 0, 2, {5, 0});
  CHECK_FALSE(assembly.close({5, 0, 2, 2, 0}));
  CHECK_FALSE(assembly.close({5, 0, 1, 1, 0}));  // event 5 is no longer stored
  CHECK_FALSE(assembly.close({6, 0, 1, 1, 0}));
}

TEST_CASE("a payload that contradicts the configuration has no waveforms") {
  EventFileConfig config = two_boards();
  config.samples = 2;
  EventAssembly assembly(config);
  add(assembly, 5, 0, 0, 4, {1, 0, 3, 0});
  REQUIRE(assembly.close({5, 0, 1, 1, 1}));
  CHECK(assembly.waveforms()[0] == 0xffff);
  CHECK(assembly.data().size() == 4);
}

TEST_CASE("memory of open events is bounded") {
  EventFileConfig config = two_boards();
  SECTION("in bytes") {
    config.held = 1000;
    EventAssembly assembly(config);
    for (std::uint64_t e = 0; e < 100; ++e) add(assembly, e, 0, 0, 4, {1, 2, 3, 4});
    CHECK(assembly.close({0, 0, 1, 1, 1}));
    CHECK_FALSE(assembly.close({99, 0, 1, 1, 1}));
    add(assembly, 200, 0, 0, 4, {1, 2, 3, 4});
    CHECK(assembly.close({200, 0, 1, 1, 1}));
  }
  SECTION("in events") {
    config.open_events = 4;
    EventAssembly assembly(config);
    for (std::uint64_t e = 0; e < 6; ++e) add(assembly, e, 0, 0, 4, {1, 2, 3, 4});
    CHECK_FALSE(assembly.close({1, 0, 1, 1, 1}));
    CHECK(assembly.close({2, 0, 1, 1, 1}));
    CHECK(assembly.close({5, 0, 1, 1, 1}));
  }
}
