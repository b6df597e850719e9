// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "benchmarks.hpp"
#include "far_end.hpp"
#include "pacing_rig.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace softfeb::bench {

namespace {

/// number of queue pairs that receive CNPs (the "probes"); each sends at 1 Gb/s
constexpr std::uint32_t kProbes = 8;
/// number of queue pairs that receive no CNPs; together, they send at 10 Gb/s
constexpr std::uint32_t kLoads = 8;
constexpr std::uint64_t kProbeRate = 125'000'000;
/// time for which the idle machine is observed before the measurement
constexpr Time kIdle = 200 * kMillisecond;
constexpr std::uint64_t kFastRate = 12'500'000'000;

double ns(Time from, Time to) { return (static_cast<double>(to) - static_cast<double>(from)) * 1e-3; }

std::vector<Time> times_of(const EventLog& log, Event::Kind kind) {
  std::vector<Time> out;
  for (const Event& e : log) {
    if (e.kind == kind) out.push_back(e.at);
  }
  return out;
}

std::vector<Event> events_of(const EventLog& log, Event::Kind kind) {
  std::vector<Event> out;
  std::copy_if(log.begin(), log.end(), std::back_inserter(out),
               [kind](const Event& e) { return e.kind == kind; });
  return out;
}

std::vector<CnpOrder> orders(Time duration, Time least, Time most, std::uint32_t qps, std::uint64_t seed) {
  std::vector<CnpOrder> out;
  Rng rng(seed);
  for (Time at = kMillisecond; at < duration; at += least + rng.below(most - least)) {
    out.push_back({at, static_cast<std::uint32_t>(rng.below(qps))});
  }
  return out;
}

/// Determines whether the loop was preempted at any time in [from, to]. Successive queries must have
/// increasing times.
class AwayDuring {
 public:
  explicit AwayDuring(const EventLog& log) : away_(events_of(log, Event::Kind::kAway)) {}

  bool operator()(Time from, Time to) {
    while (next_ < away_.size() && away_[next_].at < from) ++next_;
    return next_ < away_.size() && away_[next_].told <= to;
  }

