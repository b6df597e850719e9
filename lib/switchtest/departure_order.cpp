// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/departure_order.hpp"

#include <algorithm>
#include <limits>

namespace softfeb::switchtest {

namespace {

constexpr std::size_t kFewestDepartures = 20;

void count_frames(std::span<const Departure> departures, Contention& out) {
  std::fill(out.frames.begin(), out.frames.end(), 0);
  for (std::size_t i = out.begin; i < out.end; ++i) ++out.frames[departures[i].queue];
}

}  // namespace

std::optional<Contention> contention(std::span<const Departure> departures, std::size_t queues) {
  constexpr std::size_t kSkippedPart = 20;
  std::vector<std::size_t> ends(queues, 0);
  for (std::size_t i = 0; i < departures.size(); ++i) ends[departures[i].queue] = i + 1;
  Contention out{.end = *std::min_element(ends.begin(), ends.end()),
                 .frames = std::vector<std::uint64_t>(queues)};
  if (out.end == 0) return std::nullopt;
  out.begin = out.end / kSkippedPart;
  if (out.end - out.begin < kFewestDepartures) return std::nullopt;
  count_frames(departures, out);
  return out;
}

std::optional<Contention> while_all_wait(std::span<const Departure> departures, const Contention& all,
                                         Time least) {
  Contention out = all;
  for (std::size_t i = all.begin; i < all.end; ++i)
    if (departures[i].waited < least) out.begin = i + 1;
  if (out.end - out.begin < kFewestDepartures) return std::nullopt;
  count_frames(departures, out);
  if (std::find(out.frames.begin(), out.frames.end(), 0) != out.frames.end()) return std::nullopt;
  return out;
}

std::optional<Contention> whole_rounds(std::span<const Departure> departures, const Contention& all) {
  const auto rarest =
      static_cast<std::size_t>(std::min_element(all.frames.begin(), all.frames.end()) - all.frames.begin());
  std::optional<std::size_t> first, last;
  for (std::size_t i = std::max<std::size_t>(all.begin, 1); i < all.end; ++i) {
    if (departures[i].queue != rarest || departures[i - 1].queue == rarest) continue;
    if (!first) first = i;
    last = i;
  }
  if (!first || *first == *last) return std::nullopt;
  Contention out{*first, *last, std::vector<std::uint64_t>(all.frames.size())};
  count_frames(departures, out);
  return out;
}

Interval frame_ratio(std::uint64_t numerator, std::uint64_t denominator) {
  const auto n = static_cast<double>(numerator), d = static_cast<double>(denominator);
  return {n / d, std::max(0.0, n - 1) / (d + 1), d > 1 ? (n + 1) / (d - 1) : n + 1};
}

Interval accounted_overhead(const SizeCounts& counts, const Interval& ratio) {
  const auto n0 = static_cast<double>(counts.frames[0]), n1 = static_cast<double>(counts.frames[1]);
  const auto at = [&](double a, double b, double r) {
    return (r * a * counts.length[0] - b * counts.length[1]) / (b - r * a);
  };
  Interval out{at(n0, n1, ratio.value), 0, 0};
  out.low = out.high = out.value;
  for (const double a : {n0 - 1, n0 + 1})
    for (const double b : {n1 - 1, n1 + 1})
      for (const double r : {ratio.low, ratio.high}) {
        out.low = std::min(out.low, at(a, b, r));
        out.high = std::max(out.high, at(a, b, r));
      }
  return out;
}

std::optional<Interval> departure_rate(std::span<const Departure> departures, double wire_bytes,
                                       Time time_error) {
  if (departures.size() < kFewestDepartures) return std::nullopt;
  const std::size_t middle = departures.size() / 2;
  const auto frames = static_cast<double>(departures.size() - 1 - middle);
  const double seconds = to_seconds(departures.back().at - departures[middle].at);
  const double error = to_seconds(time_error);
  const double fastest = seconds > error ? (frames + 1) * wire_bytes / (seconds - error)
                                         : std::numeric_limits<double>::infinity();
  return Interval{frames * wire_bytes / seconds, (frames - 1) * wire_bytes / (seconds + error), fastest};
}

}  // namespace softfeb::switchtest
