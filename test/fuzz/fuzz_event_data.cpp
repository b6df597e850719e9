// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: sends event data from boards to receivers. Boards answer triggers, and a network loses, repeats,
// damages and misplaces their WRITEs. The undamaged WRITEs must reach the event builder, and no others may.
// Every event must be complete if there were no faults, no board lost a fragment, and no event closed early.
#include "detector/counter_payload.hpp"
#include "engine/event_receiver.hpp"
#include "engine/event_sender.hpp"
#include "engine/trigger_bus.hpp"
#include "input.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

using namespace softfeb;
using namespace softfeb::detector;
using namespace softfeb::engine;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr std::uint64_t kBase = 0x10'0000;
constexpr std::uint32_t kPmtu = 256;
constexpr Time kTimeout = 400;

EventLayout layout_from(Input& in) {
  EventLayout l;
  l.boards = 1 + static_cast<std::uint32_t>(in.size(3));
  l.builders = 1 + static_cast<std::uint32_t>(in.size(2));
  l.slots = 4 + in.size(5);
  l.slot = 64 + static_cast<std::uint32_t>(in.size(1200));
  l.piece = 1 + static_cast<std::uint32_t>(in.size(600));
  // Pieces must not be tiny, because the boards would then send thousands of WRITEs.
  l.piece = std::max(l.piece, l.slot / 8);
  return l;
}

/// A WRITE in flight.
struct Message {
  std::uint32_t board = 0, builder = 0;
  roce::WorkRequest request;
  std::vector<std::uint8_t> bytes;
};

class Detector {
 public:
  explicit Detector(Input& in)
      : layout_(layout_from(in)),
        payload_({.min = 0,
                  .max = static_cast<std::uint32_t>(in.size(2000)),
                  .shape = FragmentSizes::Shape::kUniform},
                 layout_.piece, layout_.largest()),
        memory_(layout_.builders, std::vector<std::uint8_t>(layout_.memory())),
        checks_payload_((in.byte() & 1) != 0) {
    TriggerBusConfig bus;
    TriggerSourceConfig source;
    source.kind = TriggerSourceConfig::Kind::kList;
    for (std::size_t n = in.size(60); n != 0; --n) source.times.push_back(in.size(6000));
    bus.sources = {source};
    bus.boards = layout_.boards;
    bus.busy_delay = in.size(20);
    bus_ = std::make_unique<TriggerBus>(bus);
    for (std::uint32_t b = 0; b < layout_.boards; ++b) add_board(in, b);
    for (std::uint32_t i = 0; i < layout_.builders; ++i) add_receiver(i);
    bus_->begin(0);
    for (auto& s : senders_) s->start(0);
  }

  void step(Input& in) {
    now_ += in.size(100);
    for (std::uint32_t b = 0; b < layout_.boards; ++b) post(b, in.byte() % 8);
    for (auto& r : receivers_) r->advance(now_);
    const std::uint8_t what = in.byte();
    if (!wire_.empty()) deliver(in, what);
    check();
  }

  /// Sends the remaining pieces without further faults, and closes the events.
  void finish() {
    for (auto& s : senders_) s->stop(now_);
    for (bool busy = true; busy;) {
      now_ += 50;
      for (std::uint32_t b = 0; b < layout_.boards; ++b) post(b, 1000);
      for (auto& r : receivers_) r->advance(now_);
      while (!wire_.empty()) arrive(take(0));
      busy = std::any_of(senders_.begin(), senders_.end(), [](const auto& s) { return !s->finished(); });
    }
    now_ += kTimeout + 1;
    for (auto& r : receivers_) r->advance(now_);
    for (auto& r : receivers_) r->finish(now_, bus_->accepted());
    check();
    judge();
  }

