// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/competition_trial.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/known_queues.hpp"
#include "switchtest/share_estimates.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

namespace {

using ShareLabels = std::map<std::string, std::string>;
using CompetitionResults = std::vector<CompetitionResult>;

/// Duration and number of the runs of a competition. On a virtual rig, a run lasts as long as `frames` frames
/// take on the link of port D.
struct CompetitionPlan {
  Time time = 0;
  std::uint64_t frames = 0;
  int seeds = 5, quick_seeds = 3;
};

/// At 90 % load, a sender often sends a group of many frames back to back. All frames of a group have the
/// same phase relative to the frames of the other senders, so a switch that drops frames often drops whole
/// groups. Shares then vary more, so kDroppingPlan needs more frames than kPausedPlan.
constexpr CompetitionPlan kDroppingPlan{.time = 10 * kSecond, .frames = 40'000};
constexpr CompetitionPlan kPausedPlan{.time = 10 * kSecond, .frames = 10'000};
constexpr CompetitionPlan kQueuePlan{.time = 2 * kSecond, .frames = 10'000, .seeds = 3};
constexpr CompetitionPlan kLockoutPlan{.time = kSecond, .frames = 2'000};

/// The test `fairness`: measures the shares of port D that competing senders, queues or flows get.
class FairnessTest {
 public:
  explicit FairnessTest(Context& ctx);
  void run();

 private:
  static constexpr std::uint16_t kFlows = 4;  ///< number of flows of each sender

  Competition between_flows() const;
  Competition between_queues(const std::vector<std::uint8_t>& dscps) const;
  bool measure_senders();
  bool measure_queues();
  bool measure_lockout();
  void report_senders(const char* pauses, const CompetitionResults& results);
  void report_shares(const ShareLabels& labels, const SharesByTrial& shares);
  void add(const char* name, const ShareLabels& labels, const Interval& value);
  void add_without_shares(const ShareLabels& labels, Status status, const std::string& reason);
  std::optional<CompetitionResults> run_seeds(Competition competition, const CompetitionPlan& plan);
  std::optional<CompetitionResults> run_with_pauses(const Competition& competition,
                                                    const CompetitionPlan& plan);
  bool overload() const;

  Context& ctx_;
  std::vector<std::uint16_t> senders_;
  std::uint64_t slowest_ = UINT64_MAX;  ///< rate of the slowest sender, in bytes per second on the wire
  std::uint64_t offered_ = 0;           ///< rate at which each sender sends, in the same unit
  FrameKind frame_;
};

FairnessTest::FairnessTest(Context& ctx) : ctx_(ctx), senders_(ctx.roles().senders()) {
  std::uint32_t size = UINT32_MAX;
  for (const std::uint16_t s : senders_) {
    slowest_ = std::min(slowest_, ctx.rate(s));
    size = std::min(size, ctx.large_size(s, ctx.roles().d));
  }
  offered_ = slowest_ / 10 * 9;
  frame_ = ctx.frame(ctx.roles().d, size);
}

bool FairnessTest::overload() const {
  constexpr double kLeast = 1.05;
  return static_cast<double>(offered_) * static_cast<double>(senders_.size()) >
         kLeast * static_cast<double>(ctx_.rate(ctx_.roles().d));
}

/// Returns a competition in which all senders have kFlows flows in the same class. The flows of a sender are
/// adjacent in the list.
Competition FairnessTest::between_flows() const {
  Competition out{.units = senders_.size() * kFlows, .rate = offered_};
  for (const std::uint16_t s : senders_)
    for (std::uint16_t f = 0; f < kFlows; ++f) {
      out.competitors.push_back({s, frame_, out.competitors.size()});
      FrameKind& kind = out.competitors.back().kind;
      kind.udp_source_port = static_cast<std::uint16_t>(kind.udp_source_port + f);
      kind.dest_qp += f;
    }
  return out;
}

Competition FairnessTest::between_queues(const std::vector<std::uint8_t>& dscps) const {
  Competition out{.units = dscps.size(), .rate = offered_};
  for (const std::uint16_t s : senders_)
    for (std::size_t q = 0; q < dscps.size(); ++q) {
      out.competitors.push_back({s, frame_, q});
      out.competitors.back().kind.dscp = dscps[q];
    }
  return out;
}

/// Runs a competition several times with different random choices. Returns std::nullopt if the rig failed.
std::optional<CompetitionResults> FairnessTest::run_seeds(Competition competition,
                                                          const CompetitionPlan& plan) {
  constexpr Time kRfcFactor = 6;
  constexpr std::uint64_t kQuickPart = 4;
  competition.time = ctx_.duration(plan.time, kRfcFactor * plan.time);
  if (ctx_.exact())
    competition.time = plan.frames / (ctx_.quick() ? kQuickPart : 1) *
                       time_on_wire(frame_.length, ctx_.rate(ctx_.roles().d));
  CompetitionResults out;
  for (int i = 0; i < (ctx_.quick() ? plan.quick_seeds : plan.seeds); ++i) {
    auto result = compete(ctx_, competition, ctx_.seed());
    if (!result) return std::nullopt;
    out.push_back(std::move(*result));
  }
  return out;
}

/// Runs a competition in which the ports obey pauses. The result is empty if the switch sent no pauses.
std::optional<CompetitionResults> FairnessTest::run_with_pauses(const Competition& competition,
                                                                const CompetitionPlan& plan) {
  CompetitionPlan first = plan;
  first.seeds = first.quick_seeds = 1;
  const auto probe = run_seeds(competition, first);
  if (!probe) return std::nullopt;
  return probe->front().pauses == 0 ? CompetitionResults{} : run_seeds(competition, plan);
}

void FairnessTest::add(const char* name, const ShareLabels& labels, const Interval& value) {
  ctx_.add({.name = name,
            .labels = labels,
            .value = value.value,
            .low = value.low,
            .high = value.high,
            .method = Method::kMean});
}

void FairnessTest::add_without_shares(const ShareLabels& labels, Status status, const std::string& reason) {
  for (const char* name : {"jain", "max_min"}) ctx_.add_without_value(name, status, reason).labels = labels;
}

bool all_have_arrivals(const SharesByTrial& shares) {
  return std::all_of(shares.begin(), shares.end(), [](const std::vector<double>& frames) {
    return std::any_of(frames.begin(), frames.end(), [](double f) { return f > 0; });
  });
}

SharesByTrial shares_of(const CompetitionResults& results) {
  SharesByTrial out;
  for (const CompetitionResult& r : results) out.push_back(r.frames);
  return out;
}

void FairnessTest::report_shares(const ShareLabels& labels, const SharesByTrial& shares) {
  if (!all_have_arrivals(shares))
    return add_without_shares(labels, Status::kUnresolvable, "no frame arrived");
  add("jain", labels, long_run_jain(shares));
  const Interval ratio = largest_ratio(shares);
  if (!has_starved(shares)) return add("max_min", labels, ratio);
  ctx_.add({.name = "max_min",
            .labels = labels,
            .value = ratio.low,
            .low = ratio.low,
            .method = Method::kMean,
            .status = Status::kBounded,
            .reason = "one of the competitors got nothing"});
}

void FairnessTest::report_senders(const char* pauses, const CompetitionResults& results) {
  const SharesByTrial flows = shares_of(results);
  SharesByTrial ports;
  for (const auto& trial : flows) {
    ports.emplace_back(senders_.size());
    for (std::size_t f = 0; f < trial.size(); ++f) ports.back()[f / kFlows] += trial[f];
  }
  report_shares({{"between", "ports"}, {"pauses", pauses}}, ports);
  report_shares({{"between", "flows"}, {"pauses", pauses}}, flows);
}

/// Measures the shares of flows and of senders, with and without pauses. Returns false if the rig failed.
bool FairnessTest::measure_senders() {
  Competition competition = between_flows();
  auto results = run_with_pauses(competition, kPausedPlan);
  if (!results) return false;
  if (!results->empty()) {
    report_senders("obeyed", *results);
  } else {
    for (const char* between : {"ports", "flows"})
      add_without_shares({{"between", between}, {"pauses", "obeyed"}}, Status::kAbsent,
                         "the switch did not pause the senders");
  }
  competition.obey = false;
  results = run_seeds(competition, kDroppingPlan);
  if (results) report_senders("ignored", *results);
  return results.has_value();
}

/// Returns false if the rig failed.
bool FairnessTest::measure_queues() {
  const KnownQueues known = known_queues(ctx_);
  if (known.dscps.size() < 2) {
    const bool one = known.dscps.size() == 1;
    add_without_shares({{"between", "queues"}}, one ? Status::kAbsent : Status::kUnresolvable,
                       one ? "all DSCPs share one queue" : known.reason);
    return true;
  }
  Competition competition = between_queues(known.dscps);
  const ShareLabels obeyed{{"between", "queues"}, {"pauses", "obeyed"}};
  auto results = run_with_pauses(competition, kQueuePlan);
  if (!results) return false;
  if (!results->empty()) {
    report_shares(obeyed, shares_of(*results));
  } else {
    add_without_shares(obeyed, Status::kAbsent, "the switch did not pause the senders");
  }
  competition.obey = false;
  results = run_seeds(competition, kQueuePlan);
  if (results) report_shares({{"between", "queues"}, {"pauses", "ignored"}}, shares_of(*results));
  return results.has_value();
}

/// Measures how unevenly senders share port D if they send at line rate with constant gaps. Adds the figure
/// `lockout`, which is 0 if the shares are even, and 1 if one sender gets the whole rate. Returns false if
/// the rig failed.
bool FairnessTest::measure_lockout() {
  Competition competition{.units = senders_.size(), .rate = slowest_, .gaps = GapKind::kConstant};
  for (const std::uint16_t s : senders_)
    competition.competitors.push_back({s, frame_, competition.competitors.size()});
  competition.obey = false;
  const auto results = run_seeds(competition, kLockoutPlan);
  if (!results) return false;
  const SharesByTrial shares = shares_of(*results);
  if (!all_have_arrivals(shares)) {
    ctx_.add_without_value("lockout", Status::kUnresolvable, "no frame arrived");
    return true;
  }
  std::vector<double> values;
  const auto n = static_cast<double>(senders_.size());
  for (const auto& frames : shares) values.push_back((1 - jain(frames)) * n / (n - 1));
  add("lockout", {}, median(values));
  return true;
}

void FairnessTest::run() {
  if (!overload()) return ctx_.unresolvable("the senders together cannot overload port D");
  if (!measure_senders() || !measure_queues() || !measure_lockout()) ctx_.inconclusive();
}

}  // namespace

void run_fairness(Context& ctx) { FairnessTest(ctx).run(); }

}  // namespace softfeb::switchtest
