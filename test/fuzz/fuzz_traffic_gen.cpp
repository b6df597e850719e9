// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests a traffic generator with arbitrary register writes. No gap may be shorter and no burst
// longer than the registers specify, and no packet may be longer than the port permits.
#include "engine/traffic_gen.hpp"
#include "input.hpp"

#include <algorithm>
#include <array>

using namespace softfeb;
using namespace softfeb::engine;
using board::TrafficGenSettings;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr std::uint32_t kQps = 3, kSlotBytes = 9216;

class Bytes final : public roce::PayloadStream {
 public:
  const std::uint8_t* bytes(std::uint64_t /*offset*/, std::uint32_t length) const override {
    require(length != 0 && length <= memory_.size());
    return memory_.data();
  }

 private:
  std::array<std::uint8_t, TrafficGenSettings::kLongest> memory_{};
};

class Port {
 public:
  explicit Port(Input& in) : generator_(config(in), identity(), neighbours_) {
    for (std::uint32_t i = 0; i < generator_.qps(); ++i)
      generator_.add_queue_pair({.address = 0x1000,
                                 .rkey = 1,
                                 .slots = 1 + in.size(4),
                                 .slot_bytes = kSlotBytes,
                                 .headers = 54,
                                 .pmtu = 256U << in.size(5),
                                 .window = 1});
  }

  void step(Input& in) {
    const std::uint8_t what = in.byte();
    now_ += in.size(4000) * 1'000;
    if (what % 8 == 0) {
      write(in);
    } else if (what % 8 == 1 && generator_.hop().request_at() != kNever) {
      if (generator_.hop().take_request(neighbours_, now_))
        neighbours_.learn(generator_.hop().ip(), {2}, now_);
    } else if (what == 2) {
      generator_.stop();
    } else if (what == 3) {
      const bool busy = generator_.live().busy;
      generator_.start(now_);
      begun_ = begun_ || (!busy && generator_.live().busy);
    } else {
      send();
    }
  }

 private:
  static Identity identity() {
    Identity id;
    id.ip = roce::IpAddress::from_v4(0x0a000001);
    id.prefix_length = 8;
    return id;
  }
  TrafficGenConfig config(Input& in) {
    TrafficGenConfig c;
    c.start = in.byte() & 1;
    c.qps = static_cast<std::uint32_t>(in.size(kQps + 1));
    c.payload = &payload_;
    c.path.source_ip = c.path.dest_ip = identity().ip;
    c.largest_datagram = largest_ = 312 + static_cast<std::uint32_t>(in.size(9000));
    c.rate = 1 + in.size(60'000) * 1'000'000;
    return c;
  }

  void write(Input& in) {
    board::SetTrafficGen w;
    w.settings.packet_size = static_cast<std::uint32_t>(in.size(16'384));
    w.settings.packet_count = static_cast<std::uint32_t>(in.size(20));
    w.settings.gap = static_cast<std::uint32_t>(in.size(1000));
    w.settings.dest_port = static_cast<std::uint16_t>(in.size(65'536));
    w.settings.streams = static_cast<std::uint16_t>(in.size(6));
    w.settings.dest_ip = 0x0a000000 + in.byte() % 3;
    const std::uint8_t bits = in.byte();
    w.settings.mode = static_cast<TrafficGenSettings::Mode>(bits & 1);
    w.start = bits & 2;
    w.stop = bits & 4;
    const bool busy = generator_.live().busy;
    generator_.write(w, now_);
    if (w.stop) require(!generator_.live().busy);
    if (!busy && !w.start) require(!generator_.live().busy);
    if (!busy && generator_.live().busy) begun_ = true;
    settings_ = w.settings;
  }

  void send() {
    if (generator_.due() > now_) return;
    require(generator_.live().busy);
    const std::uint32_t sent = generator_.live().sent;
    if (!begun_) require(now_ >= end_ + gap_ * TrafficGenSettings::kClock);
    begun_ = false;
    if (generator_.mode() == TrafficGenSettings::Mode::kUdp) {
      TxFrame frame;
      std::array<std::uint8_t, TxFrame::kHeaderRoom> room;
      frame.header = room.data();
      generator_.write_datagram(1, now_, frame);
      require(frame.payload_length != 0 && frame.payload_length <= largest_);
      require(frame.header_length + frame.trailer_length == frame.length() - frame.payload_length);
    } else {
      require(generator_.queue_pair() < generator_.qps());
      const roce::WorkRequest w = generator_.take_write(now_);
      require(w.length != 0 && w.length <= TrafficGenSettings::kLongest && w.remote_address >= 0x1000);
    }
    require(generator_.live().sent == sent + 1);
    if (settings_.packet_count != 0) require(generator_.live().sent <= settings_.packet_count);
    require(generator_.counters().end >= now_);
    end_ = generator_.counters().end;
    gap_ = settings_.gap;
  }

  Bytes payload_;
  NeighbourTable neighbours_;
  std::uint32_t largest_ = 0;
  TrafficGen generator_;
  TrafficGenSettings settings_;
  Time now_ = 0, end_ = 0;
  std::uint64_t gap_ = 0;
  bool begun_ = true;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Port port(in);
  while (!in.empty()) port.step(in);
  return 0;
}
