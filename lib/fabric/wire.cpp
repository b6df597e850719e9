// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wire.hpp"

#include "fabric/link_rules.hpp"

#include <utility>

namespace softfeb::fabric {

/// The `Exit` of faults::RuleActions. Takes a frame to which the fault rules have been applied, and the
/// copies and held frames that leave together with this frame. Copies and held frames arrive at the time at
/// which the frame would arrive without faults.
class Wire::Exit {
 public:
  Exit(Wire& wire, const Random& random, Time arrival, FrameStore& store, NetworkTotals& totals)
      : wire_(wire), random_(random), arrival_(arrival), store_(store), totals_(totals) {}

  static bool room() { return true; }
  bool forward(Frame* frame) {
    if (random_.drop) {
      dropped_ = true;
      return false;
    }
    return wire_.pass_random(frame, random_, store_, totals_);
  }
  void drop(Frame*) { dropped_ = true; }
  void add_copy(Frame* frame) {
    ++totals_.duplicated;
    add_held(frame);
  }
  void add_held(Frame* frame) {
    frame->at = arrival_;
    wire_.under_way_.push(frame);
  }

  /// True if the frame was lost. The caller of the wire then owns it.
  bool dropped() const { return dropped_; }

 private:
  Wire& wire_;
  const Random& random_;
  Time arrival_;
  FrameStore& store_;
  NetworkTotals& totals_;
  bool dropped_ = false;
};

Wire::Wire(std::uint64_t rate, Time delay, const LinkFaults& faults, Rng rng,
           std::unique_ptr<LinkRules> rules)
    : time_(rate),
      delay_(delay),
      random_(faults.any_random()),
      faulty_(faults.any()),
      drop_(faults.drop),
      duplicate_(faults.duplicate),
      corrupt_(faults.corrupt),
      reorder_(faults.reorder),
      reorder_by_(faults.reorder_by),
      rng_(rng),
      rules_(std::move(rules)) {}

Wire::~Wire() = default;
Wire::Wire(Wire&&) noexcept = default;

/// Draws the random numbers for one frame. Always draws equally many numbers. Therefore, which
/// frames a fault affects depends neither on the rules nor on the probabilities of the other faults.
Wire::Random Wire::draw() {
  Random r;
  r.drop = rng_.chance(drop_);
  r.duplicate = rng_.chance(duplicate_);
  r.corrupt = rng_.chance(corrupt_);
  r.reorder = rng_.chance(reorder_);
  r.bit = rng_.next();
  r.later = rng_.below(reorder_by_) + 1;
  return r;
}

/// Applies rules, then random faults. Returns false if a fault drops the frame.
bool Wire::transmit_faulty(Frame* frame, FrameStore& store, NetworkTotals& totals) {
  const Random random = random_ ? draw() : Random{};
  Exit exit(*this, random, frame->at, store, totals);
  if (rules_ == nullptr || !rules_->apply(frame, exit, frame->at)) exit.forward(frame);
  find_late();
  return !exit.dropped();
}

/// Applies all random faults except drop to a frame. These faults are independent of each other. A duplicate
/// arrives at the regular time, does not occupy the link, and is neither corrupted nor reordered. Returns
/// true if the frame itself arrives at the regular time.
bool Wire::pass_random(Frame* frame, const Random& random, FrameStore& store, NetworkTotals& totals) {
  const Time arrival = frame->at;
  Frame* copy = nullptr;
  if (random.duplicate) {
    ++totals.duplicated;
    copy = store.copy(*frame);
    if (copy == nullptr) ++totals.dropped_store;
  }
  if (random.corrupt && frame->length > roce::kEthernetSize && store.corrupt(*frame, random.bit))
    ++totals.corrupted;
  if (random.reorder) {
    ++totals.reordered;
    frame->at += random.later;
    late_.insert_by_time(frame);
  } else {
    under_way_.push(frame);
  }
  if (copy != nullptr) {
    copy_facts(*frame, *copy);
    copy->at = arrival;
    under_way_.push(copy);
  }
  return !random.reorder;
}

void Wire::find_late() {
  late_at_ = late_.front_time();
  if (rules_ != nullptr) late_at_ = std::min(late_at_, rules_->next_arrival());
}

Frame* Wire::arrive_late() {
  Frame* const frame = late_.front_time() == late_at_ ? late_.pop() : rules_->arrive();
  find_late();
  return frame;
}

Frame* Wire::leave(bool& late) {
  late = under_way_.empty();
  if (!late) return under_way_.pop();
  if (late_.empty()) return nullptr;
  Frame* const frame = late_.pop();
  find_late();
  return frame;
}

void Wire::enter(Frame* frame, bool late) {
  if (!late) return under_way_.push(frame);
  late_.insert_by_time(frame);
  find_late();
}

std::size_t Wire::size() const {
  return under_way_.size() + late_.size() + (rules_ == nullptr ? 0 : rules_->held());
}

const std::vector<faults::RuleCounters>* Wire::rule_counters() const {
  return rules_ == nullptr ? nullptr : &rules_->counters();
}

}  // namespace softfeb::fabric
