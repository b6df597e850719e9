// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/traffic_stats.hpp"

#include <algorithm>
#include <array>

namespace softfeb::conformance {

namespace {

struct Name {
  std::string_view name;
  std::string_view unit;
  bool more_is_better;
};

/// Properties of the figures, indexed by TrafficFigure.
constexpr std::array<Name, 15> kNames = {{{"goodput", "Gbit/s", true},
                                          {"retransmissions", "packets", false},
                                          {"naks", "", false},
                                          {"timeouts", "", false},
                                          {"messages", "", true},
                                          {"burst_without_loss", "packets", true},
                                          {"cnps", "", false},
                                          {"cnp_gap_min", "us", true},
                                          {"cnp_gap_max", "us", false},
                                          {"cnps_of_least", "", true},
                                          {"cnp_jain", "", true},
                                          {"cnp_scope", "", false},
                                          {"clean_goodput", "Gbit/s", true},
                                          {"clean_loss", "%", false},
                                          {"queue_pairs", "", true}}};
static_assert(kNames.size() == static_cast<std::size_t>(TrafficFigure::kQueuePairs) + 1);

constexpr double kGigabit = 1e9 / 8;  ///< bytes per second

template <class Value>
std::uint64_t sum_of_others(const TrafficStats& stats, Value value) {
  std::uint64_t sum = 0;
  for (const TrafficQpStats& qp : stats.qps) sum += qp.clean ? 0 : qp.*value;
  return sum;
}

double goodput_of(const TrafficStats& stats, bool clean) {
  std::uint64_t bytes = 0;
  Time last = 0;
  for (const TrafficQpStats& qp : stats.qps) {
    if (qp.clean != clean) continue;
    bytes += qp.bytes;
    last = std::max(last, qp.last_completed);
  }
  return last > stats.began ? static_cast<double>(bytes) / to_seconds(last - stats.began) : 0;
}

std::uint64_t least_cnps(const TrafficStats& stats) {
  std::uint64_t least = UINT64_MAX;
  for (const TrafficQpStats& qp : stats.qps) least = std::min(least, qp.cnps.count);
  return stats.qps.empty() ? 0 : least;
}

/// Returns the Jain index of the numbers of CNPs: 1 if they are the same for all n queue pairs, 1/n if one
/// queue pair has all CNPs.
double jain(const TrafficStats& stats) {
  double sum = 0, squares = 0;
  for (const TrafficQpStats& qp : stats.qps) {
    const auto n = static_cast<double>(qp.cnps.count);
    sum += n;
    squares += n * n;
  }
  return squares == 0 ? 0 : sum * sum / (static_cast<double>(stats.qps.size()) * squares);
}

/// Returns the shortest time between two CNPs of the same queue pair.
Time shortest_gap(const TrafficStats& stats) {
  Time gap = kNever;
  for (const TrafficQpStats& qp : stats.qps) gap = std::min(gap, qp.cnps.shortest);
  return gap;
}
Time longest_gap(const TrafficStats& stats) {
  Time gap = 0;
  for (const TrafficQpStats& qp : stats.qps) gap = std::max(gap, qp.cnps.longest);
  return gap;
}

/// Determines which queue pairs share one interval between CNPs. If queue pairs do not share it, CNPs of
/// different queue pairs are closer together than those of one queue pair.
std::string scope(const TrafficStats& stats) {
  const Time own = shortest_gap(stats);
  if (own == kNever || stats.cnps.count < 2 * stats.qps.size()) return "too few CNPs to tell";
  const bool apart = stats.cnps.shortest < own / 2;
  std::uint32_t addresses = 0;
  for (const TrafficQpStats& qp : stats.qps) addresses = std::max(addresses, qp.address + 1);
  if (addresses > 1) return apart ? "IP address pair or narrower" : "wider than an IP address pair";
  return apart ? "queue pair" : "wider than a queue pair";
}

double value_of(TrafficFigure figure, const TrafficSpec& spec, const TrafficStats& stats) {
  switch (figure) {
    case TrafficFigure::kGoodput:
      return stats.goodput() / kGigabit;
    case TrafficFigure::kRetransmissions:
      return static_cast<double>(sum_of_others(stats, &TrafficQpStats::retransmissions));
    case TrafficFigure::kNaks:
      return static_cast<double>(stats.naks());
    case TrafficFigure::kTimeouts:
      return static_cast<double>(stats.timeouts());
    case TrafficFigure::kMessages:
      return static_cast<double>(sum_of_others(stats, &TrafficQpStats::messages));
    case TrafficFigure::kBurst:
      return stats.naks() + stats.timeouts() == 0 ? static_cast<double>(spec.messages) : 0;
    case TrafficFigure::kCnps:
      return static_cast<double>(stats.cnps.count);
    case TrafficFigure::kCnpGap:
      return shortest_gap(stats) == kNever ? 0 : to_seconds(shortest_gap(stats)) * 1e6;
    case TrafficFigure::kCnpLongest:
      return to_seconds(longest_gap(stats)) * 1e6;
    case TrafficFigure::kCnpLeast:
      return static_cast<double>(least_cnps(stats));
    case TrafficFigure::kCnpJain:
      return jain(stats);
    case TrafficFigure::kCnpScope:
      return 0;
    case TrafficFigure::kCleanGoodput:
      return stats.clean_goodput() / kGigabit;
    case TrafficFigure::kCleanLoss:
      return stats.alone && *stats.alone > 0 ? 100 * (1 - stats.clean_goodput() / *stats.alone) : 100;
    case TrafficFigure::kQueuePairs:
      return static_cast<double>(stats.qps.size());
  }
  return 0;
}

}  // namespace

std::optional<TrafficFigure> traffic_figure_of(std::string_view name) {
  const auto it = std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.name == name; });
  if (it == kNames.end()) return std::nullopt;
  return static_cast<TrafficFigure>(it - kNames.begin());
}

std::uint64_t TrafficStats::naks() const { return sum_of_others(*this, &TrafficQpStats::naks); }
std::uint64_t TrafficStats::timeouts() const { return sum_of_others(*this, &TrafficQpStats::timeouts); }
double TrafficStats::goodput() const { return goodput_of(*this, false); }
double TrafficStats::clean_goodput() const { return goodput_of(*this, true); }

std::optional<std::uint64_t> counter_of_wire(const TrafficStats& stats, std::string_view name) {
  if (name == "icrc_errors") return stats.icrc_errors;
  if (name == "out_of_sequence") return stats.out_of_sequence;
  if (name == "duplicate_requests") return stats.duplicates;
  if (name == "rnr_naks_sent") return stats.rnr_naks;
  if (name == "cnps_sent") return stats.cnps.count;
  if (name == "ce_marked") return stats.marked;
  return std::nullopt;
}

std::vector<Figure> figures_of(const TrafficSpec& spec, const TrafficStats& stats) {
  std::vector<Figure> out;
  for (const TrafficFigure figure : spec.figures) {
    const Name& name = kNames[static_cast<std::size_t>(figure)];
    Figure& f = out.emplace_back();
    f.name = std::string(name.name) + (spec.name.empty() ? "" : "_" + spec.name);
    f.value = value_of(figure, spec, stats);
    f.unit = name.unit;
    f.more_is_better = name.more_is_better;
    if (figure == TrafficFigure::kCnpScope) f.text = scope(stats);
  }
  return out;
}

}  // namespace softfeb::conformance