 private:
  void add_board(Input& in, std::uint32_t b) {
    EventSenderConfig c;
    c.fifo.layout = layout_;
    c.fifo.board = static_cast<std::uint16_t>(b);
    c.fifo.window = in.size(50);
    c.fifo.readout_delay = in.size(100);
    c.fifo.fifo = 1 + static_cast<std::uint32_t>(in.size(4));
    c.fifo.busy_at = 1 + static_cast<std::uint32_t>(in.size(6));
    c.pmtu = kPmtu;
    c.payload = &payload_;
    c.triggers = bus_.get();
    if ((in.byte() & 1) != 0) c.reports_as = b;
    senders_.push_back(std::make_unique<EventSender>(c));
    for (std::uint32_t i = 0; i < layout_.builders; ++i) senders_.back()->set_region(i, kBase, i);
    completed_.emplace_back(layout_.builders, 0);
  }

  void add_receiver(std::uint32_t i) {
    EventReceiverConfig c;
    c.layout = layout_;
    c.builder = i;
    c.building.timeout = kTimeout;
    c.building.window = static_cast<std::uint32_t>(layout_.slots);
    c.address = kBase;
    c.memory = memory_[i].data();
    c.expected = checks_payload_ ? &payload_ : nullptr;
    c.triggers = bus_.get();
    receivers_.push_back(std::make_unique<EventReceiver>(c));
  }

  /// Posts up to `most` pieces, and reads the bytes of each piece packet by packet, as the requester does.
  void post(std::uint32_t b, std::size_t most) {
    EventSender& s = *senders_[b];
    s.advance(now_);
    for (; most != 0 && s.has_piece(); --most) {
      Message m;
      m.board = b;
      m.builder = s.builder();
      m.request = s.take();
      require(m.request.rkey == m.builder && m.request.remote_address >= kBase);
      require(m.request.remote_address + m.request.length <= kBase + layout_.memory());
      m.bytes = read(s, m.request);
      sent_ += 1;
      wire_.push_back(std::move(m));
    }
  }

