// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/context.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/search.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <string>

namespace softfeb::switchtest {

namespace {

constexpr std::uint64_t kSteps = 1'000;  ///< number of load steps, up to line rate

/// The streams that a figure describes: from port A to port D, or in both directions.
struct Direction {
  const char* name;
  bool both;
};

/// Searches for the largest load without loss for one frame size and direction.
class LoadSearch {
 public:
  LoadSearch(Context& ctx, std::uint32_t size, const Direction& direction)
      : ctx_(ctx), size_(size), direction_(direction) {}

  /// Adds the figures for this size. Returns false if the rig could not reach any load.
  bool run();

 private:
  struct Losses {
    std::uint64_t sent = 0, lost = 0;
  };

  std::optional<Losses> losses(std::uint64_t steps, Time time);
  Probe probe(std::uint64_t steps, Time time);
  bool loses_at_all_loads();
  std::uint16_t add_stream(Trial& trial, std::uint16_t from, std::uint16_t to, std::uint64_t steps,
                           Time end) const;
  void report(const Bracket& found);
  Bracket validated(Bracket found);

  Context& ctx_;
  std::uint32_t size_;
  const Direction& direction_;
  bool prefill_ = false;
  std::string failure_;  ///< why the rig failed at the last load that it could not test
};

/// True if too few frames of a kind had been sent by the end of their stream. The actual load was then lower
/// than the intended load by more than 1/kSteps.
bool fell_short(const Trial& trial, std::uint16_t kind, std::uint64_t sent) {
  const auto stream = std::find_if(trial.sources.begin(), trial.sources.end(),
                                   [&](const Source& s) { return s.kinds.front() == kind; });
  const std::uint64_t planned = (stream->end - stream->start) / stream->gap;
  return sent * kSteps < planned * (kSteps - 1);
}

/// Adds a stream at `steps` thousandths of the rate of the slower port, and returns the kind of its frames.
/// If `prefill_` is set, a stream at line rate, whose frames are not counted, occupies the first half of the
/// trial. This stream fills the memory of the switch; otherwise, the memory could absorb an excess.
std::uint16_t LoadSearch::add_stream(Trial& trial, std::uint16_t from, std::uint16_t to, std::uint64_t steps,
                                     Time end) const {
  const FrameKind frame = ctx_.frame(to, size_);
  const Time gap = time_on_wire(frame.length, std::min(ctx_.rate(from), ctx_.rate(to)));
  Time start = 0;
  if (prefill_) {
    start = end / 2;
    const auto filler = static_cast<std::uint16_t>(trial.kinds.size());
    trial.kinds.push_back(frame);
    trial.sources.push_back({.port = from, .kinds = {filler}, .end = start, .gap = gap});
  }
  const auto kind = static_cast<std::uint16_t>(trial.kinds.size());
  trial.kinds.push_back(frame);
  trial.sources.push_back(
      {.port = from, .kinds = {kind}, .start = start, .end = end, .gap = gap * kSteps / steps});
  return kind;
}

std::optional<LoadSearch::Losses> LoadSearch::losses(std::uint64_t steps, Time time) {
  Trial trial = ctx_.trial();
  const Roles& roles = ctx_.roles();
  trial.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  std::vector<std::uint16_t> counted{add_stream(trial, roles.a, roles.d, steps, time)};
  if (direction_.both) counted.push_back(add_stream(trial, roles.d, roles.a, steps, time));
  trial.end = time + 10 * kMillisecond + ctx_.rig.settle();
  const auto result = ctx_.run_valid(trial);
  if (!result) {
    failure_ = ctx_.last_void_reason();
    return std::nullopt;
  }
  Losses out;
  for (const std::uint16_t k : counted) {
    if (fell_short(trial, k, result->kinds[k].sent)) {
      failure_ = "a stream fell behind its schedule";
      return std::nullopt;
    }
    out.sent += result->kinds[k].sent;
    out.lost += result->kinds[k].missing();
  }
  return out;
}

Probe LoadSearch::probe(std::uint64_t steps, Time time) {
  return agreeing(ctx_, [&] {
    const auto seen = losses(steps, time);
    if (!seen) return Probe::kVoid;
    return seen->lost == 0 ? Probe::kPass : Probe::kFail;
  });
}

/// True if the switch loses about the same share of frames at 10 % and at 50 % load, so that congestion is
/// not the cause. In this case, adds the figure `loss_floor`.
bool LoadSearch::loses_at_all_loads() {
  const Time time = ctx_.duration(kSecond, kSecond);
  const auto low = losses(kSteps / 10, time);
  const auto high = losses(kSteps / 2, time);
  if (!low || !high || low->lost == 0 || high->lost == 0) return false;
  const Interval at_low = wilson(low->lost, low->sent), at_high = wilson(high->lost, high->sent);
  if (at_low.high < at_high.low || at_high.high < at_low.low) return false;
  const Interval both = wilson(low->lost + high->lost, low->sent + high->sent);
  ctx_.add({.name = "loss_floor",
            .labels = {{"size", std::to_string(size_)}, {"direction", direction_.name}},
            .value = both.value,
            .low = both.low,
            .high = both.high,
            .method = Method::kMean});
  return true;
}

/// Repeats the largest load that passed, now with trials of full length, and reduces the load while these
/// trials fail: by one step if frames are lost, and by half if the rig fails, because a slightly lower load
/// would not help.
Bracket LoadSearch::validated(Bracket found) {
  const Time time = ctx_.duration(10 * kSecond, 60 * kSecond);
  while (found.pass > 0) {
    const Probe result = probe(found.pass, time);
    if (result == Probe::kPass) break;
    if (result == Probe::kFail) {
      found.fail = found.pass--;
    } else {
      found.unreached = found.pass;
      found.pass /= 2;
    }
  }
  return found;
}

void LoadSearch::report(const Bracket& found) {
  const std::uint64_t line = std::min(ctx_.rate(ctx_.roles().a), ctx_.rate(ctx_.roles().d));
  const double per_second =
      static_cast<double>(kSecond) / static_cast<double>(time_on_wire(size_ - kFcsSize, line));
  const std::map<std::string, std::string> labels{{"size", std::to_string(size_)},
                                                  {"direction", direction_.name}};
  const auto add = [&](const char* name, double scale, const char* unit) {
    Figure figure{.name = name, .labels = labels, .unit = unit, .method = Method::kSearch};
    const double step = scale / static_cast<double>(kSteps);
    figure.value = figure.low = step * static_cast<double>(found.pass);
    if (found.pass == kSteps) {
      figure.high = figure.value;  // no load is above line rate
    } else if (found.fail) {
      figure.high = step * static_cast<double>(*found.fail);
    } else {
      figure.status = Status::kBounded;
      figure.reason = "the rig cannot send or receive more: " + failure_;
    }
    ctx_.add(figure);
  };
  add("load", 1, "");
  add("pps", per_second, "1/s");
  add("gbps", per_second * 8 * size_ / 1e9, "Gb/s");
}

bool LoadSearch::run() {
  const Time time = ctx_.duration(kSecond, 60 * kSecond);
  const Probe full = probe(kSteps, time);
  Bracket found{.pass = kSteps};
  if (full == Probe::kFail) {
    if (loses_at_all_loads()) return true;
    prefill_ = ctx_.settings.effort != Effort::kRfc;
  }
  if (full != Probe::kPass) {
    found = bisect(0, kSteps - 1, [&](std::uint64_t steps) { return probe(steps, time); });
    auto& bound = full == Probe::kFail ? found.fail : found.unreached;
    if (!bound) bound = kSteps;
  }
  const Bracket sure = validated(found);
  if (sure.pass == 0 && sure.unreached) {
    ctx_.add_without_value("load", Status::kInconclusive, failure_).labels = {{"size", std::to_string(size_)},
                                                                              {"direction", direction_.name}};
    return false;
  }
  if (!direction_.both) {
    ctx_.findings.load[size_] = static_cast<double>(sure.pass) / kSteps;
    if (sure.pass != kSteps && !sure.fail) ctx_.findings.load_of_rig.insert(size_);
  }
  report(sure);
  return true;
}

}  // namespace

void run_throughput(Context& ctx) {
  bool any = false;
  for (const Direction& direction : {Direction{"one", false}, Direction{"both", true}})
    for (const std::uint32_t size : ctx.sizes(ctx.roles().a, ctx.roles().d))
      any = LoadSearch(ctx, size, direction).run() || any;
  if (!any) ctx.inconclusive();
}

}  // namespace softfeb::switchtest
