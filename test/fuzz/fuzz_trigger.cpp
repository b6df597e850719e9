// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests trigger sequences of arbitrary sources, with busy boards. Accepted triggers must respect
// the dead time and the vetoes of busy boards, every candidate must be counted exactly once, and the sequence
// must not depend on how often it is queried.
#include "detector/camera_busy.hpp"
#include "detector/trigger_sequence.hpp"
#include "input.hpp"

#include <vector>

using namespace softfeb;
using namespace softfeb::detector;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr std::uint32_t kBoards = 3;

TriggerSourceConfig source_from(Input& in) {
  TriggerSourceConfig out;
  out.kind = static_cast<TriggerSourceConfig::Kind>(in.byte() % 3);
  out.type = static_cast<EventType>(in.byte());
  // The rate ranges from 1 Hz to more than one trigger per picosecond.
  out.rate_hz = (std::uint64_t{in.byte()} << in.byte() % 33) + 1;
  out.seed = in.byte();
  out.phase = in.size(1000);
  out.pile_up_parts = std::uint64_t{in.byte()} << 24;
  out.pile_up_window = in.size(2000);
  for (std::size_t n = in.size(6); n != 0; --n) out.times.push_back(in.size(5000));
  return out;
}

std::uint64_t fates(const TriggerSequence& sequence) {
  std::uint64_t accepted = 0;
  for (const TriggerCounts& c : sequence.counts()) {
    require(c.candidates == c.accepted + c.dead_time + c.busy);
    accepted += c.accepted;
  }
  return accepted;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  std::vector<TriggerSourceConfig> sources;
  for (std::size_t n = in.size(5); n != 0; --n) sources.push_back(source_from(in));
  const Time dead_time = in.size(300), delay = in.size(100);
  TriggerSequence sequence(sources, dead_time), free(sources, dead_time);
  CameraBusy camera(sequence, kBoards, delay);
  std::vector<Trigger> all;
  std::uint64_t seen = 0;
  bool ever_busy = false;
  Time now = 0, busy_since = 0, last = 0;
  while (!in.empty()) {
    now += in.size(200);
    while (const auto t = sequence.accept_before(now)) {
      require(t->event == seen && t->time < now && sequence.next() >= t->time);
      require(seen == 0 || t->time - last >= dead_time);
      require(camera.busy_boards() == 0 || t->time < busy_since + delay);
      last = t->time;
      ++seen;
      all.push_back(*t);
    }
    require(sequence.next() >= now);
    const bool was_busy = camera.busy_boards() != 0;
    const std::uint8_t what = in.byte();
    require(camera.report(what % 4, (what & 4) != 0, now) == (what % 4 < kBoards));
    require(camera.busy_boards() <= kBoards);
    if (!was_busy && camera.busy_boards() != 0) busy_since = now;
    ever_busy |= camera.busy_boards() != 0;
  }
  require(fates(sequence) == seen && sequence.accepted() == seen);
  require(camera.busy_time(now) <= now);
  if (ever_busy) return 0;
  for (const Trigger& t : all) require(free.accept_before(now) == t);
  require(!free.accept_before(now));
  return 0;
}
