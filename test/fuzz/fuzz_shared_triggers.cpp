// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: workers with different clocks advance SharedTriggers in any order, read its triggers, and report
// when boards become or stop being busy. The workers must see the same triggers as a TriggerBus that gets the
// same reports and is advanced by one thread.
#include "dataplane/shared_triggers.hpp"
#include "engine/trigger_bus.hpp"
#include "input.hpp"

#include <algorithm>
#include <array>
#include <vector>

using namespace softfeb;
using namespace softfeb::detector;
using engine::TriggerBus;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr std::uint32_t kReaders = 4;
constexpr std::uint32_t kBoards = 3;
/// Number of triggers that suffices to overwrite triggers that a slow reader has not yet read.
constexpr int kMany = TriggerBus::kKept + 100;

TriggerSourceConfig source_from(Input& in) {
  TriggerSourceConfig out;
  out.kind = static_cast<TriggerSourceConfig::Kind>(in.byte() % 3);
  out.type = static_cast<EventType>(in.byte());
  out.rate_hz = (std::uint64_t{in.byte()} << in.byte() % 33) + 1;
  out.seed = in.byte();
  out.phase = in.size(1000);
  out.pile_up_parts = std::uint64_t{in.byte()} << 24;
  out.pile_up_window = in.size(2000);
  for (std::size_t n = in.size(6); n != 0; --n) out.times.push_back(in.size(5000));
  return out;
}

engine::TriggerBusConfig config_from(Input& in) {
  engine::TriggerBusConfig out;
  for (std::size_t n = in.size(4) + 1; n != 0; --n) out.sources.push_back(source_from(in));
  out.dead_time = in.size(300);
  out.boards = kBoards;
  out.busy_delay = in.size(100);
  return out;
}

/// The clock of a worker, and the next trigger that the worker reads.
struct Reader {
  Time now = 0;
  std::uint64_t next = 0;
};

class Feeds {
 public:
  explicit Feeds(const engine::TriggerBusConfig& config) : shared_(config), bus_(config) {}

  void begin(Time at) {
    require(shared_.next() == kNever && !shared_.over());
    shared_.begin(at, {7, 8});
    bus_.begin(at, {7, 8});
    latest_ = at;
    for (Reader& r : readers_) r.now = at;
    compare();
  }

  Reader& reader(std::size_t i) { return readers_[i % kReaders]; }

  /// Lets SharedTriggers accept or reject the candidates that are due at the time of a reader. Several calls
  /// may be needed; makes at most `most` calls.
  void advance(const Reader& reader, int most) {
    do {
      const std::uint64_t before = shared_.accepted();
      if (shared_.next() < reader.now) latest_ = std::max(latest_, reader.now);
      shared_.advance(reader.now);
      const std::uint64_t accepted = shared_.accepted();
      require(shared_.next() >= reader.now || accepted > before);
      // A single call accepts only triggers of the same time. These triggers may make boards busy, and the
      // busy boards must be able to veto later triggers.
      require(accepted == before || shared_.trigger(accepted - 1).time == shared_.trigger(before).time);
      judge();
    } while (shared_.next() < reader.now && --most > 0);
  }

  /// Reports a board as busy or not busy. The report applies to candidates that have not been accepted or
  /// rejected yet, even if they are due.
  void report(const Reader& reader, std::uint32_t board, bool busy) {
    if (board < kBoards) {
      latest_ = std::max(latest_, reader.now);
      bus_.report(board, busy, std::min(latest_, shared_.next()));
    }
    shared_.report(board, busy, reader.now);
    judge();
  }

  void end(Time at) {
    shared_.end(at);
    bus_.end(at);
    compare();
  }

  /// Lets `reader` read all new triggers, as a board does.
  void take(Reader& reader) const {
    reader.next = std::max(reader.next, shared_.oldest());
    for (; reader.next < shared_.accepted(); ++reader.next)
      require(shared_.trigger(reader.next) == bus_.trigger(reader.next));
  }

  void finish() {
    for (Reader& r : readers_) take(r);
    require(shared_.busy_time(latest_) == bus_.busy_time(latest_));
    require(std::equal(shared_.counts().begin(), shared_.counts().end(), bus_.counts().begin(),
                       bus_.counts().end()));
  }

 private:
  /// Lets the TriggerBus accept or reject all candidates that SharedTriggers has accepted or rejected, and
  /// compares the results of the two.
  void judge() {
    bus_.advance(std::min(latest_, shared_.next()));
    compare();
  }

  void compare() const {
    require(shared_.accepted() == bus_.accepted() && shared_.oldest() == bus_.oldest());
    require(shared_.next() == bus_.next() && shared_.over() == bus_.over());
    require(shared_.origin() == bus_.origin() && shared_.began() == bus_.began());
  }

  dataplane::SharedTriggers shared_;
  TriggerBus bus_;
  std::array<Reader, kReaders> readers_;
  Time latest_ = 0;  ///< latest reader time that SharedTriggers has applied to candidates
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Feeds feeds(config_from(in));
  feeds.begin(in.size(1000));
  while (!in.empty()) {
    const std::uint8_t what = in.byte();
    Reader& reader = feeds.reader(what >> 3);
    switch (what % 8) {
      case 0:
      case 1:
        feeds.report(reader, in.byte() % (kBoards + 1), (what & 0x80) != 0);
        break;
      case 2:
        feeds.take(reader);
        break;
      case 3:
        // End the triggers rarely, because no trigger follows the end.
        if (in.byte() == 0xa5) feeds.end(reader.now + in.size(300) - std::min<Time>(reader.now, 100));
        break;
      case 4:
        // The worker was preempted. In rare cases, it then accepts so many triggers at once that some of them
        // are overwritten before the other workers have read them.
        reader.now += 8 * in.size(1000);
        for (int n = in.byte() == 0x5a ? kMany : 1; n != 0; --n) {
          feeds.advance(reader, 16);
          reader.now += n == 1 ? 0 : 50;
        }
        break;
      default:
        reader.now += in.size(200);
        feeds.advance(reader, 1 + what / 64);
    }
  }
  feeds.finish();
  return 0;
}
