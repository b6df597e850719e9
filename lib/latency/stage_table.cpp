// SPDX-License-Identifier: BSD-3-Clause
#include "latency/stage_table.hpp"

#include <numeric>

namespace softfeb::latency {

StageTable::StageTable(std::uint32_t sample) : records_(kEntries), slots_(kSlots, kNone), free_(kEntries) {
  static_assert((kSlots & (kSlots - 1)) == 0 && kSlots == std::size_t{1} << 13);
  std::iota(free_.rbegin(), free_.rend(), std::uint16_t{0});
  figures_.sample = sample;
}

/// Returns the slot that holds `key`, or the free slot where `key` belongs. The table is at most half full.
std::size_t StageTable::slot_of(MessageKey key) const {
  std::size_t slot = home(key);
  while (slots_[slot] != kNone && records_[slots_[slot]].key != key) slot = (slot + 1) % kSlots;
  return slot;
}

void StageTable::put(MessageKey key, Stage stage, Time at) {
  std::size_t slot = slot_of(key);
  const bool first = stage == Stage::kTriggered || stage == Stage::kReceived;
  if (slots_[slot] != kNone && first && records_[slots_[slot]].knows(stage)) {
    // The PSNs have wrapped, and the previous message with this key never became complete.
    ++figures_.overflows;
    remove(slots_[slot]);
    slot = slot_of(key);
  }
  if (slots_[slot] == kNone && !first) return;
  Record& r = slots_[slot] == kNone ? open(slot, key) : records_[slots_[slot]];
  record(r, stage, at);
  if (!complete(r)) return;
  add(r);
  remove(static_cast<std::uint16_t>(&r - records_.data()));
}

StageTable::Record& StageTable::open(std::size_t slot, MessageKey key) {
  if (free_.empty()) {
    ++figures_.overflows;
    remove(oldest_);
    slot = slot_of(key);
  }
  const std::uint16_t entry = free_.back();
  free_.pop_back();
  slots_[slot] = entry;
  Record& r = records_[entry];
  r.key = key;
  r.known = 0;
  r.hops = 0;
  r.older = newest_;
  r.newer = kNone;
  (newest_ == kNone ? oldest_ : records_[newest_].newer) = entry;
  newest_ = entry;
  ++figures_.incomplete;
  return r;
}

void StageTable::record(Record& r, Stage stage, Time at) {
  switch (stage) {
    case Stage::kSent:
      // If the message was sent and has arrived, this stamp is from a retransmission after a lost ACK, and is
      // ignored. If only kReceived is known, the receiver's stamp was reported before the sender's.
      if (r.knows(Stage::kSent) && r.knows(Stage::kReceived)) return;
      r.hops = 0;
      r.known &= ((1U << point_of(Stage::kSwitchIn)) - 1U) | (~0U << point_of(Stage::kReceived));
      return r.set(point_of(stage), at);
    case Stage::kSwitchIn:
      if (r.knows(Stage::kReceived)) return;
      if (r.hops++ < kHops) r.set(point_of(stage, r.hops - 1U), at);
      return;
    case Stage::kSwitchOut:
      if (r.knows(Stage::kReceived)) return;
      if (r.hops - 1U < kHops) r.set(point_of(stage, r.hops - 1U), at);
      return;
    default:
      if (!r.knows(stage)) r.set(point_of(stage), at);
  }
}

bool StageTable::complete(const Record& r) {
  return r.knows(Stage::kSent) && r.knows(Stage::kCompleted) &&
         (sent_elsewhere(r.key) || r.knows(Stage::kNotified));
}

void StageTable::add(const Record& r) {
  ++figures_.messages;
  for (std::size_t i = 0; i < kSpans; ++i) {
    const Span s = spans()[i];
    if (!r.knows(s.from) || !r.knows(s.to)) continue;
    // Workers read the clock independently of each other, so a short span may seem to end before it began.
    // Its duration then counts as 0.
    figures_.histograms[i].add(r.at[s.to] > r.at[s.from] ? r.at[s.to] - r.at[s.from] : 0);
  }
}

void StageTable::remove(std::uint16_t entry) {
  unlink(entry);
  std::size_t hole = slot_of(records_[entry].key);
  slots_[hole] = kNone;
  // A search stops at a free slot. If the search for a later entry would stop at the hole before it reached
  // the entry, move the entry into the hole. The old slot of the entry is then the hole.
  for (std::size_t at = (hole + 1) % kSlots; slots_[at] != kNone; at = (at + 1) % kSlots) {
    const std::size_t wanted = home(records_[slots_[at]].key);
    if ((at - wanted) % kSlots < (at - hole) % kSlots) continue;
    slots_[hole] = slots_[at];
    slots_[at] = kNone;
    hole = at;
  }
  free_.push_back(entry);
  --figures_.incomplete;
}

void StageTable::unlink(std::uint16_t entry) {
  const Record& r = records_[entry];
  (r.older == kNone ? oldest_ : records_[r.older].newer) = r.newer;
  (r.newer == kNone ? newest_ : records_[r.newer].older) = r.older;
}

}  // namespace softfeb::latency