  static std::vector<std::uint8_t> read(const EventSender& s, const roce::WorkRequest& w) {
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t at = 0; at < w.length; at += kPmtu) {
      const std::uint32_t n = std::min(kPmtu, w.length - at);
      const std::uint8_t* const from = s.bytes(w.payload_offset + at, n);
      require(from != nullptr);
      bytes.insert(bytes.end(), from, from + n);
    }
    return bytes;
  }

  Message take(std::size_t i) {
    Message m = std::move(wire_[i]);
    wire_.erase(wire_.begin() + static_cast<std::ptrdiff_t>(i));
    return m;
  }

  void deliver(Input& in, std::uint8_t what) {
    // Messages of one queue pair stay in order, but messages of other queue pairs may arrive between them.
    Message m = take(0);
    // A retransmission carries the same bytes.
    require(read(*senders_[m.board], m.request) == m.bytes);
    switch (what % 32) {
      case 1:  // the message is lost
        ++faults_;
        return complete(m);
      case 2:  // the message arrives twice
        write(m);
        receive(m);
        break;
      case 3:
        if (m.bytes.empty()) break;
        ++faults_;
        m.bytes[in.size(m.bytes.size())] ^= static_cast<std::uint8_t>(1 + in.byte() % 255);
        write(m);
        return receive_damaged(m);
      case 4:
        ++faults_;
        m.request.immediate += 1 + in.byte();
        write(m);
        return receive_damaged(m);
      case 5:
        ++faults_;
        m.request.remote_address =
            kBase + in.size(static_cast<std::size_t>(layout_.memory() - m.request.length) + 1);
        if (m.request.remote_address == kBase + place_of(m)) break;
        write(m);
        return receive_damaged(m);
      case 6:
        ++faults_;
        write(m);
        m.bytes.clear();
        m.request.length = static_cast<std::uint32_t>(in.size(64));
        return receive_damaged(m);
      default:
        break;
    }
    arrive(m);
  }

  std::uint64_t place_of(const Message& m) const {
    EventHeader h;
    require(read_event_header(m.bytes, h) == HeaderVerdict::kOk);
    return layout_.address_of(h.event, h.board) + layout_.piece_address(h.offset / layout_.piece);
  }

  void arrive(const Message& m) {
    write(m);
    receive(m);
    complete(m);
  }
  void write(const Message& m) {
    std::copy(m.bytes.begin(), m.bytes.end(), memory_[m.builder].begin() + offset(m));
  }
  static std::ptrdiff_t offset(const Message& m) {
    return static_cast<std::ptrdiff_t>(m.request.remote_address - kBase);
  }
  void receive(const Message& m) {
    const std::uint64_t before = receivers_[m.builder]->builder().counts().fragments;
    pass(m);
    require(receivers_[m.builder]->builder().counts().fragments == before + 1);
  }
  /// Delivers a damaged WRITE, and tells the board that the WRITE has completed. The receiver must reject the
  /// message.
  void receive_damaged(const Message& m) {
    const std::uint64_t before = receivers_[m.builder]->builder().counts().fragments;
    pass(m);
    require(receivers_[m.builder]->builder().counts().fragments == before);
    complete(m);
  }
  void pass(const Message& m) {
    ++passed_;
    receivers_[m.builder]->message(now_, m.board,
                                   {.address = m.request.remote_address,
                                    .length = m.request.length,
                                    .has_immediate = true,
                                    .immediate = m.request.immediate});
  }
  void complete(const Message& m) {
    senders_[m.board]->completed(m.builder, ++completed_[m.board][m.builder], now_);
  }

  void check() const {
    std::uint64_t messages = 0, counted = 0;
    for (const auto& r : receivers_) {
      const EventMessageCounts& c = r->counts();
      messages += c.messages;
      counted += c.no_immediate + c.header.rejected() + c.wrong_source + c.wrong_immediate + c.wrong_address +
                 c.wrong_payload + r->builder().counts().fragments;
      require(r->deadline() > now_);
    }
    require(messages == passed_ && counted == passed_);
    for (const auto& s : senders_) require(s->missed() == 0 && s->next_event() >= now_);
  }

  void judge() const {
    std::uint64_t complete = 0, opened = 0;
    for (const auto& r : receivers_) {
      complete += r->builder().counts()[EventStatus::kComplete];
      opened += r->builder().counts().opened;
    }
    require(complete <= opened && opened <= bus_->accepted());
    std::uint64_t lost = 0, entered = 0;
    for (const auto& s : senders_) {
      const FragmentFifoCounts& c = s->fifo().counts();
      require(c.entered == c.completed && c.entered + c.lost == bus_->accepted());
      lost += c.lost;
      entered += c.entered;
    }
    require(sent_ >= entered);
    if (faults_ == 0 && lost == 0 && !late()) require(complete == bus_->accepted());
  }
  /// Returns true if events were closed by a timeout, by lack of room or at the end of the run. Such events
  /// may be incomplete.
  bool late() const {
    for (const auto& r : receivers_) {
      const EventBuilderCounts& c = r->builder().counts();
      if (c[EventStatus::kTimeout] != 0 || c[EventStatus::kPressure] != 0 || c[EventStatus::kEnd] != 0)
        return true;
    }
    return false;
  }

  EventLayout layout_;
  CounterPayload payload_;
  std::vector<std::vector<std::uint8_t>> memory_;
  bool checks_payload_;
  std::unique_ptr<TriggerBus> bus_;
  std::vector<std::unique_ptr<EventSender>> senders_;
  std::vector<std::unique_ptr<EventReceiver>> receivers_;
  std::vector<std::vector<std::uint64_t>> completed_;  ///< number of completed WRITEs, by board and builder
  std::deque<Message> wire_;
  Time now_ = 0;
  std::uint64_t sent_ = 0, passed_ = 0, faults_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Detector detector(in);
  while (!in.empty()) detector.step(in);
  detector.finish();
  return 0;
}
