// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/marking_train.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace softfeb::switchtest {

std::vector<QueuedFrame> frozen_train(std::span<const Arrival> arrivals) {
  std::vector<QueuedFrame> out;
  out.reserve(arrivals.size());
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    out.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(arrivals.size() - 1 - i),
                   arrivals[i].ecn == roce::Ecn::kCe});
  return out;
}

MarkedTrain refilled_train(std::span<const Arrival> first, std::uint64_t dropped,
                           std::span<const Arrival> second, Time released) {
  MarkedTrain out{.frames = frozen_train(first), .filled = first.size(), .dropped = dropped};
  const auto stayed = static_cast<std::uint32_t>(
      std::count_if(first.begin(), first.end(), [&](const Arrival& a) { return a.at >= released; }));
  out.left = first.size() - stayed;
  for (QueuedFrame& f : out.frames)
    if (f.behind < stayed) f.behind += static_cast<std::uint32_t>(second.size());
  for (QueuedFrame f : frozen_train(second)) {
    f.ahead += stayed;
    out.frames.push_back(f);
  }
  return out;
}

/// If a frame departs at t and does not wait, it arrives at t + u, where u is its unloaded delay. This
/// function takes t + u as the time at which a frame enters the queue, and the arrival of a frame as the time
/// at which it leaves the queue. Both times are late by the same delay. For two frames i and j of the queue,
/// j therefore left the queue after i had entered it if and only if j arrived after t_i + u_i.
std::vector<QueuedFrame> overload_train(std::span<const Arrival> arrivals, std::span<const Time> unloaded) {
  std::vector<Time> came, left;
  for (const Arrival& a : arrivals) {
    const Time at = a.departed + unloaded[a.kind];
    came.push_back(came.empty() ? at : std::max(at, came.back()));
    left.push_back(a.at);
  }
  std::vector<QueuedFrame> out;
  out.reserve(arrivals.size());
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const auto gone =
        static_cast<std::size_t>(std::upper_bound(left.begin(), left.end(), came[i]) - left.begin());
    const auto in =
        static_cast<std::size_t>(std::upper_bound(came.begin(), came.end(), left[i]) - came.begin());
    out.push_back({static_cast<std::uint32_t>(i - std::min(i, gone)),
                   static_cast<std::uint32_t>(std::max(in, i + 1) - (i + 1)),
                   arrivals[i].ecn == roce::Ecn::kCe});
  }
  return out;
}

namespace {

bool saturated_train_at(const MarkedTrain& train, MarkedAt at) {
  std::uint32_t deepest = 0;
  for (const QueuedFrame& f : train.frames) deepest = std::max(deepest, f.depth(at));
  return std::all_of(train.frames.begin(), train.frames.end(),
                     [&](const QueuedFrame& f) { return f.marked || 3 * f.depth(at) < 2 * deepest; });
}

}  // namespace

bool saturated(const MarkedTrain& train) {
  return !train.frames.empty() &&
         (saturated_train_at(train, MarkedAt::kEnqueue) || saturated_train_at(train, MarkedAt::kDequeue));
}

void MarkingCounts::add(const MarkedTrain& train) {
  for (const QueuedFrame& f : train.frames) {
    for (const MarkedAt at : {MarkedAt::kEnqueue, MarkedAt::kDequeue}) {
      auto& counts = counts_[static_cast<std::size_t>(at)];
      if (counts.size() <= f.depth(at)) counts.resize(f.depth(at) + 1);
      ++counts[f.depth(at)].frames;
      if (f.marked) ++counts[f.depth(at)].marked;
    }
    ++frames_;
    if (f.marked) ++marked_;
  }
}

std::uint32_t MarkingCounts::deepest() const {
  return static_cast<std::uint32_t>(std::max(counts_[0].size(), counts_[1].size())) - 1;
}

std::uint32_t MarkingCounts::certain_from(MarkedAt at) const {
  const auto& all = counts(at);
  std::size_t out = all.size();
  while (out != 0 && all[out - 1].marked == all[out - 1].frames) --out;
  return static_cast<std::uint32_t>(out);
}

std::vector<DepthShare> MarkingCounts::shares(MarkedAt at, std::uint32_t length) const {
  std::vector<DepthShare> out;
  const auto& all = counts(at);
  for (std::size_t depth = 0; depth < all.size(); ++depth)
    if (all[depth].frames != 0)
      out.push_back({static_cast<double>(depth) * length, all[depth].frames, all[depth].marked});
  return out;
}

std::vector<DepthShare> shares_by_average(std::span<const MarkedTrain> trains, MarkedAt at, unsigned weight,
                                          std::uint32_t length) {
  std::map<std::uint64_t, DepthShare> by_average;
  const auto add = [&](double average, const QueuedFrame& f) {
    DepthShare& share = by_average[static_cast<std::uint64_t>(average)];
    share.depth = std::floor(average);
    ++share.frames;
    if (f.marked) ++share.marked;
  };
  const double part = std::ldexp(1.0, -static_cast<int>(weight));
  for (const MarkedTrain& train : trains) {
    double average = 0;
    for (std::size_t i = 0; i <= train.frames.size(); ++i) {
      if (i == train.filled && train.dropped != 0) {
        const double full = static_cast<double>(i) * length;
        average = full - (full - average) * std::pow(1 - part, static_cast<double>(train.dropped));
      }
      if (at == MarkedAt::kDequeue && i == train.filled)
        for (std::size_t k = 0; k < train.left; ++k) add(average, train.frames[k]);
      if (i == train.frames.size()) break;
      average += (static_cast<double>(train.frames[i].ahead) * length - average) * part;
      if (at == MarkedAt::kEnqueue) add(average, train.frames[i]);
    }
    if (at == MarkedAt::kDequeue)
      for (std::size_t k = train.left; k < train.frames.size(); ++k) add(average, train.frames[k]);
  }
  std::vector<DepthShare> out;
  for (const auto& [key, share] : by_average) out.push_back(share);
  return out;
}

}  // namespace softfeb::switchtest
