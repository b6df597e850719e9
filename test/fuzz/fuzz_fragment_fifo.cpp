// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests a board's FIFO with arbitrary layouts, triggers and completions. No fragment may be lost
// without being counted, and every piece must lie in the slot of its event.
#include "detector/fragment_fifo.hpp"
#include "input.hpp"

#include <algorithm>
#include <vector>

using namespace softfeb;
using namespace softfeb::detector;
using fuzz::Input;
using fuzz::require;

namespace {

FragmentFifoConfig config_from(Input& in) {
  FragmentFifoConfig c;
  c.layout.boards = 1 + static_cast<std::uint32_t>(in.size(200));
  c.layout.builders = 1 + static_cast<std::uint32_t>(in.size(4));
  c.layout.slots = 1 + in.size(9);
  c.layout.slot = 64 + static_cast<std::uint32_t>(in.size(3000));
  c.layout.piece = 1 + static_cast<std::uint32_t>(in.size(1000));
  c.board = static_cast<std::uint16_t>(in.size(c.layout.boards));
  c.window = in.size(100);
  c.readout_delay = in.size(300);
  c.fifo = 1 + static_cast<std::uint32_t>(in.size(6));
  c.busy_at = 1 + static_cast<std::uint32_t>(in.size(8));
  c.pipeline = 1 + static_cast<std::uint32_t>(in.size(4));
  return c;
}

/// Posts and completes pieces, and checks the state and the counters of the FIFO.
class Board {
 public:
  explicit Board(const FragmentFifoConfig& config) : fifo_(config) {}

  void step(Input& in) {
    const std::uint8_t what = in.byte();
    now_ += in.size(120);
    if (what % 3 == 0) {
      fifo_.trigger({event_++, now_, EventType::kDaq}, static_cast<std::uint32_t>(in.size(5000)), what & 1);
    } else if (what % 3 == 1) {
      fifo_.advance(now_);
      require(fifo_.next_ready() > now_);
      if (fifo_.has_piece()) post();
    } else if (!posted_.empty()) {
      complete(in.size(posted_.size()));
    }
    check();
  }

 private:
  struct Posted {
    std::uint32_t place;
    std::uint32_t pieces;
  };

  void post() {
    const FragmentPiece p = fifo_.piece();
    const EventLayout& l = fifo_.config().layout;
    require(posted_any_ ? p.event >= last_event_ : true);
    require(p.index == (p.event == last_event_ && posted_any_ ? last_index_ + 1 : 0));
    posted_any_ = true;
    last_event_ = p.event;
    last_index_ = p.index;
    const EventHeader h = fifo_.header(p.place, p.index, 0);
    require(h.event == p.event && h.offset == p.offset && h.length == p.length && h.total <= l.largest());
    require(p.last == (h.offset + h.length == h.total));
    require((h.flags & kSegmented) == (l.pieces_of(h.total) > 1 ? kSegmented : 0));
    require((h.flags & kThrottled) == (h.lost != 0 ? kThrottled : 0));
    require(h.lost >= last_lost_);
    last_lost_ = h.lost;
    const std::uint64_t slot = l.address_of(p.event, h.board);
    require(slot + l.slot <= l.memory() && p.address >= slot);
    require(p.address + p.message_length() <= slot + l.slot);
    fifo_.pop();
    if (p.last) posted_.push_back({p.place, l.pieces_of(h.total)});
  }

  void complete(std::size_t i) {
    Posted& p = posted_[i];
    const bool done = fifo_.complete(p.place, now_);
    require(done == (--p.pieces == 0));
    if (done) posted_.erase(posted_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void check() const {
    const FragmentFifoCounts& c = fifo_.counts();
    require(fifo_.used() <= fifo_.config().fifo && fifo_.used() <= c.most);
    require(c.entered == c.completed + fifo_.used());
    require(c.triggers == event_ && c.entered + c.lost <= event_);
    require(event_ - c.entered - c.lost <= fifo_.config().pipeline);
    require(fifo_.busy() == (fifo_.used() >= fifo_.config().busy_at));
    require(c.busy_time <= now_ && (!fifo_.busy() || fifo_.busy_since() <= now_));
    require(c.cut <= c.entered && c.lost_in_readout <= c.lost);
  }

  FragmentFifo fifo_;
  std::vector<Posted> posted_;  ///< fragments whose pieces have all been posted
  Time now_ = 0;
  std::uint64_t event_ = 0, last_event_ = 0;
  std::uint32_t last_index_ = 0, last_lost_ = 0;
  bool posted_any_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Board board(config_from(in));
  while (!in.empty()) board.step(in);
  return 0;
}
