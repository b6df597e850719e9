// SPDX-License-Identifier: BSD-3-Clause
#include "base/uint128.hpp"
#include "benchmarks.hpp"
#include "far_end.hpp"
#include "pacing_rig.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace softfeb::bench {

namespace {

constexpr std::array<const char*, 3> kNames = {"constant", "firmware", "paper"};

/// Returns the number of bytes that a queue pair's pacing counts for each packet.
std::uint32_t units(const PacingOptions& o) {
  return o.algorithm == Algorithm::kConstant ? PacingRig::kPayload : PacingRig::kCounted;
}

/// Returns the rate of a queue pair in bytes per second. The refill of the firmware's bucket in bytes per
/// clock is truncated to Q16.16.
double rate_of_each(const PacingOptions& o) {
  const std::uint64_t rate = o.rate / o.qps;
  if (o.algorithm != Algorithm::kFirmware) return static_cast<double>(rate);
  return static_cast<double>(static_cast<std::uint64_t>((Uint128{rate} * 1'801'440) >> 32)) / 65'536 *
         156'250'000;
}

/// Start time of queue pair `i`. The start times are spread over the interval between two packets of a
/// queue pair.
Time phase(const PacingOptions& o, std::uint32_t i) {
  return static_cast<Time>(units(o) * 1e12 * i / (rate_of_each(o) * o.qps));
}

void shape(const PacingOptions& o, engine::SendQpConfig& qp, std::uint32_t i) {
  const std::uint64_t rate = o.rate / o.qps;
  qp.start_after = phase(o, i);
  if (o.algorithm == Algorithm::kConstant) {
    qp.traffic.rate_kind = engine::RateKind::kPayloadBytes;
    qp.traffic.rate = rate;
  } else if (o.algorithm == Algorithm::kFirmware) {
    dcqcn::FirmwareSettings p;
    p.build = {.line_rate = rate, .wrap32 = rate < (1ULL << 32)};
    qp.congestion = p;
  } else {
    dcqcn::PaperSettings p;
    p.parameters.line_rate = rate;
    p.bucket.size = static_cast<std::uint32_t>(o.bucket);
    p.bucket.start_full = false;
    p.bucket.first_frame_free = true;
    qp.congestion = p;
  }
}

/// Error of the schedule: the difference between the bytes sent and the product of rate and time.
Json schedule(const PacingOptions& o, const PacingRig& rig, const std::vector<Event>& frames) {
  const double rate = rate_of_each(o);
  const double packet = units(o);
  const double duration = to_seconds(rig.ended() - rig.began());
  std::vector<double> sent(o.qps, 0);
  std::vector<double> off(o.qps, 0);
  double ahead = 0;
  const auto look = [&](std::uint32_t qp, double seconds) {
    const double due = std::max(0.0, rate * (seconds - to_seconds(phase(o, qp))));
    off[qp] = std::max(off[qp], std::abs(sent[qp] - due) / packet);
    ahead = std::max(ahead, (sent[qp] - due) / packet);
  };
  std::vector<double> at_packets;
  double sum_off = 0;
  double sum = 0;
  for (const Event& e : frames) {
    const double seconds = to_seconds(e.at - rig.began());
    look(e.qp, seconds);
    sum_off = std::max(sum_off, std::abs(sum - rate * o.qps * seconds) / packet);
    sent[e.qp] += packet;
    sum += packet;
    look(e.qp, seconds);
    at_packets.push_back(std::abs(sent[e.qp] - rate * (seconds - to_seconds(phase(o, e.qp)))) / packet);
  }
  for (std::uint32_t i = 0; i < o.qps; ++i) look(i, duration);
  const double due = rate * o.qps * duration;
  std::sort(off.begin(), off.end());
  const auto good = std::upper_bound(off.begin(), off.end(), 1.0) - off.begin();
  return {{"packets", frames.size()},
          {"gbps", sum / duration * 8e-9},
          {"sum_error", sum / due - 1},
          {"sum_error_packets", (sum - due) / packet},
          {"sum_off_packets_max", sum_off},
          {"qp_ahead_packets_max", ahead},
          {"qp_off_packets_max", off.back()},
          {"qp_off_packets_p50", quantile(off, 0.5)},
          {"packets_off_after_each_packet", distribution(std::move(at_packets))},
          {"qps_within_one_packet", static_cast<double>(good) / o.qps}};
}

/// Deviations of the gaps between packets from the ideal gap: of the gaps between packets of the same queue
/// pair, and of the gaps between all packets.
Json gaps(const PacingOptions& o, const std::vector<Event>& frames) {
  const double each = units(o) / rate_of_each(o) * 1e9;
  std::vector<Time> last(o.qps, kNever);
  std::vector<double> of_qps;
  std::vector<double> of_all;
  Time before = kNever;
  for (const Event& e : frames) {
    const auto gap = [&e](Time from) {
      return (static_cast<double>(e.at) - static_cast<double>(from)) * 1e-3;
    };
    if (last[e.qp] != kNever) of_qps.push_back(gap(last[e.qp]) - each);
    if (before != kNever) of_all.push_back(gap(before) - each / o.qps);
    last[e.qp] = before = e.at;
  }
  return {{"ideal_of_qp_ns", each},
          {"of_qp", deviations(of_qps)},
          {"ideal_of_sum_ns", each / o.qps},
          {"of_sum", deviations(of_all)}};
}

Json run_once(const Environment& environment, const PacingOptions& o) {
  const double packets = static_cast<double>(o.rate) * to_seconds(o.duration) / units(o);
  PacingRigConfig c;
  c.ring = o.ring;
  c.qps = o.qps;
  c.events = static_cast<std::size_t>(packets * 2) + o.qps + 10'000;
  c.shape = [&o](engine::SendQpConfig& qp, std::uint32_t i) { shape(o, qp, i); };
  PacingRig rig(environment, c);
  const Idling idling = rig.idle(std::min<Time>(o.duration, 200 * kMillisecond));
  rig.run(o.duration, {});
  const std::vector<Event> frames = sent_frames(rig.log(), o.qps);
  Json out = schedule(o, rig, frames);
  out["gaps"] = gaps(o, frames);
  out["tx_short"] = rig.counters().tx_short;
  out["events_lost"] = rig.log().lost();
  out["loop"] = rig.loop().json();
  out["machine"] = idling.json();
  return out;
}

}  // namespace

