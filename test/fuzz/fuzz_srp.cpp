// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: sends arbitrary bytes to the SRPv3 server, as RSSI payloads or as messages in valid packets.
// Each request must be answered once, in order, with a well-formed response. Bus accesses must follow the
// rules, and the use of memory must be bounded. The first byte of the input selects whether the bus responds
// immediately. The rest of the input consists of records, each with a size, an action and bytes.
#include "../support/fake_link.hpp"
#include "../support/memory_bus.hpp"
#include "input.hpp"
#include "srp/srp_server.hpp"

#include <deque>

using namespace softfeb;
using namespace softfeb::srp;
using fuzz::Input;
using fuzz::require;
using test::FakeLink;
using test::MemoryBus;

namespace {

constexpr SrpServerLimits kLimits{.requests = 16, .request_bytes = 8 * 1024, .response_bytes = 8 * 1024};

/// A bus that checks every access: it must be aligned, have a valid size and end within the address space,
/// and it must not begin before the previous access has completed.
struct StrictBus final : Bus {
  explicit StrictBus(bool at_once) : memory(4096, at_once) { memory.refuses = 0x40; }
  void read(std::uint32_t address, MutableByteSpan out, Time now, Done done) override {
    judge(address, out.size());
    memory.read(address, out, now, std::move(done));
  }
  void write(std::uint32_t address, ByteSpan data, Time now, Done done) override {
    judge(address, data.size());
    memory.write(address, data, now, std::move(done));
  }
  void judge(std::uint32_t address, std::size_t bytes) {
    require(address % 4 == 0 && bytes % 4 == 0 && bytes >= 4 && bytes <= 4096);
    require(address + std::uint64_t{bytes} <= 1ULL << 32);
    require(!memory.waiting());
  }

  MemoryBus memory;
};

struct World {
  explicit World(bool at_once) : bus(at_once), server(bus, kLimits), link(server) {
    server.attach(link);
    link.connect();
  }

  void raw(ByteSpan payload) {
    // A raw packet may complete messages whose headers `expected` does not contain.
    ordered = false;
    server.on_segment(payload, now);
  }
  void message(ByteSpan bytes, bool eofe) {
    if (bytes.empty()) return;
    std::vector<std::uint8_t> packet(Packetizer::kHeader + bytes.size() + 8 + Packetizer::kTail);
    FrameTags tags;
    tags.last_user = eofe ? 1 : 0;
    Packetizer cutter;
    packet.resize(cutter.write(packet, bytes, true, tags));
    if (!server.on_segment(packet, now)) return;
    const auto request = srp::parse_request(bytes, eofe);
    if (request && request->answered()) expected.push_back(request->header);
  }
  void take(std::size_t n) {
    for (; n > 0 && !link.sent.empty(); --n) {
      if (collector.push(link.take(now)) == Depacketizer::Result::kFrame) response(collector.frame());
    }
    require(link.bad_sends == 0);
  }
  void response(ByteSpan bytes) {
    const auto r = srp::parse_response(bytes);
    require(r.has_value());
    if (!ordered) return;
    require(!expected.empty() && r->header == expected.front());
    expected.pop_front();
  }
  void reconnect() {
    link.close(now);
    link.connect(now);
    collector.reset();
    expected.clear();
    ordered = true;
  }
  void answer() {
    if (bus.memory.waiting()) bus.memory.answer(now);
  }
  void finish() {
    for (int i = 0; i < 100'000 && (bus.memory.waiting() || !link.sent.empty()); ++i) {
      answer();
      take(16);
    }
    require(!bus.memory.waiting() && link.sent.empty() && (!ordered || expected.empty()));
  }

  StrictBus bus;
  SrpServer server;
  FakeLink link;
  Depacketizer collector{srp::kMaxMessage};
  std::deque<srp::Header> expected;  ///< headers of the requests that have not been answered yet
  bool ordered = true;               ///< true if `expected` contains the headers of all unanswered requests
  Time now = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  World world((in.byte() & 1) == 0);
  while (!in.empty()) {
    const std::size_t n = in.size(6000);
    const std::uint8_t what = in.byte() % 8;
    const ByteSpan bytes = in.bytes(n);
    if (what == 0) world.raw(bytes);
    if (what == 1) world.reconnect();
    if (what == 2) world.take(n);
    if (what == 3) world.answer();
    if (what >= 4) world.message(bytes, what == 7);
    ++world.now;
  }
  world.finish();
  return 0;
}
