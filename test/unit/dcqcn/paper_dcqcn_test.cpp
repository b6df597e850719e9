// SPDX-License-Identifier: BSD-3-Clause
// Tests DCQCN of the paper: traces computed by hand, comparison with the published equations in floating
// point and with a step-by-step implementation, and the extensions found in NICs.
#include "dcqcn/paper_dcqcn.hpp"

#include "base/rng.hpp"
#include "dcqcn/pacing.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dcqcn;
using softfeb::congestion::CongestionState;
using softfeb::congestion::Nak;

namespace {

constexpr Time us(std::uint64_t n) { return n * kMicrosecond; }
constexpr std::uint64_t kLine = 5'000'000'000;

/// Implements equations (1) to (4) and figure 7 of the paper in floating point, in steps of one microsecond.
class RealDcqcn {
 public:
  explicit RealDcqcn(const PaperParameters& p) : p_(p), rc(static_cast<double>(p.line_rate)), rt(rc) {}

  void tick(std::uint64_t now_us) {
    if (!active_) return;
    if (now_us == alpha_at_) {
      alpha *= 1 - g();
      alpha_at_ += p_.alpha_interval / kMicrosecond;
    }
    if (now_us == timer_at_) {
      timer_at_ += p_.increase_timer / kMicrosecond;
      ++t;
      increase();
    }
  }
  void cnp(std::uint64_t now_us) {
    active_ = true;
    rt = rc;
    rc *= 1 - alpha / 2;
    rc = std::max(rc, static_cast<double>(p_.min_rate));
    alpha = (1 - g()) * alpha + g();
    alpha_at_ = now_us + p_.alpha_interval / kMicrosecond;
    timer_at_ = now_us + p_.increase_timer / kMicrosecond;
    t = b = 0;
    bytes_ = 0;
  }
  void sent(std::uint64_t bytes) {
    if (!active_) return;
    bytes_ += bytes;
    if (bytes_ < p_.byte_counter) return;
    bytes_ -= p_.byte_counter;
    ++b;
    increase();
  }

 private:
  double g() const { return 1 - p_.one_minus_g / 1024.0; }
  void increase() {
    const auto f = static_cast<int>(p_.fast_recovery_steps);
    if ((p_.hyper_step_after_timer ? t : std::min(t, b)) > f) {
      rt += static_cast<double>(p_.hyper_step);
    } else if (std::max(t, b) >= f) {
      rt += static_cast<double>(p_.additive_step);
    }
    rt = std::min(rt, static_cast<double>(p_.line_rate));
    rc = (rt + rc) / 2;
  }

  PaperParameters p_;
  std::uint64_t alpha_at_ = 0, timer_at_ = 0, bytes_ = 0;
  bool active_ = false;

 public:
  double rc, rt, alpha = 1;
  int t = 0, b = 0;
};

PaperParameters some_parameters(Rng& rng) {
  PaperParameters p = paper_parameters(kLine);
  p.one_minus_g = static_cast<std::uint16_t>(900 + rng.below(124));
  p.alpha_interval = us(1 + rng.below(100));
  p.increase_timer = us(1 + rng.below(200));
  p.byte_counter = 100'000 + rng.below(3'000'000);
  p.fast_recovery_steps = static_cast<std::uint32_t>(1 + rng.below(6));
  p.additive_step = 1 + rng.below(20'000'000);
  p.hyper_step = 1 + rng.below(100'000'000);
  p.hyper_step_after_timer = rng.below(2) != 0;
  return p;
}

/// Compares a rate computed in integers with the same rate computed in floating point. In integers, alpha
/// loses up to 2^-40 in each of about 1/g decays, or 1e-9 in total. Each cut of Rc therefore adds a relative
/// error of up to 1e-9. Between two cuts, rounding adds at most one byte per second to the error of Rc,
/// because each step that halves the distance to Rt also halves earlier rounding errors.
bool near_rate(std::uint64_t a, double b, std::uint64_t cuts) {
  return std::abs(static_cast<double>(a) - b) <= static_cast<double>(cuts + 1) * (1 + 1e-9 * b);
}
bool near_alpha(std::uint64_t a, double b) { return std::abs(static_cast<double>(a) / 0x1p40 - b) <= 1e-9; }

bool same(const PaperReactionPoint& a, const PaperReactionPoint& b) {
  return a.rc() == b.rc() && a.rt() == b.rt() && a.alpha() == b.alpha() && a.time_stage() == b.time_stage() &&
         a.byte_stage() == b.byte_stage() && a.cnps() == b.cnps();
}

/// PaperDcqcn without its fast paths: advances the reaction point and the bucket before every call.
class StepwiseDcqcn {
 public:
  explicit StepwiseDcqcn(const PaperSettings& s)
      : bucket_(s.bucket, s.parameters.line_rate), reaction_(s.parameters) {}