 private:
  std::vector<Event> away_;
  std::size_t next_ = 0;
};

dcqcn::FirmwareSettings probe_profile() {
  dcqcn::FirmwareSettings p;
  p.build.line_rate = kProbeRate;
  return p;
}

/// Returns the time at which the model permits the next packet. The model may be unable to predict beyond its
/// next event. This function therefore queries the model first at time `from`, and then again at each time
/// that the model returned.
Time predict(congestion::CongestionControl& model, std::uint32_t bytes, Time from) {
  Time at = from;
  for (;;) {
    const Time next = std::max(at, model.departure(bytes, at));
    if (next == at || next == kNever) return next;
    at = next;
  }
}

/// Compares each departure of a probe with the prediction of a model. The model of a probe is a separate
/// reaction point, which processes the same CNPs and packets at the times that were passed to the board.
std::vector<double> against_model(const PacingRig& rig) {
  std::vector<Event> events = sent_frames(rig.log(), kProbes + kLoads);
  for (const Event& e : rig.log()) {
    if (e.kind == Event::Kind::kCnpRegistered) events.push_back(e);
  }
  // Within a loop iteration, CNPs are processed before packets are sent.
  const auto before = [](const Event& a, const Event& b) {
    return a.told != b.told ? a.told < b.told : a.kind > b.kind;
  };
  std::stable_sort(events.begin(), events.end(), before);
  std::vector<dcqcn::FirmwareDcqcn> models(kProbes, dcqcn::FirmwareDcqcn(probe_profile()));
  std::vector<Time> asked(kProbes, rig.began());
  for (auto& m : models) m.start(rig.began());
  std::vector<double> late;
  for (const Event& e : events) {
    if (e.qp >= kProbes) continue;
    dcqcn::FirmwareDcqcn& model = models[e.qp];
    if (e.kind == Event::Kind::kCnpRegistered) {
      model.cnp(e.told);
    } else {
      // If a CNP has arrived since the previous packet, the prediction starts from the CNP, which may have
      // moved the departure.
      late.push_back(ns(predict(model, rig.counted(e.psn), asked[e.qp]), e.at));
      model.sent(rig.counted(e.psn), e.told);
    }
    asked[e.qp] = e.told;
  }
  return late;
}

Json firmware_run(const Environment& environment, const ReactionOptions& o, std::uint64_t seed) {
  PacingRigConfig c;
  c.ring = o.ring;
  c.transport = o.transport;
  c.packets = o.packets;
  c.qps = kProbes + kLoads;
  c.events = static_cast<std::size_t>(to_seconds(o.duration) * 800'000) + 100'000;
  c.shape = [](engine::SendQpConfig& qp, std::uint32_t i) {
    if (i < kProbes) {
      qp.congestion = probe_profile();
    } else {
      qp.traffic.rate_kind = engine::RateKind::kPayloadBytes;
      qp.traffic.rate = 1'250'000'000 / kLoads;
    }
  };
  PacingRig rig(environment, c);
  const Idling idling = rig.idle(std::min(o.duration, kIdle));
  rig.run(o.duration, orders(o.duration, 50 * kMicrosecond, 250 * kMicrosecond, kProbes, seed));
  const std::vector<Time> out = times_of(rig.log(), Event::Kind::kCnpOut);
  const std::vector<Event> registered = events_of(rig.log(), Event::Kind::kCnpRegistered);
  const std::vector<Event> settled = events_of(rig.log(), Event::Kind::kCnpSettled);
  std::vector<double> to_register;
  std::vector<double> undisturbed;
  std::vector<double> to_settle;
  std::vector<double> told_early;
  AwayDuring away(rig.log());
  for (std::size_t k = 0; k < std::min({out.size(), registered.size(), settled.size()}); ++k) {
    to_register.push_back(ns(out[k], registered[k].at));
    if (!away(out[k], registered[k].at)) undisturbed.push_back(to_register.back());
    to_settle.push_back(ns(out[k], settled[k].at));
    told_early.push_back(ns(registered[k].told, out[k]));
  }
  const auto frames = static_cast<double>(sent_frames(rig.log(), c.qps).size());
  const std::vector<double> late = against_model(rig);
  return {
      {"payload_gbps", frames * PacingRig::kPayload * 8e-9 / to_seconds(rig.ended() - rig.began())},
      {"cnps_not_registered", out.size() - registered.size()},
      {"out_of_rx_burst_to_registered_ns", distribution(to_register)},
      {"out_of_rx_burst_to_registered_undisturbed_ns", distribution(undisturbed)},
      {"out_of_rx_burst_to_departure_moved_ns", distribution(to_settle)},
      {"out_of_rx_burst_minus_told_ns", distribution(told_early)},
      {"departure_minus_model_ns", distribution(late)},
      {"departures_before_model", std::count_if(late.begin(), late.end(), [](double d) { return d < 0; })},
      {"tx_short", rig.counters().tx_short},
      {"events_lost", rig.log().lost()},
      {"retransmitted", rig.retransmitted()},
      {"loop", rig.loop().json()},
      {"machine", idling.json()}};
}

/// Delays between a CNP and its effect at 100 Gb/s.
struct Turns {
  /// From the CNP's arrival to the first packet after a gap of the new length.
  std::vector<double> to_new_spacing;
  /// Like `to_new_spacing`, but only for CNPs for which the loop was not preempted between arrival and
  /// effect.
  std::vector<double> undisturbed;
  std::vector<double> beyond_spacing;  ///< values of `to_new_spacing`, minus the new spacing
  std::vector<double> to_out;          ///< from the CNP's arrival until rx_burst returned it
  std::vector<double> to_registered;   ///< from rx_burst until the congestion control had processed the CNP
  std::vector<double> to_next;         ///< from the processing of the CNP to the next packet
  std::vector<double> old_gap;
  std::vector<double> new_gap;
  std::uint64_t too_slow = 0;  ///< number of CNPs for which the loop was already slower than the new rate
};

dcqcn::PaperParameters fast_parameters() {
  dcqcn::PaperParameters p;
  p.line_rate = kFastRate;
  p.alpha_interval = 0;  // alpha stays 1, so every CNP halves the rate
  return p;
}

Turns follow(const PacingRig& rig, const std::vector<Time>& arrived) {
  Turns t;
  dcqcn::PaperReactionPoint model(fast_parameters());
  const std::vector<Time> out = times_of(rig.log(), Event::Kind::kCnpOut);
  const std::vector<Time> registered = times_of(rig.log(), Event::Kind::kCnpRegistered);
  const std::vector<Event> frames = sent_frames(rig.log(), 1);
  AwayDuring away(rig.log());
  std::size_t i = 1;
  for (std::size_t c = 0; c < std::min(arrived.size(), registered.size()); ++c) {
    const Time a = arrived[c];
    for (; i < frames.size() && frames[i].at < a; ++i) model.sent(rig.counted(frames[i].psn), frames[i].at);
    if (i < 33 || i >= frames.size()) continue;
    model.cnp(a);
    const double spacing = rig.counted(frames[i].psn) * 1e9 / static_cast<double>(model.rc());
    const double old = ns(frames[i - 33].at, frames[i - 1].at) / 32;
    if (old > 0.9 * spacing) {
      ++t.too_slow;
      continue;
    }
    std::size_t next = i;
    while (next < frames.size() && frames[next].at < registered[c]) ++next;
    std::size_t k = next;
    while (k < frames.size() && ns(frames[k - 1].at, frames[k].at) < 0.95 * spacing) ++k;
    if (k == frames.size()) break;
    t.to_out.push_back(ns(a, out[c]));
    t.to_registered.push_back(ns(out[c], registered[c]));
    t.to_next.push_back(ns(registered[c], frames[next].at));
    t.to_new_spacing.push_back(ns(a, frames[k].at));
    if (!away(a, frames[k].at)) t.undisturbed.push_back(ns(a, frames[k].at));
    t.beyond_spacing.push_back(ns(a, frames[k].at) - spacing);
    t.old_gap.push_back(old);
    t.new_gap.push_back(spacing);
  }
  return t;
}

Json paper_run(const Environment& environment, const ReactionOptions& o, std::uint64_t seed) {
  PacingRigConfig c;
  c.ring = o.ring;
  c.transport = o.transport;
  c.packets = o.packets;
  c.qps = 1;
  c.events = static_cast<std::size_t>(to_seconds(o.duration) * 8'000'000) + 100'000;
  c.shape = [](engine::SendQpConfig& qp, std::uint32_t) {
    dcqcn::PaperSettings p;  // the default bucket holds 16 KiB
    p.parameters = fast_parameters();
    qp.congestion = p;
  };
  PacingRig rig(environment, c);
  const Idling idling = rig.idle(std::min(o.duration, kIdle));
  rig.run(o.duration, orders(o.duration, 2 * kMillisecond, 4 * kMillisecond, 1, seed));
  const std::vector<Time> arrived =
      o.ring ? times_of(rig.far_log(), Event::Kind::kCnpArrived) : times_of(rig.log(), Event::Kind::kCnpOut);
  const Turns t = follow(rig, arrived);
  const auto frames = static_cast<double>(sent_frames(rig.log(), 1).size());
  return {{"cnps", arrived.size()},
          {"loop_too_slow", t.too_slow},
          {"payload_gbps", frames * PacingRig::kPayload * 8e-9 / to_seconds(rig.ended() - rig.began())},
          {"gap_before_ns", distribution(t.old_gap)},
          {"new_spacing_ns", distribution(t.new_gap)},
          {"arrival_to_new_spacing_ns", distribution(t.to_new_spacing)},
          {"arrival_to_new_spacing_undisturbed_ns", distribution(t.undisturbed)},
          {"arrival_to_out_of_rx_burst_ns", distribution(t.to_out)},
          {"out_of_rx_burst_to_registered_ns", distribution(t.to_registered)},
          {"registered_to_next_packet_ns", distribution(t.to_next)},
          {"less_the_spacing_ns", distribution(t.beyond_spacing)},
          {"tx_short", rig.counters().tx_short},
          {"events_lost", rig.log().lost()},
          {"retransmitted", rig.retransmitted()},
          {"loop", rig.loop().json()},
          {"machine", idling.json()}};
}

}  // namespace

Json bench_reaction(const Environment& environment, const ReactionOptions& o) {
  std::vector<Json> firmware;
  std::vector<Json> paper;
  for (unsigned i = 0; i < o.runs; ++i) {
    firmware.push_back(firmware_run(environment, o, i + 1));
    paper.push_back(paper_run(environment, o, i + 1));
  }
  Json out = {{"benchmark", "reaction"},
              {"port", o.ring ? "net_ring" : "net_null"},
              {"transport", o.transport == roce::Transport::kRc ? "rc" : "uc"},
              {"path_mtu", PacingRig::kPayload},
              {"packets_of_a_message", o.packets},
              {"duration_s", to_seconds(o.duration)},
              {"runs", o.runs},
              {"shares_cpus", o.ring && environment.shares_cpus()},
              {"firmware_under_10_gbps", summary(firmware)},
              {"paper_at_100_gbps", summary(paper)}};
  const auto preempted = [&out](const char* part) {
    return out[part]["loop"]["stolen_share"]["max"].get<double>() > 0.001;
  };
  out["machine_stole_time"] = preempted("firmware_under_10_gbps") || preempted("paper_at_100_gbps");
  return out;
}

}  // namespace softfeb::bench
