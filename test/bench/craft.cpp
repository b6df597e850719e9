// SPDX-License-Identifier: BSD-3-Clause
#include "craft.hpp"

#include "contest.hpp"
#include "craft_rig.hpp"
#include "engine_loop.hpp"

#include <optional>

#include <rte_launch.h>

namespace softfeb::bench {

namespace {

/// A worker's lane for so long, on whichever lcore runs it.
struct LaneJob {
  CraftRig* rig;
  const Environment* environment;
  unsigned worker;
  Time duration;
  Tally tally{};

  static int run(void* self) {
    auto& job = *static_cast<LaneJob*>(self);
    const std::uint64_t before = job.rig->sent(job.worker);
    job.tally = turns_for(job.duration, job.environment->clock(), [&](Time now) {
      job.rig->turn(job.worker, now);
      return 0U;
    });
    job.tally.packets = job.rig->sent(job.worker) - before;
    return 0;
  }
};

/// The first `workers` workers, each on its lcore.
std::vector<Tally> run_lanes(CraftRig& rig, const Environment& environment, unsigned workers, Time duration) {
  std::vector<LaneJob> jobs;
  for (unsigned w = 0; w < workers; ++w) jobs.push_back({&rig, &environment, w, duration});
  for (unsigned w = 1; w < workers; ++w) rte_eal_remote_launch(&LaneJob::run, &jobs[w], w);
  LaneJob::run(jobs.data());
  std::vector<Tally> out;
  for (unsigned w = 0; w < workers; ++w) {
    if (w != 0) rte_eal_wait_lcore(w);
    out.push_back(jobs[w].tally);
  }
  return out;
}

Json described(const CraftOptions& o) {
  return {{"benchmark", "craft"},
          {"port", o.port ? "net_null" : "none"},
          {"pmtu", o.pmtu},
          {"icrc", o.known_crc ? "known" : "full"},
          {"transport", o.transport == roce::Transport::kRc ? "rc" : "uc"},
          {"qps", o.qps},
          {"active", o.active == Activity::kRandom ? "random" : "round-robin"},
          {"message_packets", o.packets},
          {"send_queue", o.send_queue},
          {"congestion_control", o.paced ? "firmware, line rate 1 Tb/s for each queue pair" : "none"},
          {"constant_rates", o.mixed_rates ? "16 to 1, together 1 Tb/s" : "none"},
          {"workers", o.workers},
          {"duration_s", to_seconds(o.duration)}};
}

Json totals_json(const BoardTotals& t) {
  return {{"packets", t.packets},   {"messages", t.messages},
          {"acks", t.acks},         {"retransmitted", t.retransmitted},
          {"timeouts", t.timeouts}, {"failed", t.failed},
          {"refused", t.refused}};
}

}  // namespace

Json bench_craft(const Environment* environment, const CraftOptions& o) {
  const dataplane::TscClock clock = environment != nullptr ? environment->clock() : calibrated_clock();
  const auto payload = craft_payload(o);
  std::optional<CraftRig> rig;
  std::vector<std::uint8_t> arena;
  if (o.port) {
    rig.emplace(*environment, o, *payload);
    rig->start(read_clock(clock));
  } else {
    arena.resize(payload->arena_bytes());
    payload->fill(arena);
  }
  EngineLoop engine(o, *payload);
  engine.start(read_clock(clock));
  std::vector<Contestant> all;
  if (o.port) {
    all.push_back({"engine", [&](Time d) { return run_lanes(*rig, *environment, o.workers, d); }});
    all.push_back({"bare", [&](Time d) {
                     return std::vector{turns_for(d, clock, [&](Time) { return rig->bare().turn(); })};
                   }});
  }
  all.push_back({"engine_only", [&](Time d) {
                   return std::vector{turns_for(d, clock, [&](Time now) { return engine.turn(now); })};
                 }});
  if (o.workers > 1)
    all.push_back({"one_worker", [&](Time d) { return run_lanes(*rig, *environment, 1, d); }});
  compete(all, o.runs, o.duration);

  Json out = described(o);
  out.update(figures_of(all[0]));
  out["median_payload_gbps"] = out["median_mpps"].get<double>() * o.pmtu * 8e-3;
  for (std::size_t k = 1; k < all.size(); ++k) out[all[k].name] = figures_of(all[k]);
  if (o.port) add_ratio(out, "ratio_to_bare", all[0], all[1]);
  if (o.workers > 1) add_ratio(out, "ratio_to_one_worker", all[0], all[3]);
  out["bytes_per_qp"] = bytes_per_qp(o, *payload);
  out["totals"] = totals_json(o.port ? rig->totals() : engine.totals());
  out["stolen_share"] = median(all[0].stolen);
  out["machine"] = machine_facts(environment);
  return out;
}

}  // namespace softfeb::bench