Json bench_pacing(const Environment& environment, const PacingOptions& o) {
  Json out = {{"benchmark", "pacing"},
              {"port", o.ring ? "net_ring" : "net_null"},
              {"algorithm", kNames[static_cast<std::size_t>(o.algorithm)]},
              {"rate_gbps", static_cast<double>(o.rate) * 8e-9},
              {"qps", o.qps},
              {"path_mtu", PacingRig::kPayload},
              {"duration_s", to_seconds(o.duration)},
              {"refill_share_of_rate", rate_of_each(o) / static_cast<double>(o.rate / o.qps)},
              {"shares_cpus", o.ring && environment.shares_cpus()}};
  if (rate_of_each(o) == 0) {
    out["skipped"] = "the firmware's bucket refills in steps of 2.4 kB/s: at this rate nothing ever leaves";
    return out;
  }
  std::vector<Json> runs;
  for (unsigned i = 0; i < o.runs; ++i) runs.push_back(run_once(environment, o));
  if (o.algorithm == Algorithm::kPaper) out["bucket_bytes"] = o.bucket;
  out["runs"] = o.runs;
  out["figures"] = summary(runs);
  // qp_ahead_packets_max includes the packet that has just left, hence the 1. The bucket is refilled once per
  // clock of 6.4 ns, so a packet may leave up to one clock early, but never earlier than that.
  const double clock = rate_of_each(o) * 6.4e-9 / units(o);
  out["never_ahead"] = out["figures"]["qp_ahead_packets_max"]["max"].get<double>() <= 1 + clock + 1e-9 &&
                       out["figures"]["events_lost"]["max"].get<double>() == 0;
  out["machine_stole_time"] = out["figures"]["loop"]["stolen_share"]["max"].get<double>() > 0.001;
  return out;
}

Json bench_pacing_suite(const Environment& environment, PacingOptions o) {
  Json all = Json::array();
  bool held = true;
  for (const std::uint64_t mbps : {100, 1'000, 5'000, 10'000, 25'000, 40'000, 100'000}) {
    for (const std::uint32_t qps : {1, 100, 10'000}) {
      o.rate = mbps * 125'000;
      o.qps = qps;
      all.push_back(bench_pacing(environment, o));
      held = held && all.back().value("never_ahead", true);
    }
  }
  return {{"benchmark", "pacing-suite"}, {"never_ahead", held}, {"results", all}};
}

}  // namespace softfeb::bench
