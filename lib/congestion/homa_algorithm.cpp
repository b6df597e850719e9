// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/homa_algorithm.hpp"

#include "congestion/built_in.hpp"
#include "congestion/homa.hpp"

#include <array>

namespace softfeb::congestion {

namespace {

using P = HomaParameters;

double unscheduled_levels(const P& p) { return static_cast<double>(p.cutoffs.size()) + 1; }
/// Sets the number of unscheduled levels. If the number grows, the cutoffs of the new levels must be set
/// afterwards.
void set_unscheduled_levels(P& p, double levels) { p.cutoffs.resize(static_cast<std::size_t>(levels) - 1); }

/// Default cutoffs: 4, 16 and 64 KiB; each further cutoff is four times the previous one. The values are our
/// choice, not from the paper.
constexpr std::uint32_t default_cutoff(std::size_t i) { return 4096U << 2 * i; }

template <std::size_t I>
constexpr Field<P> cutoff(std::string_view name) {
  return {{name, Unit::kSize, 0, kHighestSize,
           "longest message whose first packets, which need no grant, use this level; cutoff_1: the highest "
           "level"},
          [](const P& p) -> double { return I < p.cutoffs.size() ? p.cutoffs[I] : default_cutoff(I); },
          [](P& p, double value) {
            if (I < p.cutoffs.size()) p.cutoffs[I] = static_cast<std::uint32_t>(value);
          }};
}

// `unscheduled_levels` sets the number of cutoffs, so it must precede the cutoffs in this table.
constexpr std::array kFields{
    size<&P::rtt_bytes>(
        "rtt_bytes", 1,
        "payload bytes per RTT at line rate, rounded up to packets; these bytes need no grant"),
    count<&P::overcommit>("overcommit", 1, kHighestCount,
                          "maximum number of messages to which a receiver grants packets at the same time"),
    count<&P::priorities>("priorities", 2, P::kMaxPriorities,
                          "number of priority levels; level p has DSCP 8p"),
    Field<P>{{"unscheduled_levels", Unit::kCount, 1, P::kMaxPriorities - 1,
              "number of priority levels for packets that need no grant; the highest levels are used"},
             unscheduled_levels,
             set_unscheduled_levels},
    cutoff<0>("cutoff_1"),
    cutoff<1>("cutoff_2"),
    cutoff<2>("cutoff_3"),
    cutoff<3>("cutoff_4"),
    cutoff<4>("cutoff_5"),
    cutoff<5>("cutoff_6"),
    time<&P::resend_interval>(
        "resend_interval", kLeastTime,
        "if no packet arrives for this time, the receiver requests the granted packets again"),
    Field<P>{{"keep_order", Unit::kSwitch, 0, 1, "on: a packet must not overtake others of its queue pair"},
             [](const P& p) { return p.keep_order ? 1. : 0.; },
             [](P& p, double value) { p.keep_order = value != 0; }},
};
constexpr std::size_t kFirstCutoff = 4, kCutoffs = 6;

P parameters_of(std::span<const double> values, std::uint32_t pmtu) {
  P p;
  p.pmtu = pmtu;
  for (std::size_t i = 0; i < kFields.size(); ++i) kFields[i].set(p, values[i]);
  return p;
}

class HomaAlgorithm final : public Algorithm {
 public:
  std::string_view name() const override { return "homa"; }
  std::string_view summary() const override {
    return "Homa (SIGCOMM 2018): the receiver grants packets to the shortest messages";
  }
  std::span<const Parameter> parameters() const override { return parameters_; }
  ParameterValues defaults(const PathFacts&) const override {
    ParameterValues values;
    for (const auto& f : kFields) values.push_back(f.get({}));
    return values;
  }
  std::optional<Conflict> conflict(std::span<const double> values) const override {
    const std::size_t levels = index("unscheduled_levels");
    if (values[levels] >= values[index("priorities")]) {
      return Conflict{levels, "which leaves no level for granted packets", "write less than `priorities`"};
    }
    const auto cutoffs = static_cast<std::size_t>(values[levels]) - 1;
    for (std::size_t i = 1; i < cutoffs; ++i) {
      const std::size_t at = kFirstCutoff + i;
      if (values[at] >= values[at - 1]) continue;
      return Conflict{at, "below `" + std::string(parameters_[at - 1].name) + '`',
                      "write the cutoffs in ascending order"};
    }
    return std::nullopt;
  }

  Hooks hooks() const override { return kOnAck | kOnGranted | kOnPosted | kCredit | kPriority | kRank; }
  Needs needs() const override { return kNeedsAcks | kNeedsGrants | kNeedsOwnQp; }
  bool changeable() const override { return false; }
  std::size_t bytes(const PathFacts& path) const override { return Homa::bytes(path.messages); }
  CongestionControl* make(void* place, std::span<const double> values, const PathFacts& path) const override {
    return Homa::make(place, parameters_of(values, path.pmtu), path.messages);
  }
  Change change(CongestionControl&, std::span<const double>, Time) const override { return Change::kRefused; }

 private:
  std::size_t index(std::string_view name) const {
    std::size_t i = 0;
    while (parameters_[i].name != name) ++i;
    return i;
  }

  std::vector<Parameter> parameters_{kFields.begin(), kFields.end()};
};
static_assert(kFields[kFirstCutoff].name == "cutoff_1" &&
              kFields[kFirstCutoff + kCutoffs - 1].name == "cutoff_6");

}  // namespace

const Algorithm& homa_algorithm() {
  static const HomaAlgorithm algorithm;
  return algorithm;
}

std::optional<HomaParameters> homa_parameters(const AlgorithmSettings& settings) {
  if (settings.algorithm != &homa_algorithm()) return std::nullopt;
  return parameters_of(settings.values, settings.path.pmtu);
}

}  // namespace softfeb::congestion
