// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests a map of missing data with arbitrary messages, most of which have numbers close to the
// expected ones. Every window must close once, in order, and the counters, ranges and bitmaps must agree.
#include "input.hpp"
#include "roce/window_map.hpp"

#include <bit>

using namespace softfeb;
using namespace softfeb::roce;
using fuzz::Input;
using fuzz::require;

namespace {

class Consumer : public WindowConsumer {
 public:
  explicit Consumer(std::uint32_t streams) : streams_(streams) {}

  void closed(const ClosedWindows& w) override {
    require(w.first == next && w.last >= w.first && w.at >= now);
    next = w.last + 1;
    now = w.at;
    std::uint64_t present = 0;
    for (const std::uint64_t word : w.streams) present += static_cast<std::uint64_t>(std::popcount(word));
    require(present <= streams_ && (w.first == w.last || present == 0));
    require((present == streams_) == (w.status == WindowStatus::kFull));
    marked += present;
    missing += (w.last - w.first + 1) * (streams_ - present);
  }

  std::uint64_t next = 0, marked = 0, missing = 0;
  Time now = 0;

 private:
  std::uint32_t streams_;
};

void check(const WindowMap& map, const Consumer& consumer) {
  const WindowCounters& c = map.counters();
  require(c.windows() == consumer.next && map.base() == consumer.next && c.missing == consumer.missing);
  require(c.messages == c.marked + c.duplicate_messages + c.late + c.wrong_immediate);
  require(consumer.marked <= c.marked && c.goodput_bytes == 10 * c.marked);
  std::uint64_t listed = 0;
  for (std::uint32_t s = 0; s < map.config().streams; ++s) {
    listed += map.unlisted(s);
    for (const auto& r : map.missing(s)) listed += r.last - r.first + 1;
  }
  require(listed == c.missing);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  WindowMapConfig config;
  config.streams = 1 + in.byte() % 70;
  config.ring = 1 + in.byte() % 9;
  config.depth = 1 + in.byte() % config.ring;
  config.max_jump = in.size(0x10000) << in.byte() % 16;
  config.first_immediate = 0U - in.byte();
  config.ranges_per_stream = in.byte() % 4;
  Consumer consumer(config.streams);
  WindowMap map(config, &consumer);
  Time now = 0;
  while (!in.empty()) {
    const std::uint8_t what = in.byte();
    const std::uint32_t stream = in.byte() % config.streams;
    auto n = static_cast<std::uint32_t>(map.base()) + what % 16;
    if (what >= 0xf0) n += static_cast<std::uint32_t>(in.size(0x10000)) * 0x10001U;
    now += what / 16;
    map.message(now, stream, n - 4 + config.first_immediate, 10);
    check(map, consumer);
  }
  const std::uint64_t sent = map.base() + in.size(100);
  map.finish(now, sent);
  check(map, consumer);
  require(consumer.next >= sent && consumer.marked == map.counters().marked);
  return 0;
}
