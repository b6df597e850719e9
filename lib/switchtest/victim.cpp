// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "switchtest/competition_trial.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/known_queues.hpp"
#include "switchtest/seen_pauses.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace softfeb::switchtest {

namespace {

/// The test `victim`: measures how the overload of port D by ports A and B affects a flow from port A to port
/// E, the victim.
class VictimTest {
 public:
  explicit VictimTest(Context& ctx);
  void run();

 private:
  /// The kinds of frames in each trial, as indices into Trial::kinds.
  enum Kind : std::uint16_t { kVictim, kToD, kFromB, kUncounted };

  struct Seen {
    double share = 0;   ///< frames of the victim that arrived, divided by the frames that were due
    double p99_ns = 0;  ///< 99th percentile of the delays of the victim's frames
    bool arrived = false;
  };
  using Labels = std::map<std::string, std::string>;

  Trial script(std::uint8_t victim_dscp, std::uint64_t seed) const;
  void add_stream(Trial& trial, Kind kind, std::uint16_t port, double rate, std::uint64_t seed) const;
  std::optional<Seen> run_once(std::uint8_t victim_dscp);
  bool measure(const char* victim_class, std::uint8_t victim_dscp);
  Time gap_of(double rate) const;

  Context& ctx_;
  std::uint32_t size_ = 0;
  /// Rates at which port A sends to ports E and D, in bytes per second on the wire.
  double to_e_ = 0, to_d_ = 0;
  Time time_ = 0, warm_up_ = 0;
};

VictimTest::VictimTest(Context& ctx) : ctx_(ctx) {
  // Share of port A's frames that go to port E. RFC 2889, section 5.5, divides A's frames equally between
  // both destinations.
  constexpr double kToE = 0.2, kRfcToE = 0.5;
  constexpr Time kStandard = 10 * kSecond, kRfc = 60 * kSecond;
  constexpr std::uint64_t kExactFrames = 30'000;
  const Roles& roles = ctx.roles();
  const double part = ctx.settings.effort == Effort::kRfc ? kRfcToE : kToE;
  const auto a = static_cast<double>(ctx.rate(roles.a));
  to_e_ = part * std::min(a, static_cast<double>(ctx.rate(*roles.e)));
  to_d_ = (1 - part) * a;
  size_ = std::min({ctx.large_size(roles.a, roles.d), ctx.large_size(roles.a, *roles.e),
                    ctx.large_size(*roles.b, roles.d)});
  time_ = ctx.duration(kStandard, kRfc);
  // On a virtual rig, kExactFrames frames give sufficiently accurate shares.
  if (ctx.exact()) time_ = std::min(time_, kExactFrames * gap_of(static_cast<double>(ctx.rate(roles.d))));
  warm_up_ = std::max(time_ / 4, time_to_fill(ctx, static_cast<std::uint64_t>(to_d_) + ctx.rate(*roles.b)));
}

Time VictimTest::gap_of(double rate) const {
  return static_cast<Time>(static_cast<double>(time_on_wire(size_ - kFcsSize, 1'000'000)) * 1e6 / rate);
}

/// Adds a stream with exponential gaps. During the warm-up, the frames of the stream have a kind that is not
/// counted.
void VictimTest::add_stream(Trial& trial, Kind kind, std::uint16_t port, double rate,
                            std::uint64_t seed) const {
  const auto before = static_cast<std::uint16_t>(kUncounted + kind);
  trial.sources.push_back({.port = port,
                           .kinds = {before},
                           .end = warm_up_,
                           .gap = gap_of(rate),
                           .gap_kind = GapKind::kExponential,
                           .seed = Rng::mixed(seed, kind, 0)});
  trial.sources.push_back({.port = port,
                           .kinds = {kind},
                           .start = warm_up_,
                           .end = warm_up_ + time_,
                           .gap = gap_of(rate),
                           .gap_kind = GapKind::kExponential,
                           .seed = Rng::mixed(seed, kind, 1)});
}

Trial VictimTest::script(std::uint8_t victim_dscp, std::uint64_t seed) const {
  const Roles& roles = ctx_.roles();
  Trial out = ctx_.trial();
  out.all_pauses = false;
  FrameKind victim = ctx_.frame(*roles.e, size_);
  victim.dscp = victim_dscp;
  const FrameKind to_d = ctx_.frame(roles.d, size_);
  out.kinds = {victim, to_d, to_d, victim, to_d, to_d};
  for (std::size_t k = 0; k < out.kinds.size(); ++k) out.kinds[k].latency_group = k == kVictim ? 0 : 1;
  add_stream(out, kVictim, roles.a, to_e_, seed);
  add_stream(out, kToD, roles.a, to_d_, seed);
  add_stream(out, kFromB, *roles.b, static_cast<double>(ctx_.rate(*roles.b)), seed);
  out.end = warm_up_ + time_ + 100 * kMillisecond + 2 * ctx_.rig.settle();
  return out;
}

std::optional<VictimTest::Seen> VictimTest::run_once(std::uint8_t victim_dscp) {
  auto result = ctx_.run_valid(script(victim_dscp, ctx_.seed()));
  if (result && learn_pauses(ctx_, *result)) result = ctx_.run_valid(script(victim_dscp, ctx_.seed()));
  if (!result) return std::nullopt;
  // Frames that port A could not send in time because the switch paused it count as lost.
  const auto due = static_cast<double>(time_) / static_cast<double>(gap_of(to_e_));
  const KindStats& victim = result->kinds[kVictim];
  Seen out{.share = static_cast<double>(victim.arrived) / due, .arrived = victim.arrived != 0};
  out.p99_ns = static_cast<double>(result->latency[0].percentile(990)) / kNanosecond;
  return out;
}

/// Returns false if the rig failed.
bool VictimTest::measure(const char* victim_class, std::uint8_t victim_dscp) {
  constexpr int kTrials = 5, kQuickTrials = 3;
  std::vector<double> shares, delays;
  for (int i = 0; i < (ctx_.quick() ? kQuickTrials : kTrials); ++i) {
    const auto seen = run_once(victim_dscp);
    if (!seen) return false;
    shares.push_back(seen->share);
    if (seen->arrived) delays.push_back(seen->p99_ns);
  }
  const Labels labels{{"class", victim_class}};
  const auto add = [&](const char* name, const Interval& v, const char* unit) {
    ctx_.add({.name = name,
              .labels = labels,
              .value = v.value,
              .low = v.low,
              .high = v.high,
              .unit = unit,
              .method = Method::kMean});
  };
  add("victim_share", median(shares), "");
  if (!delays.empty()) {
    add("victim_p99_ns", median(delays), "ns");
  } else {
    ctx_.add_without_value("victim_p99_ns", Status::kAbsent, "no frame of the victim arrived").labels =
        labels;
  }
  return true;
}

void VictimTest::run() {
  const Roles& roles = ctx_.roles();
  constexpr double kLeast = 1.05;
  if (to_d_ + static_cast<double>(ctx_.rate(*roles.b)) < kLeast * static_cast<double>(ctx_.rate(roles.d)))
    return ctx_.unresolvable("A and B together cannot overload port D");
  const KnownQueues queues = known_queues(ctx_);
  const auto other = other_dscp(ctx_, queues);
  if (!measure("same", ctx_.settings.dscp) || (other && !measure("other", *other)))
    return ctx_.inconclusive();
  if (other) return;
  const bool known = !queues.dscps.empty();
  for (const char* name : {"victim_share", "victim_p99_ns"})
    ctx_.add_without_value(
            name, known ? Status::kAbsent : Status::kUnresolvable,
            known ? "all DSCPs share one queue, or one pause stops all of them" : queues.reason)
        .labels = {{"class", "other"}};
}

}  // namespace

void run_victim(Context& ctx) {
  const Roles& roles = ctx.roles();
  const std::set<std::uint16_t> ports{roles.a, roles.d, roles.b.value_or(roles.a), roles.e.value_or(roles.a)};
  if (ports.size() != 4) return ctx.unresolvable("the test needs four ports: A, B, D and E");
  VictimTest(ctx).run();
}

}  // namespace softfeb::switchtest
