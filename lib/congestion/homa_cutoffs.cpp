// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/homa_cutoffs.hpp"

#include <algorithm>

namespace softfeb::congestion {

namespace {

/// Mean number of unscheduled bytes of a message, counting only messages of at most `size` bytes. Every
/// message has up to `rtt` of them.
double unscheduled_below(const Cdf& lengths, double rtt, double size) {
  double total = 0, x0 = 0, p0 = 0;
  for (const Cdf::Point& point : lengths.points()) {
    const double x1 = static_cast<double>(point.bytes), p1 = point.probability;
    const double end = std::min(x1, size);
    const bool exact = x1 == x0 || (p0 == 0 && &point == &lengths.points().front());
    if (exact) {  // a length that occurs exactly
      if (x1 <= size) total += (p1 - p0) * std::min(x1, rtt);
    } else if (end > x0) {
      const double density = (p1 - p0) / (x1 - x0);
      const double split = std::min(std::max(rtt, x0), end);
      total += density * (split * split - x0 * x0) / 2 + density * (end - split) * rtt;
    }
    x0 = x1;
    p0 = p1;
  }
  return total;
}

}  // namespace

std::vector<std::uint32_t> equal_cutoffs(const Cdf& lengths, std::uint64_t rtt_bytes, unsigned levels) {
  const auto rtt = static_cast<double>(rtt_bytes);
  const std::uint64_t largest = lengths.points().back().bytes;
  const double whole = unscheduled_below(lengths, rtt, static_cast<double>(largest));
  std::vector<std::uint32_t> cutoffs;
  for (unsigned level = 1; level < levels; ++level) {
    std::uint64_t low = 0, high = largest;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (unscheduled_below(lengths, rtt, static_cast<double>(middle)) >= whole * level / levels) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    cutoffs.push_back(static_cast<std::uint32_t>(low));
  }
  return cutoffs;
}

}  // namespace softfeb::congestion
