// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests febctl's SRP client and stream client with a board that sends anything. Each transaction
// must end exactly once, a valid answer must not have more data than was requested, and a stream's frames
// must be bounded. The input consists of records, each with a size, an action and bytes.
#include "../support/fake_link.hpp"
#include "input.hpp"
#include "srp/srp_client.hpp"
#include "srp/stream.hpp"

#include <algorithm>
#include <deque>
#include <vector>

using namespace softfeb;
using namespace softfeb::srp;
using fuzz::Input;
using fuzz::require;
using test::FakeLink;

namespace {

constexpr std::size_t kMaxFrame = 4096;

struct World {
  World() : client(kSecond), stream([this](ByteSpan f, const FrameTags&, Time) { frame(f); }, kMaxFrame) {
    client.attach(link);
    stream.attach(stream_link);
    link.connect();
    stream_link.connect();
  }

  void frame(ByteSpan bytes) { require(bytes.size() <= kMaxFrame); }

  void begin(std::size_t n) {
    const std::size_t bytes = 4 + n % kMaxAccess / 4 * 4;
    if (client.pending() >= 64 || bytes > kMaxAccess) return;
    ++begun;
    const auto done = [this, bytes](const SrpReply& reply, Time) {
      ++ended;
      // callers do not use the data of a malformed reply
      if (reply.outcome == SrpOutcome::kMalformed) return;
      require(reply.data.size() <= bytes);
      if (reply.outcome == SrpOutcome::kOk) require(reply.data.size() == bytes);
    };
    if (!client.read(static_cast<std::uint32_t>(n) * 4, bytes, now, done)) --begun;
  }
  /// Delivers `bytes` as a response in a valid packet, with the header of the first request in flight.
  void answer(ByteSpan bytes, bool matching) {
    if (bytes.empty()) return;
    std::vector<std::uint8_t> message(bytes.begin(), bytes.end());
    if (matching && !headers.empty()) {
      message.insert(message.begin(), headers.front().begin(), headers.front().end());
      headers.pop_front();
    }
    std::vector<std::uint8_t> packet(Packetizer::kHeader + message.size() + 8 + Packetizer::kTail);
    packet.resize(cutter.write(packet, message, true));
    client.on_segment(packet, now);
  }
  void take() {
    while (!link.sent.empty()) {
      if (requests.push(link.take(now)) != Depacketizer::Result::kFrame) continue;
      const auto request = srp::parse_request(requests.frame(), false);
      if (request && request->answered()) headers.push_back(request->header);
    }
  }
  void reconnect() {
    link.close(now);
    stream_link.close(now);
    require(client.pending() == 0);
    link.connect(now);
    stream_link.connect(now);
    headers.clear();
    requests.reset();
  }

  SrpClient client;
  StreamClient stream;
  FakeLink link{client};
  FakeLink stream_link{stream};
  Packetizer cutter;
  Depacketizer requests{srp::kMaxMessage};
  std::deque<srp::Header> headers;  ///< headers of the requests that have not been answered yet
  std::size_t begun = 0;
  std::size_t ended = 0;
  Time now = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  World world;
  for (Input in(data, size); !in.empty(); ++world.now) {
    const std::size_t n = in.size(6000);
    const std::uint8_t what = in.byte() % 8;
    if (what == 0) {
      world.begin(n);
      continue;
    }
    if (what == 1) {
      world.now += kSecond;
      world.client.on_timer(world.now);
      continue;
    }
    if (what == 2) {
      world.reconnect();
      continue;
    }
    const ByteSpan bytes = in.bytes(n);
    world.take();
    if (what == 3) world.client.on_segment(bytes, world.now);
    if (what == 4) world.stream.on_segment(bytes, world.now);
    if (what >= 5) world.answer(bytes, what == 5);
  }
  world.link.close(world.now);
  require(world.begun == world.ended && world.client.pending() == 0);
  return 0;
}
