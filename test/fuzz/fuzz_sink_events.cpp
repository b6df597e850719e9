// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests rdma-sink's event receiver with clients that write anything anywhere and complete WRITEs
// with any immediate and length. A message may reach the builder only if its header agrees with its
// immediate, its queue pair and its address. Each message must be counted exactly once.
#include "detector/event_recorder.hpp"
#include "event_receiver.hpp"
#include "eventfile/event_file.hpp"
#include "input.hpp"
#include "roce/icrc.hpp"

#include <algorithm>
#include <vector>

using namespace softfeb;
using namespace softfeb::detector;
using fuzz::Input;
using fuzz::require;

// These stubs write no file, because the event file needs HDF5, and fuzzers are built without HDF5.
namespace softfeb::eventfile {
void EventFile::record_fragment(const EventHeader&, ByteSpan) {}
void EventFile::record_closed(const ClosedEvent&, std::optional<Time>) {}
void EventFile::finish() {}
}  // namespace softfeb::eventfile

namespace {

constexpr EventTime kOrigin{1000, 0};

sink::EventOptions options_from(Input& in) {
  sink::EventOptions o;
  o.layout.boards = 1 + static_cast<std::uint32_t>(in.size(3));
  o.layout.builders = 1 + static_cast<std::uint32_t>(in.size(2));
  o.layout.slots = 1 + in.size(4);
  o.layout.slot = 64 + static_cast<std::uint32_t>(in.size(700));
  o.layout.piece = 1 + static_cast<std::uint32_t>(in.size(300));
  o.builder = static_cast<std::uint32_t>(in.size(o.layout.builders));
  o.window = 1 + static_cast<std::uint32_t>(in.size(o.layout.slots));
  o.timeout_us = 1 + in.byte() % 20;
  o.remember = in.byte() % 8;
  return o;
}

class Client {
 public:
  explicit Client(Input& in)
      : options_(options_from(in)),
        memory_(options_.layout.memory(), 0xee),
        receiver_(options_, memory_, kOrigin, nullptr) {}

  void step(Input& in) {
    now_ += in.size(3) * kMicrosecond;
    const std::uint8_t what = in.byte();
    if (what % 8 == 7) return garbage(in);
    EventHeader h = header_from(in, what);
    write(h, what % 16 == 3 ? in.size(memory_.size()) : place_of(h));
    std::uint32_t length = h.length + static_cast<std::uint32_t>(kEventHeaderSize);
    auto immediate = static_cast<std::uint32_t>(h.event);
    std::uint32_t board = h.board % options_.layout.boards;
    if (what % 16 == 4) length = static_cast<std::uint32_t>(in.size(1000));
    if (what % 16 == 5) immediate += in.byte() << in.byte() % 32;
    if (what % 16 == 6) board = static_cast<std::uint32_t>(in.size(options_.layout.boards));
    complete(board, immediate, length);
  }

  void finish() {
    receiver_.finish(now_, newest_);
    const EventBuilderCounts& c = receiver_.builder().counts();
    std::uint64_t closed = 0;
    for (const std::uint64_t n : c.by_status) closed += n;
    require(closed == c.opened);
  }

 private:
  EventHeader header_from(Input& in, std::uint8_t what) {
    EventHeader h;
    newest_ += in.size(4) / 3;
    h.event = newest_ * options_.layout.builders + options_.builder;
    if (what % 32 == 1) h.event = UINT64_MAX - in.byte();
    h.board = static_cast<std::uint16_t>(in.size(options_.layout.boards));
    h.total = static_cast<std::uint32_t>(in.size(options_.layout.largest() + 2));
    const std::uint32_t pieces = options_.layout.pieces_of(h.total);
    const auto piece = static_cast<std::uint32_t>(in.size(pieces));
    h.offset = piece * options_.layout.piece;
    h.length = h.total == 0 ? 0 : options_.layout.piece_length(piece, h.total);
    if (what % 32 == 2) h.offset = UINT32_MAX - in.byte();
    h.time = time_after(kOrigin, in.size(50) * kMicrosecond);
    return h;
  }

  std::size_t place_of(const EventHeader& h) const {
    const EventLayout& l = options_.layout;
    return l.address_of(h.event, h.board) +
           std::min<std::uint64_t>(l.piece_address(h.offset / l.piece), l.slot);
  }

  /// Writes a message with valid CRCs at `at`, truncated at the end of the memory.
  void write(EventHeader h, std::size_t at) {
    std::vector<std::uint8_t> bytes(kEventHeaderSize + std::min<std::size_t>(h.length, 4096), 7);
    h.payload_crc = roce::crc32(0, ByteSpan(bytes).subspan(kEventHeaderSize));
    write_event_header(h, bytes.data());
    const std::size_t n = std::min(bytes.size(), memory_.size() - std::min(memory_.size(), at));
    std::copy_n(bytes.begin(), n,
                memory_.begin() + static_cast<std::ptrdiff_t>(std::min(memory_.size(), at)));
  }

  void garbage(Input& in) {
    const ByteSpan bytes = in.bytes(in.size(80));
    const std::size_t at = in.size(memory_.size() - std::min(memory_.size(), bytes.size()) + 1);
    std::copy_n(bytes.begin(), std::min(bytes.size(), memory_.size()),
                memory_.begin() + static_cast<std::ptrdiff_t>(at));
    const auto board = static_cast<std::uint32_t>(in.size(options_.layout.boards));
    const std::uint32_t length = in.byte() % 4 == 0 ? UINT32_MAX - in.byte() : in.byte() * 3U;
    complete(board, static_cast<std::uint32_t>(in.size(65536)) << in.byte() % 17, length);
  }

  void complete(std::uint32_t board, std::uint32_t immediate, std::uint32_t length) {
    receiver_.advance(now_);
    const std::uint64_t before = receiver_.builder().counts().fragments;
    const std::uint64_t ok = receiver_.headers()[HeaderVerdict::kOk];
    receiver_.on_message(now_, board, immediate, length);
    ++messages_;
    const bool passed = receiver_.builder().counts().fragments != before;
    require(!passed || receiver_.headers()[HeaderVerdict::kOk] == ok + 1);
    std::uint64_t counted = receiver_.headers().rejected() + receiver_.builder().counts().fragments;
    for (std::size_t i = 0; i < sink::kContradictions; ++i)
      counted += receiver_.contradictions(static_cast<sink::Contradiction>(i));
    require(counted == messages_);
  }

  sink::EventOptions options_;
  std::vector<std::uint8_t> memory_;
  sink::EventReceiver receiver_;
  Time now_ = 0;
  std::uint64_t newest_ = 0, messages_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Client client(in);
  while (!in.empty()) client.step(in);
  client.finish();
  return 0;
}
