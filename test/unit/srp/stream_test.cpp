// SPDX-License-Identifier: BSD-3-Clause
#include "srp/stream.hpp"

#include "../../support/fake_link.hpp"
#include "../../support/frame_pattern.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using test::FakeLink;
using test::PatternCheck;
using test::PatternSource;

namespace {

/// Both ends of a stream. exchange() delivers to each end what the other one has sent.
struct StreamRig {
  explicit StreamRig(std::size_t frame_bytes)
      : source(frame_bytes),
        server(
            source, [this](ByteSpan f, const FrameTags&, Time) { lengths.push_back(f.size()); }, 4096),
        client([this](ByteSpan f, const FrameTags&, Time) { check.take(f); }),
        link(server),
        far(client) {
    server.attach(link);
    client.attach(far);
  }
  void exchange() {
    while (!link.sent.empty() || !far.sent.empty()) {
      if (!link.sent.empty()) client.on_segment(link.take(), 0);
      if (!far.sent.empty()) server.on_segment(far.take(), 0);
    }
  }

  PatternSource source;
  StreamServer server;
  StreamClient client;
  FakeLink link;
  FakeLink far;
  PatternCheck check;
  std::vector<std::size_t> lengths;
};

}  // namespace

TEST_CASE("a stream's frames arrive unchanged, at any length", "[stream]") {
  for (const std::size_t bytes : {1, 7, 8, 999, 1000, 1001, 16'000, 100'003}) {
    INFO(bytes);
    StreamRig rig(bytes);
    rig.source.frames_left = 5;
    rig.link.connect();
    rig.far.connect();
    rig.exchange();
    CHECK(rig.check.frames == 5);
    CHECK(rig.check.wrong == 0);
    CHECK(rig.client.received().bytes == 5 * bytes);
    CHECK(rig.server.sent().frames == 5);
    CHECK(rig.server.sent().bytes == 5 * bytes);
    CHECK(rig.link.bad_sends == 0);
  }
}

TEST_CASE("a stream waits for its window, its source and its peer", "[stream]") {
  StreamRig rig(10'000);
  rig.server.pump(0);
  CHECK(rig.source.filled == 0);
  rig.link.connect();
  rig.far.connect();
  CHECK(rig.link.sent.empty());
  rig.source.frames_left = 100;
  rig.server.pump(0);
  CHECK(rig.link.sent.size() == rig.link.window);
  CHECK(rig.source.filled == 16'000);
  rig.exchange();
  CHECK(rig.check.frames == 100);
}

TEST_CASE("a connection closed within a frame restarts with a new frame", "[stream]") {
  StreamRig rig(20'000);
  rig.source.frames_left = 3;
  rig.link.connect();
  rig.far.connect();
  rig.client.on_segment(rig.link.take(), 0);
  rig.link.close(0);
  rig.far.close(0);
  CHECK(rig.source.abandoned == 1);
  rig.link.connect();
  rig.far.connect();
  rig.exchange();
  CHECK(rig.check.frames == 2);
  CHECK(rig.check.wrong == 0);
  CHECK(rig.client.dropped() == 0);
}

TEST_CASE("frames to the board are counted and bounded", "[stream]") {
  StreamRig rig(8);
  CHECK_FALSE(rig.client.send(std::vector<std::uint8_t>(8), 0));
  rig.link.connect();
  rig.far.connect();
  for (const std::size_t n : {1, 1000, 4096, 4097, 3})
    REQUIRE(rig.client.send(std::vector<std::uint8_t>(n), 0));
  rig.exchange();
  CHECK(rig.lengths == std::vector<std::size_t>{1, 1000, 4096, 3});
  CHECK(rig.server.received().frames == 4);
  CHECK(rig.server.received().bytes == 5100);
  CHECK(rig.server.dropped() > 0);
}

TEST_CASE("frames marked as damaged are dropped", "[stream]") {
  StreamRig rig(8);
  rig.far.connect();
  Packetizer cutter;
  std::vector<std::uint8_t> packet(24);
  FrameTags damaged;
  damaged.last_user = 1;
  REQUIRE(cutter.write(packet, std::vector<std::uint8_t>(8), true, damaged) == 24);
  CHECK(rig.client.on_segment(packet, 0));
  CHECK(rig.client.damaged() == 1);
  CHECK(rig.client.received().frames == 0);
}
