// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests stream buffers with arbitrary datagrams and times, and a consumer that releases buffers in
// any order. Every datagram must be counted in exactly one counter, and events must contain the bytes that
// were sent.
#include "detector/stream_buffers.hpp"
#include "input.hpp"

#include <array>
#include <deque>
#include <vector>

using namespace softfeb;
using namespace softfeb::detector;
using fuzz::Input;
using fuzz::require;

namespace {

StreamBuffersConfig config_from(Input& in) {
  StreamBuffersConfig c;
  c.first_port = static_cast<std::uint16_t>(1 + in.size(60'000));
  c.streams = 1 + static_cast<std::uint32_t>(in.size(5));
  c.buffers = 1 + static_cast<std::uint32_t>(in.size(4));
  c.size = 1 + static_cast<std::uint32_t>(in.size(300));
  c.timeout = 1 + in.size(500);
  return c;
}

class Consumer {
 public:
  explicit Consumer(const StreamBuffersConfig& config) : buffers_(config), sent_(config.streams) {}

  void step(Input& in) {
    const std::uint8_t what = in.byte();
    if (what % 4 != 3) now_ += in.size(200);
    if (what % 4 == 0) {
      buffers_.advance(now_);
      require(buffers_.deadline() > now_);
    } else if (what % 4 == 3) {
      const auto stream = static_cast<std::uint32_t>(in.size(8)),
                 buffer = static_cast<std::uint32_t>(in.size(8));
      release(stream, buffer);
    } else {
      datagram(in);
    }
    if (what & 4) take();
    check();
  }
  void finish() {
    buffers_.finish(now_);
    take();
    require(buffers_.deadline() == kNever);
    for (const auto& bytes : sent_) require(bytes.empty());
    check();
  }

 private:
  void datagram(Input& in) {
    const StreamBuffersConfig& c = buffers_.config();
    const auto port = static_cast<std::uint16_t>(c.first_port + in.size(c.streams + 2) - 1);
    const ByteSpan all = in.bytes(in.size(400));
    Segments payload;
    const std::size_t half = all.size() / 2;
    payload.push(all.first(half));
    payload.push(all.subspan(half));
    const std::uint64_t before = buffers_.counts().bytes;
    const StreamVerdict verdict = buffers_.datagram(now_, port, payload);
    ++datagrams_;
    require(buffers_.deadline() > now_);
    const bool appended = verdict == StreamVerdict::kAppended;
    require(buffers_.counts().bytes == before + (appended ? all.size() : 0));
    const std::uint32_t stream = std::uint32_t{port} - c.first_port;
    require((verdict == StreamVerdict::kOtherPort) == (stream >= c.streams));
    if (appended) sent_[stream].insert(sent_[stream].end(), all.begin(), all.end());
  }

  /// Polls all events. The events must be in order of time, and contain the bytes of their stream in order.
  void take() {
    while (const auto e = buffers_.poll()) {
      require(e->at >= last_ && e->at <= now_ && e->first <= e->at);
      last_ = e->at;
      require(e->at - e->first <= buffers_.config().timeout);
      require((e->reason == StreamReason::kTimeout) == (e->at - e->first == buffers_.config().timeout));
      require(e->bytes != 0 && e->bytes <= buffers_.config().size && e->packets != 0 &&
              e->packets <= e->bytes);
      std::deque<std::uint8_t>& sent = sent_[e->stream];
      require(sent.size() >= e->bytes);
      for (const std::uint8_t byte : buffers_.data(*e)) {
        require(byte == sent.front());
        sent.pop_front();
      }
      taken_.push_back(*e);
    }
  }

  void release(std::uint32_t stream, std::uint32_t buffer) {
    bool owned = false;
    for (std::size_t i = 0; i < taken_.size() && !owned; ++i) {
      if (taken_[i].stream != stream || taken_[i].buffer != buffer) continue;
      owned = true;
      taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    require(buffers_.release(stream, buffer) == owned);
  }

  void check() const {
    const StreamCounts& c = buffers_.counts();
    std::uint64_t all = 0, bytes = 0;
    for (const std::uint64_t n : c.datagrams) all += n;
    for (std::uint32_t s = 0; s < buffers_.config().streams; ++s) bytes += buffers_.counts_of(s).bytes;
    require(all == datagrams_ && bytes == c.bytes);
  }

  StreamBuffers buffers_;
  /// for each stream, the appended bytes that no event has contained yet
  std::vector<std::deque<std::uint8_t>> sent_;
  std::vector<StreamEvent> taken_;
  Time now_ = 0, last_ = 0;
  std::uint64_t datagrams_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Consumer consumer(config_from(in));
  while (!in.empty()) consumer.step(in);
  consumer.finish();
  return 0;
}
