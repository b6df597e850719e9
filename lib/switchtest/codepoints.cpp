// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/codepoint_trial.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/marking_search.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace softfeb::switchtest {

namespace {

constexpr std::uint32_t kCodepointSize = 1026;
constexpr std::array kEcnNames{"not-ect", "ect1", "ect0", "ce"};  // indexed by the value of the ECN field

/// The test `codepoints`: finds out how the switch changes ECN fields in an empty and in a long queue.
class CodepointTest {
 public:
  explicit CodepointTest(Context& ctx)
      : ctx_(ctx),
        frame_(
            ctx.frame(ctx.roles().d, std::min(kCodepointSize, ctx.large_size(ctx.roles().a, ctx.roles().d)))),
        trial_(ctx, frame_) {}
  void run();

 private:
  bool find_queue();
  bool measure_long();
  void take(const CodepointTrial::Counts& counts, std::array<CodepointCounts, 2>& to);
  void report(const char* queue, const std::array<CodepointCounts, 2>& counts) const;
  void report_pair(const char* queue, std::size_t ip, const CodepointCounts& counts, std::size_t from,
                   std::size_t to) const;
  void report_dropped() const;
  void report_violations() const;

  Context& ctx_;
  FrameKind frame_;
  CodepointTrial trial_;
  std::uint64_t others_ = 0;  ///< number of frames that fill the queue
  bool marks_ = false;
  MarkedAt at_ = MarkedAt::kEnqueue;
  std::array<CodepointCounts, 2> empty_{}, long_{};
  std::uint64_t wrong_headers_ = 0;
  std::string no_long_;  ///< why no long queue could be tested
};

/// Sets `others_` to the number of frames that make the queue 1.5 kmax long or, if the switch does not mark
/// or the queue cannot reach kmax, to half of the longest queue. Returns false if the rig failed.
bool CodepointTest::find_queue() {
  constexpr double kOfKmax = 1.5;
  MarkingStimulus stimulus(ctx_, frame_);
  if (!stimulus.freezes()) {
    no_long_ = "the switch does not obey pause frames for these frames, so they cannot be made to wait";
    return true;
  }
  if (const auto& marking = ctx_.findings.marking) {
    marks_ = true;
    at_ = marking->at_dequeue ? MarkedAt::kDequeue : MarkedAt::kEnqueue;
    others_ = static_cast<std::uint64_t>(std::ceil(kOfKmax * marking->kmax / frame_.length));
    return true;
  }
  const auto found = find_train_length(stimulus);
  if (!found) {
    no_long_ = stimulus.failure();
    return !no_long_.empty();
  }
  marks_ = found->counts.any_marked();
  others_ = marks_ && !found->full ? found->frames : found->frames / 2;
  const auto likelihood = [&](MarkedAt at) {
    return marking_likelihood(found->counts.shares(at, frame_.length));
  };
  if (likelihood(MarkedAt::kDequeue) > likelihood(MarkedAt::kEnqueue)) at_ = MarkedAt::kDequeue;
  return true;
}

void CodepointTest::take(const CodepointTrial::Counts& counts, std::array<CodepointCounts, 2>& to) {
  for (std::size_t ip = 0; ip < to.size(); ++ip) to[ip].add(counts.by_ip[ip]);
  // If a frame is missing and a frame with an unknown header arrives, the switch has changed the header of
  // the missing frame.
  wrong_headers_ += std::min(counts.unknown, counts.lost());
}

/// Sends frames into a long queue. If the switch drops frames that it must not drop, first sends fewer frames
/// at a time, and then makes the queue shorter. Returns false if no trial was valid.
bool CodepointTest::measure_long() {
  constexpr std::uint64_t kAtOnce = 32;
  const std::uint64_t wanted = ctx_.quick() ? 100 : 1'000;
  std::uint64_t at_once = kAtOnce;
  while (long_[0].sent[0] < wanted) {
    const auto counts = trial_.long_queue(at_once, others_, at_);
    if (!counts) return false;
    if (counts->lost() <= counts->unknown) {
      take(*counts, long_);
    } else if (at_once > 1) {
      at_once /= 2;
    } else if (others_ > 1) {
      others_ -= std::max<std::uint64_t>(1, others_ / 4);
      at_once = kAtOnce;
      long_ = {};
    } else {
      no_long_ = "the switch drops frames even of the shortest queue";
      return true;
    }
  }
  return true;
}

void CodepointTest::report_pair(const char* queue, std::size_t ip, const CodepointCounts& counts,
                                std::size_t from, std::size_t to) const {
  const Interval share = wilson(counts.became[from][to], counts.arrived(from));
  ctx_.add({.name = "became",
            .labels = {{"queue", queue},
                       {"ip", ip == 0 ? "4" : "6"},
                       {"from", kEcnNames[from]},
                       {"to", kEcnNames[to]}},
            .value = share.value,
            .low = share.low,
            .high = share.high,
            .method = Method::kMean});
}

/// For each value of the ECN field that was sent, adds a figure for the frames that kept the value, and a
/// figure for each other value with which frames arrived.
void CodepointTest::report(const char* queue, const std::array<CodepointCounts, 2>& counts) const {
  for (std::size_t ip = 0; ip < counts.size(); ++ip)
    for (std::size_t from = 0; from < kEcnValues; ++from) {
      if (counts[ip].sent[from] == 0) continue;
      if (counts[ip].arrived(from) == 0) {
        ctx_.add({.name = "became",
                  .labels = {{"queue", queue}, {"ip", ip == 0 ? "4" : "6"}, {"from", kEcnNames[from]}},
                  .status = Status::kAbsent,
                  .reason = "the switch does not forward these frames"});
        continue;
      }
      for (std::size_t to = 0; to < kEcnValues; ++to)
        if (from == to || counts[ip].became[from][to] != 0) report_pair(queue, ip, counts[ip], from, to);
    }
}

/// Reports the share of not-ECT frames that the switch dropped in the long queue.
void CodepointTest::report_dropped() const {
  constexpr auto kNotEct = static_cast<std::size_t>(roce::Ecn::kNotEct);
  if (!no_long_.empty()) {
    ctx_.add_without_value("not_ect_dropped", Status::kUnresolvable, no_long_);
    return;
  }
  CodepointCounts both = long_[0];
  both.add(long_[1]);
  const Interval share = wilson(both.missing[kNotEct], both.sent[kNotEct]);
  if (both.missing[kNotEct] != 0) {
    ctx_.add({.name = "not_ect_dropped",
              .value = share.value,
              .low = share.low,
              .high = share.high,
              .method = Method::kMean});
  } else {
    ctx_.add_without_value("not_ect_dropped", Status::kAbsent,
                           "none of " + std::to_string(both.sent[kNotEct]) +
                               " frames was dropped in a queue " +
                               (marks_ ? "in which others were marked" : "without marks"));
  }
}

void CodepointTest::report_violations() const {
  std::uint64_t ecn = 0, dscp = 0, damaged = wrong_headers_;
  for (const auto* counts : {&empty_, &long_})
    for (const CodepointCounts& c : *counts) {
      ecn += c.wrong_ecn();
      dscp += c.wrong_dscp;
      damaged += c.damaged;
    }
  const auto add = [&](const char* name, std::uint64_t count) {
    const auto n = static_cast<double>(count);
    Figure figure{.name = name, .value = n, .low = n, .high = n, .unit = "frames"};
    if (!no_long_.empty()) {
      figure.high.reset();
      figure.status = Status::kBounded;
      figure.reason = "only frames that do not wait were tested, because " + no_long_;
    }
    ctx_.add(figure);
  };
  add("violations", ecn + dscp + damaged);
  add("wrong_ecn", ecn);
  add("wrong_dscp", dscp);
  add("damaged", damaged);
}

void CodepointTest::run() {
  const auto alone = trial_.empty_queue(ctx_.quick() ? 100 : 1'000);
  if (!alone) return ctx_.inconclusive();
  take(*alone, empty_);
  if (empty_[1].violations() == 0 && empty_[1].arrived(0) == 0) trial_.leave_out_v6();
  if (!find_queue()) return ctx_.inconclusive();
  if (no_long_.empty() && !measure_long()) {
    if (!trial_.lapsed()) return ctx_.inconclusive();
    no_long_ = "frames left the switch although port D had paused it";
  }
  report("empty", empty_);
  if (no_long_.empty()) report("long", long_);
  report_dropped();
  report_violations();
}

}  // namespace

void run_codepoints(Context& ctx) { CodepointTest(ctx).run(); }

}  // namespace softfeb::switchtest
