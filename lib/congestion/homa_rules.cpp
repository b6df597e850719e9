// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/homa_rules.hpp"

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

}  // namespace softfeb::congestion