  Time departure(std::uint32_t bytes, Time now) {
    advance(now);
    return time_of(ready_edge(reaction_, bucket_, bytes).edge);
  }
  void sent(std::uint32_t bytes, Time now) {
    advance(now);
    bucket_.take(bytes, edge_until(now));
    reaction_.sent(bytes, now);
    set_rate(now);
  }
  void cnp(Time now) {
    advance(now);
    reaction_.cnp(now);
    set_rate(now);
  }
  void set_parameters(const PaperParameters& p, Time now) {
    advance(now);
    reaction_.set_parameters(p, now);
    set_rate(now);
  }
  const PaperReactionPoint& reaction_point(Time now) {
    advance(now);
    reaction_.advance_time(now);
    return reaction_;
  }
  std::int64_t credit() const { return bucket_.credit_bytes(); }

 private:
  void advance(Time now) { advance_together(reaction_, bucket_, edge_until(now)); }
  void set_rate(Time now) { bucket_.set_rate(reaction_.rc(), edge_from(now)); }

  TokenBucket bucket_;
  PaperReactionPoint reaction_;
};

}  // namespace

TEST_CASE("paper: a trace computed by hand, timer only", "[dcqcn]") {
  PaperReactionPoint r(paper_parameters(kLine));
  r.cnp(us(100));
  CHECK(r.rc() == 2'500'000'000);  // the first CNP halves Rc, because alpha is 1
  CHECK(r.rt() == kLine);
  CHECK(r.alpha() == std::uint64_t{1} << 40);
  r.advance_time(us(155) - 1);
  CHECK(r.rc() == 2'500'000'000);
  const std::uint64_t fast[] = {3'750'000'000, 4'375'000'000, 4'687'500'000, 4'843'750'000, 4'921'875'000};
  for (std::uint64_t i = 0; i < 5; ++i) {
    r.advance_time(us(155 + 55 * i));
    CHECK(r.rc() == fast[i]);
    CHECK(r.time_stage() == i + 1);
  }
  CHECK(r.alpha() == 255ULL * 255 * 255 * 255 * 255);  // equals 2^40 · (255/256)^5
  r.cnp(us(400));
  CHECK(r.rt() == 4'921'875'000);
  CHECK(r.rc() == 2'508'628'641);
  CHECK(r.alpha() == 1'078'287'142'650);  // previous alpha · 255/256 + 2^40 / 256
  // The first four steps only move Rc halfway to Rt. Each later step first adds R_AI to Rt.
  const std::uint64_t rc[] = {3'715'251'821, 4'318'563'411, 4'620'219'206,
                              4'771'047'103, 4'848'961'052, 4'890'418'026};
  const std::uint64_t rt[] = {4'921'875'000, 4'921'875'000, 4'921'875'000,
                              4'921'875'000, 4'926'875'000, 4'931'875'000};
  for (std::uint64_t i = 0; i < 6; ++i) {
    r.advance_time(us(455 + 55 * i));
    CHECK(r.rc() == rc[i]);
    CHECK(r.rt() == rt[i]);
  }
}

TEST_CASE("paper: the byte counter increases like the timer; both together are hyper", "[dcqcn]") {
  PaperParameters p = paper_parameters(kLine);
  p.increase_timer = 0;
  p.alpha_interval = 0;
  PaperReactionPoint bytes_alone(p);
  bytes_alone.sent(9'999'999, us(1));  // bytes before the first CNP do not count
  bytes_alone.cnp(us(10));
  bytes_alone.sent(9'999'999, us(11));
  CHECK(bytes_alone.byte_stage() == 0);
  bytes_alone.sent(1, us(12));
  CHECK(bytes_alone.byte_stage() == 1);
  CHECK(bytes_alone.rc() == 3'750'000'000);

  PaperReactionPoint both(paper_parameters(kLine));
  both.cnp(us(0));
  both.cnp(us(1));  // sets Rt to the value of Rc before the cut, and halves Rc
  CHECK(both.rt() == 2'500'000'000);
  for (int i = 0; i < 6; ++i) both.sent(10'000'000, us(2));
  // The steps at B = 5 and B = 6 are additive, because T = 0.
  CHECK(both.rt() == 2'510'000'000);
  both.advance_time(us(1 + 55 * 5));
  CHECK(both.rt() == 2'535'000'000);  // T = 1 … 5: still additive, because max(T, B) ≥ F
  both.advance_time(us(1 + 55 * 6));
  CHECK(both.rt() == 2'585'000'000);  // T = 6, B = 6: hyper
}

TEST_CASE("paper: the published equations, step by step", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 41));
  Rng rng(static_cast<std::uint64_t>(seed) * 17);
  const PaperParameters p = some_parameters(rng);
  PaperReactionPoint ours(p);
  RealDcqcn real(p);
  INFO("seed " << seed);
  for (std::uint64_t now = 1; now < 30'000; ++now) {
    real.tick(now);
    const bool cnp = rng.below(now % 9000 < 2000 ? 60 : 4000) == 0;
    const bool sent = rng.below(3) == 0;
    if (cnp) {
      real.cnp(now);
      ours.cnp(us(now));
    }
    if (sent) {
      const auto bytes = static_cast<std::uint32_t>(rng.below(9000));
      real.sent(bytes);
      ours.sent(bytes, us(now));
    }
    if (!cnp && !sent && rng.below(10) != 0) continue;
    ours.advance_time(us(now));
    INFO("after " << now << " us: Rc " << ours.rc() << " for " << real.rc << ", Rt " << ours.rt() << " for "
                  << real.rt << ", alpha " << static_cast<double>(ours.alpha()) / 0x1p40 << " for "
                  << real.alpha);
    if (!near_rate(ours.rc(), real.rc, ours.cnps()) || !near_rate(ours.rt(), real.rt, ours.cnps())) FAIL();
    if (!near_alpha(ours.alpha(), real.alpha)) FAIL();
    if (static_cast<int>(ours.time_stage()) != real.t || static_cast<int>(ours.byte_stage()) != real.b)
      FAIL();
  }
}

TEST_CASE("paper: lazy equals stepped, including idle hours", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 61));
  Rng rng(static_cast<std::uint64_t>(seed) * 4099);
  PaperParameters p = seed % 2 == 0 ? connectx_parameters(kLine) : some_parameters(rng);
  if (seed % 4 == 0) p = ns3_parameters(kLine);
  if (seed % 3 == 0) p.additive_step = p.hyper_step = 1 + rng.below(20);
  if (seed % 5 == 0) p.increase_timer = 0;
  PaperReactionPoint lazy(p), stepped(p), found(p);
  INFO("seed " << seed);
  Time now = 0;
  for (int i = 0; i < 30; ++i) {
    const Time next = now + rng.below(us(1000));
    while (stepped.now() < edge_until(next))
      stepped.advance_time(std::min(next, now += 1 + rng.below(us(2))));
    while (found.advance_to_rate_change(edge_until(next))) {
    }
    lazy.cnp(next);
    stepped.cnp(next);
    found.cnp(next);
    now = next;
    REQUIRE(same(lazy, stepped));
    REQUIRE(same(found, stepped));
  }
  for (int i = 0; i < 2000; ++i) stepped.advance_time(now += rng.below(us(70)));
  lazy.advance_time(now);
  REQUIRE(same(lazy, stepped));
  const Time hour = now + 3600 * kSecond;
  for (int i = 1; i <= 1000; ++i) stepped.advance_time(now + (hour - now) / 1000 * static_cast<Time>(i));
  stepped.advance_time(hour);
  lazy.advance_time(hour);
  REQUIRE(same(lazy, stepped));
  lazy.cnp(hour + 5);
  stepped.cnp(hour + 5);
  lazy.advance_time(hour + us(400));
  stepped.advance_time(hour + us(400));
  CHECK(same(lazy, stepped));
}

TEST_CASE("nic: cuts keep their distance, and CNPs between two cuts count once", "[dcqcn]") {
  PaperParameters p = connectx_parameters(kLine);
  p.alpha_interval = 0;
  PaperReactionPoint r(p);
  r.cnp(us(10));
  const std::uint64_t once = r.rc();
  CHECK(once == kLine - kLine * 1023 / 2048);
  r.cnp(us(11));
  r.cnp(us(12));
  CHECK(r.rc() == once);
  r.advance_time(us(14) - 1);
  CHECK(r.rc() == once);
  r.advance_time(us(14));
  CHECK(r.rc() < once);
  const std::uint64_t twice = r.rc();
  r.advance_time(us(100));
  CHECK(r.rc() == twice);
  CHECK(r.cnps() == 3);
}

TEST_CASE("nic: Rt follows Rc only after an increase", "[dcqcn]") {
  PaperParameters p = connectx_parameters(kLine);
  PaperReactionPoint r(p);
  r.cnp(us(10));
  r.cnp(us(20));
  CHECK(r.rt() == kLine);  // Rc has not increased since the last cut, so Rt is unchanged
  r.advance_time(us(20) + p.increase_timer);
  const std::uint64_t rc = r.rc();
  r.cnp(us(20) + p.increase_timer + 1);
  CHECK(r.rt() == rc);
  p.clamp_target_rate_after_timer = false;
  PaperReactionPoint not_after_timer(p);
  not_after_timer.cnp(us(10));
  not_after_timer.cnp(us(10) + p.increase_timer + 1);
  CHECK(not_after_timer.rt() == kLine);
}

TEST_CASE("ns3: the timer alone leads to hyper steps", "[dcqcn]") {
  PaperParameters p = ns3_parameters();
  p.clamp_target_rate = true;  // makes the CNPs also reduce Rt, so that it is below the line rate
  PaperReactionPoint r(p);
  for (unsigned k = 0; k < 100; ++k) r.cnp(us(10 + 5 * k));
  const Time last = us(10 + 5 * 99);
  const std::uint64_t rt = r.rt();
  r.advance_time(last + p.increase_timer);
  CHECK(r.rt() == rt + p.additive_step);
  r.advance_time(last + 4 * p.increase_timer);
  CHECK(r.rt() == rt + p.additive_step + 3 * p.hyper_step);

  p.hyper_step_after_timer = false;
  PaperReactionPoint paper(p);
  for (unsigned k = 0; k < 100; ++k) paper.cnp(us(10 + 5 * k));
  paper.advance_time(last + 4 * p.increase_timer);
  CHECK(paper.rt() == rt + 4 * p.additive_step);
}

TEST_CASE("ns3: cuts end at the lowest rate", "[dcqcn]") {
  PaperReactionPoint r(ns3_parameters());
  for (unsigned k = 0; k < 100; ++k) r.cnp(us(10 + 5 * k));
  CHECK(r.rc() == 125'000'000);
}

TEST_CASE("nic: alpha by periods, minimum share, rate on the first CNP", "[dcqcn]") {
  PaperParameters p = connectx_parameters(kLine);
  PaperReactionPoint r(p);
  r.cnp(us(10));
  // the period that ends now contains a CNP, so alpha first decays and then increases
  r.advance_time(us(11));
  const std::uint64_t alpha = std::uint64_t{1023} << 30;
  CHECK(r.alpha() == ((alpha * 1019) >> 10) + (std::uint64_t{5} << 30));
  const std::uint64_t before = r.alpha();
  r.advance_time(us(12));
  CHECK(r.alpha() == (before * 1019) >> 10);

  p.gd = 10;  // a cut is Rc · alpha instead of Rc · alpha / 2, but at most Rc / 2
  PaperReactionPoint least(p);
  least.cnp(us(1));
  CHECK(least.rc() == kLine / 2);
  p.rate_on_first_cnp = 1'000'000'000;
  PaperReactionPoint first(p);
  first.cnp(us(1));
  CHECK(first.rc() == 500'000'000);
  CHECK(first.rt() == kLine);
}

TEST_CASE("paper: bytes sent are the integral of Rc, within bucket and frame", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 21));
  Rng rng(static_cast<std::uint64_t>(seed) * 53);
  PaperSettings profile{.parameters =
                            seed % 2 == 0 ? connectx_parameters(12'500'000'000) : some_parameters(rng)};
  PaperDcqcn cc(profile);
  PaperReactionPoint reference(profile.parameters);
  cc.start(0);
  INFO("seed " << seed);
  double due = 0, sent = 0;
  Time now = 0, reached = 0, cnp = us(rng.below(500));
  while (now < us(20'000)) {
    const Time departure = std::max(now, cc.departure(4108, now));
    const Time next = std::min(departure, cnp);
    // Integrate the rate of a second reaction point. Its rate changes only at whole microseconds and when
    // frames are sent.
    while (reached < next) {
      const Time to = std::min(next, us(reached / kMicrosecond + 1));
      due += to_seconds(to - reached) * static_cast<double>(reference.rc());
      reference.advance_time(to);
      reached = to;
    }
    now = next;
    if (cnp <= departure) {
      cc.cnp(now);
      reference.cnp(now);
      cnp = now + us(1 + rng.below(900));
    } else if (cc.departure(4108, now) <= now) {
      cc.sent(4108, now);
      reference.sent(4108, now);
      sent += 4108;
    }
    if (sent > due + profile.bucket.size + 4108 || sent < due - 4108 - 2000) {
      INFO(now << ": sent " << sent << ", due " << due);
      FAIL();
    }
  }
  CHECK(cc.state(now).rate == reference.rc());
}

TEST_CASE("paper: the fast paths equal the steps", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 61));
  Rng rng(static_cast<std::uint64_t>(seed) * 7919);
  PaperSettings settings{.parameters = some_parameters(rng)};
  if (seed % 3 == 1) settings.parameters = connectx_parameters(kLine);
  if (seed % 4 == 1) settings.parameters.byte_counter = 0;
  PaperDcqcn cc(settings);
  StepwiseDcqcn steps(settings);
  cc.start(0);
  Time now = 0, cnp_at = us(seed % 5 == 0 ? 50'000 : rng.below(2000));
  const auto check_state = [&] {
    const CongestionState a = cc.state(now);
    const PaperReactionPoint& b = steps.reaction_point(now);
    INFO("seed " << seed << ", " << now << " ps");
    CHECK(a.rate == b.rc());
    CHECK(a.target_rate == b.rt());
    CHECK(a.alpha == b.alpha() >> 20);
    CHECK(a.stage == std::max(b.time_stage(), b.byte_stage()));
    CHECK(a.credit == steps.credit());
  };
  for (unsigned k = 0; k < 20'000; ++k) {
    const std::uint32_t bytes = 300 + static_cast<std::uint32_t>(rng.below(2)) * 3808;
    const Time at = cc.departure(bytes, now);
    REQUIRE(at == steps.departure(bytes, now));
    // Most packets leave when they may, some later, and a few events fall between two clock edges.
    now = std::max(now, at);
    if (rng.below(4) == 0) now += rng.below(us(rng.below(8) == 0 ? 300 : 3));
    if (now >= cnp_at) {
      cc.cnp(now);
      steps.cnp(now);
      cnp_at = now + rng.below(us(rng.below(4) == 0 ? 5000 : 100));
    } else if (rng.below(1000) == 0) {
      PaperParameters p = some_parameters(rng);
      p.byte_counter *= rng.below(2);
      cc.set_parameters(p, now);
      steps.set_parameters(p, now);
    } else if (rng.below(2) == 0) {
      cc.sent(bytes, now);
      steps.sent(bytes, now);
    } else {
      const std::uint32_t next = 300 + static_cast<std::uint32_t>(rng.below(2)) * 3808;
      const Time after = cc.sent_then_departure(bytes, next, now);
      steps.sent(bytes, now);
      REQUIRE(after == steps.departure(next, now));
    }
    if (k % 16 == 0) check_state();
  }
}

TEST_CASE("paper: a NAK changes nothing, a CNP with it is one CNP", "[dcqcn]") {
  PaperDcqcn with, without;
  with.start(0);
  without.start(0);
  with.nak(Nak::kSequence, us(5));
  with.cnp(us(5));
  with.nak(Nak::kReceiverNotReady, us(6));
  without.cnp(us(5));
  const CongestionState a = with.state(us(300)), b = without.state(us(300));
  CHECK(a.rate == b.rate);
  CHECK(a.target_rate == b.target_rate);
  CHECK(a.alpha == b.alpha);
  CHECK(a.cnps == 1);
}
