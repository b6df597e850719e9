// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests a board that receives trigger messages from a server, and a server that receives busy
// messages. Messages are lost, repeated, reordered, damaged or forged. Every message must be counted exactly
// once, triggers must be in order of number and time, and a board that is idle or silent must not veto
// triggers for long.
#include "detector/trigger_server.hpp"
#include "engine/message_triggers.hpp"
#include "engine/trigger_bus.hpp"
#include "engine/tx_frame.hpp"
#include "input.hpp"

#include <array>
#include <optional>
#include <vector>

using namespace softfeb;
using fuzz::Input;
using fuzz::require;

namespace {

using Datagram = std::array<std::uint8_t, detector::kTriggerMessageSize>;
constexpr std::uint32_t kRun = 1;
constexpr std::uint32_t kBoards = 3;
constexpr Time kStart = 50;
constexpr detector::EventTime kOrigin{100, 0};

detector::TriggerServerConfig server_config() {
  detector::TriggerServerConfig c;
  c.sources = {{.rate_hz = 10'000, .seed = 1}};
  c.dead_time = 7 * kMicrosecond;
  c.boards = kBoards;
  c.run = kRun;
  c.origin = kOrigin;
  c.end = kSecond;
  return c;
}

struct Board {
  Board() : triggers(run, kRun) { run.begin(kStart, kOrigin); }

  void receive(ByteSpan datagram, std::uint16_t port, Time now) {
    roce::ParsedFrame frame;
    frame.kind = roce::FrameKind::kUdp;
    frame.source_port = port;
    frame.dest_port = detector::kTriggerPort;
    frame.content = Segments(datagram);
    const std::uint64_t before = triggers.accepted();
    triggers.receive(frame, now);
    ++received;
    if (triggers.accepted() == before) return;
    require(triggers.accepted() == before + 1);
    const detector::Trigger t = triggers.trigger(before);
    require(!last || (t.event > last->event && t.time >= last->time));
    require(t.time <= now - kStart + engine::MessageTriggers::kAhead || (last && t.time == last->time));
    last = t;
  }

  void check() const {
    const engine::TriggerMessageCounts& c = triggers.messages();
    require(c.accepted + c.ignored + c.ends + c.malformed + c.wrong_run + c.early == received);
    require(!last || triggers.events() - triggers.lost() == c.accepted || triggers.events() == 0);
  }

  engine::TriggerBus run{engine::TriggerBusConfig{}};
  engine::MessageTriggers triggers;
  std::optional<detector::Trigger> last;
  std::uint64_t received = 0;
};

/// Damages a message, or turns it into a different one.
void change(Input& in, Datagram& message) {
  for (std::size_t n = in.size(3); n != 0; --n) message[in.size(message.size())] = in.byte();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  detector::TriggerServer server(server_config());
  Board board;
  std::vector<Datagram> sent;
  Time now = 0;
  while (!in.empty()) {
    now += in.size(65'536) * in.byte() * 32;
    while (const auto m = server.next_message(now)) {
      require(m->event == sent.size() && m->run == kRun && detector::time_since(kOrigin, m->time) < now);
      detector::write_trigger_message(*m, sent.emplace_back().data());
    }
    require(server.accepted() == sent.size());
    const std::uint8_t what = in.byte();
    if (what % 4 == 0) {
      Datagram busy;
      detector::write_busy_message({.board = in.byte(), .busy = (what & 4) != 0, .run = kRun}, busy.data());
      if ((what & 8) != 0) change(in, busy);
      if (const auto m = detector::read_busy_message(busy)) server.receive(*m, now);
    } else if (what % 4 == 1 && !sent.empty()) {
      Datagram message = sent[in.size(sent.size())];
      if ((what & 4) != 0) change(in, message);
      board.receive(ByteSpan(message).first((what & 8) != 0 ? in.size(33) : message.size()), in.byte(),
                    now + kStart);
    } else if (what % 4 == 2 && !sent.empty()) {
      board.receive(sent.back(), 1000, now + kStart);
    } else {
      board.triggers.report(in.byte(), (what & 4) != 0, now + kStart);
      std::array<std::uint8_t, engine::TxFrame::kHeaderRoom> header;
      engine::TxFrame frame{.header = header.data()};
      engine::Identity from;
      from.ip = roce::IpAddress::from_v4(0x0a000001);
      if (board.triggers.write_busy(from, 1, now + kStart, frame))
        require(board.triggers.busy_due() > now + kStart);
    }
    board.check();
  }
  // Without further busy messages, the vetoes of all boards must end.
  now += detector::TriggerServer::kForget + kMicrosecond;
  while (server.next_message(now)) {
  }
  const std::uint64_t before = server.accepted();
  if (server.over()) return 0;
  now += kMillisecond;
  while (server.next_message(now)) {
  }
  require(server.accepted() > before || server.over());
  return 0;
}
