// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/homa_rules.hpp"

#include "base/cdf.hpp"

#include <stdexcept>

namespace softfeb::congestion {

namespace {

void require(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

void check(const HomaParameters& p) {
  require(p.pmtu != 0, "pmtu must be at least 1");
  require(p.rtt_bytes != 0, "rtt_bytes must be at least 1");
  require((p.rtt_bytes - 1) / p.pmtu < UINT32_MAX, "rtt_bytes must be below 2^32 packets");
  require(p.overcommit != 0, "overcommit must be at least 1");
  require(p.priorities <= HomaParameters::kMaxPriorities, "priorities must be at most 8");
  require(p.cutoffs.size() + 1 < p.priorities,
          "cutoffs must leave a scheduled level: at most priorities - 2 of them");
  require(std::is_sorted(p.cutoffs.begin(), p.cutoffs.end()), "cutoffs must not decrease");
  require(p.resend_interval != 0, "resend_interval must be above 0");
}

/// Mean number of unscheduled bytes per message, where messages longer than `size` bytes count as 0. The
/// first `rtt` bytes of a message are unscheduled.
double unscheduled_below(const Cdf& lengths, double rtt, double size) {
  double total = 0, x0 = 0, p0 = 0;
  for (const Cdf::Point& point : lengths.points()) {
    const double x1 = static_cast<double>(point.bytes), p1 = point.probability;
    const double end = std::min(x1, size);
    const bool exact = x1 == x0 || (p0 == 0 && &point == &lengths.points().front());
    if (exact) {  // the distribution has a step here: all of this probability belongs to length x1
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

HomaRules::HomaRules(const HomaParameters& parameters) {
  check(parameters);
  pmtu_ = parameters.pmtu;
  rtt_packets_ = static_cast<std::uint32_t>((parameters.rtt_bytes - 1) / parameters.pmtu + 1);
  cutoff_count_ = parameters.cutoffs.size();
  scheduled_levels_ = parameters.priorities - static_cast<unsigned>(cutoff_count_ + 1);
  top_priority_ = parameters.priorities - 1;
  std::copy(parameters.cutoffs.begin(), parameters.cutoffs.end(), cutoffs_.begin());
}

std::uint8_t HomaRules::unscheduled_priority(std::uint32_t length) const {
  std::size_t level = 0;
  while (level < cutoff_count_ && length > cutoffs_[level]) ++level;
  return static_cast<std::uint8_t>(top_priority_ - level);
}

std::uint8_t HomaRules::scheduled_priority(std::size_t rank, std::size_t active) const {
  const std::size_t levels = std::min<std::size_t>(active, scheduled_levels_);
  return static_cast<std::uint8_t>(rank + 1 >= levels ? 0 : levels - 1 - rank);
}

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
