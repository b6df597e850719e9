// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/sharing.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::switchtest {

namespace {

using Queue = QueueSeries::Queue;

class SharingRules {
 public:
  explicit SharingRules(const QueueSeries& series) : s_(series) {
    for (const Queue& q : s_.same_port) same_empty_ = same_empty_ && q.frames.high == 0;
    points_.push_back({0, s_.first});
    // Leave out the further queues of the first port if all of them stayed empty. If a queue of another port
    // then held frames, there was free memory, so the further queues stayed empty for a reason other than a
    // full memory.
    if (!same_empty_) points_.insert(points_.end(), s_.same_port.begin(), s_.same_port.end());
    points_.insert(points_.end(), s_.other_port.begin(), s_.other_port.end());
  }

  SharingFound conclude() const;

 private:
  double bytes(std::uint64_t frames) const { return static_cast<double>(frames) * s_.frame; }
  bool like_first(const Queue& q) const;
  bool memory_was_full(const Queue& q, double pool) const;
  SharingFound at_least_all_held(Sharing sharing) const;
  SharingFound unknown(const char* reason) const;
  bool shows_small_alpha() const;
  std::optional<SharingFound> limit() const;
  std::vector<HeldPoint> held_points() const;
  SharingFound complete() const;

  const QueueSeries& s_;
  bool same_empty_ = true;
  std::vector<Queue> points_;
};

/// True if a queue held as many frames as the first queue, within one frame.
bool SharingRules::like_first(const Queue& q) const {
  return q.frames.low <= s_.first.high + 1 && q.frames.high + 1 >= s_.first.low;
}

/// True if this queue and the other queues together held `pool` bytes, within about one frame.
bool SharingRules::memory_was_full(const Queue& q, double pool) const {
  return std::abs(q.used + bytes(q.frames.value()) - pool) <= 1.5 * s_.frame;
}

SharingFound SharingRules::at_least_all_held(Sharing sharing) const {
  SharingFound out{.sharing = sharing};
  for (const Queue& q : points_) out.pool_low = std::max(out.pool_low, q.used + bytes(q.frames.low));
  return out;
}

SharingFound SharingRules::unknown(const char* reason) const {
  SharingFound out = at_least_all_held(Sharing::kUnknown);
  out.reason = reason;
  return out;
}

/// True if so much memory was in use that a dynamic threshold would have fallen by two frames, even with the
/// smallest α that is configured on switches (1/128). Otherwise, such a threshold cannot be distinguished
/// from a constant limit.
bool SharingRules::shows_small_alpha() const {
  constexpr double kSmallestAlpha = 1.0 / 128, kSeen = 2;
  double used = 0;
  for (const Queue& q : points_) used = std::max(used, q.used);
  return used * kSmallestAlpha / (1 + kSmallestAlpha) >= kSeen * s_.frame;
}

/// Looks for a constant limit: all queues hold as much as the first queue, unless the memory is full. If
/// there is such a limit, it remains unknown whether the queues also have a dynamic threshold, and how large
/// the memory is.
std::optional<SharingFound> SharingRules::limit() const {
  const Sharing kind = same_empty_ ? Sharing::kPortLimit : Sharing::kQueueLimit;
  std::vector<Queue> less;
  for (const Queue& q : points_)
    if (!like_first(q)) less.push_back(q);
  if (less.size() + 1 >= points_.size() && !less.empty()) return std::nullopt;
  for (const Queue& q : less)
    if (!memory_was_full(q, less.front().used + bytes(less.front().frames.value()))) return std::nullopt;
  return at_least_all_held(kind);
}

/// Returns the points for the fit of a threshold. The threshold of a queue that holds n frames lies between n
/// − 1 and n + 1 frames, because some switches include the arriving frame in the comparison and others do
/// not.
std::vector<HeldPoint> SharingRules::held_points() const {
  std::vector<HeldPoint> out;
  for (const Queue& q : points_)
    out.push_back({.used = q.used,
                   .held = bytes(q.frames.value()),
                   .low = bytes(q.frames.low) - s_.frame,
                   .high = bytes(q.frames.high + 1)});
  return out;
}

/// Returns the result for a first queue that took the whole memory.
SharingFound SharingRules::complete() const {
  return {.sharing = Sharing::kComplete,
          .pool_low = bytes(s_.first.low),
          .pool_high = bytes(s_.first.high + 1) - 1};
}

SharingFound SharingRules::conclude() const {
  if (points_.size() == 1)
    return unknown("only one queue took frames, and there is no second egress port that could be filled");
  const bool all_like_first =
      std::all_of(points_.begin(), points_.end(), [&](const Queue& q) { return like_first(q); });
  if (!all_like_first) {
    if (auto fit = fit_threshold(held_points())) {
      if (!fit->alpha_high) return complete();
      if (fit->share_low > 0)
        return {.sharing = Sharing::kDynamic,
                .fit = *fit,
                .pool_low = fit->pool_low,
                .pool_high = fit->pool_high};
    }
  }
  const auto found = limit();
  if (!found) return unknown("what the queues held fits neither a limit nor a dynamic threshold");
  if (!shows_small_alpha())
    return unknown("the queues hold too few frames to tell a limit from a dynamic threshold");
  return *found;
}

}  // namespace

SharingFound sharing_of(const QueueSeries& series) { return SharingRules(series).conclude(); }

const char* word(Sharing sharing) {
  switch (sharing) {
    case Sharing::kComplete:
      return "complete sharing";
    case Sharing::kPortLimit:
      return "port limit";
    case Sharing::kQueueLimit:
      return "queue limit";
    case Sharing::kDynamic:
      return "dynamic threshold";
    case Sharing::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace softfeb::switchtest
