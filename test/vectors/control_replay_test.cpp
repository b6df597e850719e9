// SPDX-License-Identifier: BSD-3-Clause
// Replays the client's side of every capture of $SOFTFEB_VECTORS/control to softfeb's server, and compares
// the responses with the captured ones.
#include "control_replay.hpp"

#include "../support/vector_files.hpp"
#include "control_answers.hpp"
#include "free_registers.hpp"
#include "replayed_board.hpp"
#include "srp/srp_server.hpp"
#include "srp/stream.hpp"

#include <algorithm>

using namespace softfeb;
using namespace softfeb::test;

namespace {

constexpr std::uint16_t kRegistersPort = 8192;

class NoFrames final : public srp::FrameSource {
 public:
  bool ready(Time) override { return false; }
  Part fill(MutableByteSpan, Time) override { return {}; }
  void abandon(Time) override {}
};

std::vector<CapturedConnection> connections(bool to_registers) {
  std::vector<CapturedConnection> out;
  for (const auto& path : vector_files("control", ".pcap")) {
    for (CapturedConnection& c : control_captures(path)) {
      if ((c.server.port == kRegistersPort) == to_registers) out.push_back(std::move(c));
    }
  }
  return out;
}

/// Returns true if the captured server sent frames of the data stream on this connection. A server sends them
/// only if the client has requested them, which it does on the connection for registers.
bool streams(const CapturedConnection& c) {
  return std::any_of(c.segments.begin(), c.segments.end(),
                     [](const CapturedSegment& s) { return !s.from_client && !s.parsed().payload.empty(); });
}

}  // namespace

TEST_CASE("control replay: the registers", "[control]") {
  for (const CapturedConnection& c : connections(true)) {
    DYNAMIC_SECTION(c.capture) {
      ReplayedBoard board(configuration_of(c));
      srp::SrpServer server(board);
      ControlReplay replay(c, server);
      server.attach(replay.link());
      replay.run();
      CHECK(replay.answers().size() > 20);
      check_answers(replay.captured().messages(), replay.answers(), free_bits_of(c.capture));
    }
  }
}

TEST_CASE("control replay: the idle stream", "[control]") {
  for (const CapturedConnection& c : connections(false)) {
    if (streams(c)) continue;
    DYNAMIC_SECTION(c.capture) {
      NoFrames source;
      srp::StreamServer server(source, {});
      ControlReplay replay(c, server);
      server.attach(replay.link());
      replay.run();
      CHECK(replay.answers().empty());
      CHECK(replay.captured().messages().empty());
    }
  }
}
