// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks.hpp"
#include "loop_rig.hpp"
#include "measurement.hpp"

namespace softfeb::bench {

namespace {

constexpr Time kDrain = 5 * kSecond;

struct LoopRun {
  double gbps = 0;  ///< payload rate
  double mpps = 0;
  double preempted = 0;  ///< share of the time for which the board's thread was preempted
  bool held = false;
  Json json;
};

LoopRun run_loop(const Environment& environment, const CraftOptions& o) {
  LoopRig rig(environment, o);
  rig.launch_receiver();
  const dataplane::TscClock& clock = environment.clock();
  const Time begin = read_clock(clock);
  rig.board().start(begin);
  rig.port_queue().wake();
  const auto turn = [&](Time now) {
    rig.port_queue().run(now);
    return 0U;
  };
  Tally t = turns_for(o.duration, clock, turn);
  rig.board().stop_traffic(read_clock(clock));
  rig.port_queue().wake();
  while (!rig.board().finished() && read_clock(clock) - begin < o.duration + kDrain)
    t += turns_for(10 * kMicrosecond, clock, turn);
  const double seconds = to_seconds(read_clock(clock) - begin);
  rig.join_receiver();
  const BoardTotals sent = totals_of(rig.board());
  const CheckingReceiver::Totals got = rig.receiver().totals();
  LoopRun r;
  r.gbps = static_cast<double>(got.payload_bytes) * 8e-9 / seconds;
  r.mpps = static_cast<double>(got.packets) * 1e-6 / seconds;
  r.preempted = std::max(0.0, 1 - to_seconds(t.cpu) / to_seconds(t.elapsed));
  r.held = rig.board().finished() && sent.failed == 0 && sent.refused == 0 && got.bytes_wrong == 0 &&
           got.icrc_errors == 0 && got.refused == 0 && got.messages == sent.messages &&
           got.bytes_checked == got.payload_bytes;
  r.json = to_json(got);
  r.json["sent"] = sent.packets;
  r.json["retransmitted"] = sent.retransmitted;
  r.json["timeouts"] = sent.timeouts;
  r.json["tx_short"] = rig.port_queue().counters().tx_short;
  return r;
}

}  // namespace

Json bench_loop(const Environment& environment, const CraftOptions& o) {
  std::vector<double> gbps, mpps, preempted;
  Json totals = Json::array();
  bool held = true;
  std::uint64_t retransmitted = 0;
  for (unsigned i = 0; i < o.runs; ++i) {
    LoopRun r = run_loop(environment, o);
    gbps.push_back(r.gbps);
    mpps.push_back(r.mpps);
    preempted.push_back(r.preempted);
    held = held && r.held;
    retransmitted += r.json["retransmitted"].get<std::uint64_t>();
    totals.push_back(std::move(r.json));
  }
  Json out{{"benchmark", "loop"},
           {"port", "net_ring"},
           {"pmtu", o.pmtu},
           {"icrc", o.known_crc ? "known" : "full"},
           {"transport", o.transport == roce::Transport::kRc ? "rc" : "uc"},
           {"qps", o.qps},
           {"message_packets", o.packets},
           {"duration_s", to_seconds(o.duration)}};
  out.update(figures("payload_gbps", gbps));
  out["median_mpps"] = median(mpps);
  out["held"] = held;
  out["retransmitted"] = retransmitted;
  out["totals"] = totals;
  out["stolen_share"] = median(preempted);
  out["machine"] = machine_facts(&environment);
  return out;
}

}  // namespace softfeb::bench
