// SPDX-License-Identifier: BSD-3-Clause
#include "latency.hpp"

#include "loop_rig.hpp"
#include "stopwatch.hpp"
#include "turns.hpp"

namespace softfeb::bench {

namespace {

constexpr Time kPatience = 2 * kSecond;  // timeout; the machine may give both cores to other processes

CraftOptions one_qp(const LatencyOptions& o, std::uint32_t pmtu, std::uint32_t size) {
  CraftOptions c;
  c.pmtu = pmtu;
  c.known_crc = o.known_crc;
  c.message = size;
  c.qps = 1;
  c.send_queue = 1;  // the next message is posted when this one has completed
  c.paced = false;
  return c;
}

Json run_latency(const Environment& environment, const LatencyOptions& o, std::uint32_t pmtu,
                 std::uint32_t size) {
  LoopRig rig(environment, one_qp(o, pmtu, size));
  const dataplane::TscClock& clock = environment.clock();
  Stopwatch watch(rig.board().qp(0));
  rig.launch_receiver();
  rig.board().start(read_clock(clock));
  rig.port_queue().wake();
  const Time begin = read_clock(clock);
  do {
    turns_for(o.duration, clock, [&](Time now) {
      rig.port_queue().run(now);
      watch.look(now, [&clock] { return read_clock(clock); });
      return 0U;
    });
  } while (watch.microseconds().empty() && read_clock(clock) - begin < kPatience);
  rig.join_receiver();
  const CheckingReceiver::Totals got = rig.receiver().totals();
  return {{"latency_us", distribution(watch.microseconds())},
          {"bytes_wrong", got.bytes_wrong + got.icrc_errors + got.refused},
          {"retransmitted", totals_of(rig.board()).retransmitted}};
}

}  // namespace

Json bench_latency(const Environment& environment, const LatencyOptions& o) {
  Json results = Json::array();
  for (const std::uint32_t pmtu : o.pmtus) {
    for (const std::uint32_t size : o.sizes) {
      std::vector<Json> runs;
      for (unsigned i = 0; i < o.runs; ++i) runs.push_back(run_latency(environment, o, pmtu, size));
      Json entry{{"pmtu", pmtu}, {"message_bytes", size}};
      entry.update(summary(runs));
      results.push_back(std::move(entry));
    }
  }
  return {{"benchmark", "latency"},
          {"port", "net_ring"},
          {"icrc", o.known_crc ? "known" : "full"},
          {"runs", o.runs},
          {"duration_s", to_seconds(o.duration)},
          {"results", results},
          {"machine", machine_facts(&environment)}};
}

}  // namespace softfeb::bench
