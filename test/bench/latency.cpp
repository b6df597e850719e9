// SPDX-License-Identifier: BSD-3-Clause
#include "latency.hpp"

#include "loop_rig.hpp"
#include "turns.hpp"

#include <deque>

namespace softfeb::bench {

namespace {

constexpr Time kLeastInterval = 20 * kMicrosecond;
constexpr std::uint64_t kSlowest =
    2'500'000'000;  // bytes per second that any machine makes, so that none waits

constexpr Time kPatience = 2 * kSecond;  // with a machine that gives the two cores to others

/// Messages a second, so that each has completed before the next one is posted.
std::uint64_t rate_for(std::uint32_t size) {
  return kSecond / (kLeastInterval + Time{size} * (kSecond / kSlowest));
}

CraftOptions one_qp(const LatencyOptions& o, std::uint32_t pmtu, std::uint32_t size) {
  CraftOptions c;
  c.pmtu = pmtu;
  c.known_crc = o.known_crc;
  c.message = size;
  c.qps = 1;
  c.paced = false;
  return c;
}

/// Follows the messages of a queue pair: when each was posted, and how long it took.
class Stopwatch {
 public:
  explicit Stopwatch(const engine::SendQp& qp) : qp_(qp) {}

  /// After a turn that began at `now`; `end` gives the time after it.
  template <typename End>
  void look(Time now, End&& end) {
    for (; posted_ < qp_.messages_made(); ++posted_) begun_.push_back(now);
    if (qp_.counters().completions == completed_) return;
    const Time at = end();
    for (; completed_ < qp_.counters().completions; ++completed_) {
      us_.push_back(to_seconds(at - begun_.front()) * 1e6);
      begun_.pop_front();
    }
  }
  const std::vector<double>& microseconds() const { return us_; }

 private:
  const engine::SendQp& qp_;
  std::deque<Time> begun_;
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
  std::vector<double> us_;
};

Json run_latency(const Environment& environment, const LatencyOptions& o, std::uint32_t pmtu,
                 std::uint32_t size) {
  LoopRig rig(environment, one_qp(o, pmtu, size), [size](engine::SendQpConfig& qp) {
    qp.traffic.rate_kind = engine::RateKind::kMessages;
    qp.traffic.rate = rate_for(size);
  });
  const dataplane::TscClock& clock = environment.clock();
  Stopwatch watch(rig.board().qp(0));
  rig.launch_receiver();
  rig.board().start(read_clock(clock));
  rig.lane().wake();
  const Time begin = read_clock(clock);
  do {
    turns_for(o.duration, clock, [&](Time now) {
      rig.lane().run(now);
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
