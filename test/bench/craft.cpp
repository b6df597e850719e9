// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks.hpp"
#include "craft_rig.hpp"
#include "dataplane/run_clock.hpp"
#include "measurement.hpp"

#include <algorithm>

#include <rte_launch.h>

namespace softfeb::bench {

namespace {

/// Runs a worker's port queue on the calling lcore for `duration`.
struct PortQueueJob {
  CraftRig* rig;
  const Environment* environment;
  unsigned worker;
  Time duration;
  Tally tally{};

  static int run(void* self) {
    auto& job = *static_cast<PortQueueJob*>(self);
    const std::uint64_t before = job.rig->sent(job.worker);
    job.tally = turns_for(job.duration, job.environment->clock(), [&](Time now) {
      job.rig->turn(job.worker, now);
      return 0U;
    });
    job.tally.packets = job.rig->sent(job.worker) - before;
    return 0;
  }
};

/// Runs the port queues of the first `workers` workers, each on its own lcore.
std::vector<Tally> run_port_queues(CraftRig& rig, const Environment& environment, unsigned workers,
                                   Time duration) {
  std::vector<PortQueueJob> jobs;
  for (unsigned w = 0; w < workers; ++w) jobs.push_back({&rig, &environment, w, duration});
  for (unsigned w = 1; w < workers; ++w) rte_eal_remote_launch(&PortQueueJob::run, &jobs[w], w);
  PortQueueJob::run(jobs.data());
  std::vector<Tally> out;
  for (unsigned w = 0; w < workers; ++w) {
    if (w != 0) rte_eal_wait_lcore(w);
    out.push_back(jobs[w].tally);
  }
  return out;
}

/// Number of queue pairs of the reference board. Their state fits into the caches.
constexpr std::uint32_t kFewQps = 64;
constexpr std::size_t kArenaSlack = 1U << 16;  // room for the alignment of the payloads

CraftOptions with_few(CraftOptions o) {
  o.qps = kFewQps;
  return o;
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
          {"congestion_control",
           o.algorithm == "none" ? "none" : o.algorithm + ", line rate 1 Tb/s for each queue pair"},
          {"constant_rates", o.mixed_rates ? "16 to 1, together 1 Tb/s" : "none"},
          {"workers", o.workers},
          {"duration_s", to_seconds(o.duration)}};
}

/// The loops whose packet rates bench_craft() compares.
class CraftContest {
 public:
  CraftContest(const Environment* environment, const CraftOptions& o)
      : environment_(environment),
        options_(o),
        clock_(environment != nullptr ? environment->clock() : dataplane::start_clock()),
        payload_(craft_payload(o)) {
    if (o.port) {
      dpdk_.emplace(3 * payload_->arena_bytes() + kArenaSlack);
      rig_ = std::make_unique<CraftRig>(*environment, o, *payload_, *dpdk_);
      rig_->start(read_clock(clock_));
      if (compares_few()) {
        few_payload_ = craft_payload(o);
        few_ = std::make_unique<CraftRig>(*environment, with_few(o), *few_payload_, *dpdk_);
        few_->start(read_clock(clock_));
      }
      if (samples()) {
        sampled_payload_ = craft_payload(o);
        sampled_ = std::make_unique<CraftRig>(*environment, o, *sampled_payload_, *dpdk_, true);
        sampled_->start(read_clock(clock_));
      }
    } else {
      arena_.resize(payload_->arena_bytes());
      payload_->fill(arena_);
    }
    engine_ = std::make_unique<EngineLoop>(o, *payload_);
    engine_->start(read_clock(clock_));
    enter();
  }

  void run() { compete(all_, options_.runs, options_.duration); }

  Json result() const {
    Json out = described(options_);
    out.update(figures_of(all_[0]));
    out["median_payload_gbps"] = out["median_mpps"].get<double>() * options_.pmtu * 8e-3;
    for (std::size_t k = 1; k < all_.size(); ++k) {
      out[all_[k].name] = figures_of(all_[k]);
      if (all_[k].name != "engine_only") add_ratio(out, "ratio_to_" + all_[k].name, all_[0], all_[k]);
    }
    if (sampled_ != nullptr) {
      const Contestant& sampled =
          *std::find_if(all_.begin(), all_.end(), [](const Contestant& c) { return c.name == "sampled"; });
      out["sampled"]["sample"] = options_.sample;
      out["sampled"]["stamps"] = sampled_->stamps();
      out["sampled"]["totals"] = to_json(sampled_->totals());
      add_ratio(out, "sampling_ratio", sampled, all_[0]);
    }
    if (!options_.alone) add_memory(out);
    out["totals"] = to_json(options_.port ? rig_->totals() : engine_->totals());
    if (out.contains("engine_only")) out["engine_only"]["totals"] = to_json(engine_->totals());
    if (few_ != nullptr) out["few_qps"]["totals"] = to_json(few_->totals());
    out["stolen_share"] = median(all_[0].preempted);
    out["machine"] = machine_facts(environment_);
    return out;
  }

 private:
  void add_memory(Json& out) const {
    const QpMemory memory = memory_of_qp(options_, *payload_);
    out["bytes_per_qp"] = memory.allocated;
    out["counted_bytes_per_qp"] = memory.counted;
  }

  bool samples() const { return options_.port && !options_.alone && options_.sample != 0; }
  bool compares_few() const { return options_.port && !options_.alone && options_.qps > kFewQps; }

  void enter() {
    const auto alone = [this](const char* name, auto turn) {
      all_.push_back({name, [this, turn](Time d) { return std::vector{turns_for(d, clock_, turn)}; }});
    };
    const auto port_queues = [this](const char* name, CraftRig& rig, unsigned workers) {
      all_.push_back(
          {name, [this, &rig, workers](Time d) { return run_port_queues(rig, *environment_, workers, d); }});
    };
    if (options_.port) port_queues("engine", *rig_, options_.workers);
    if (options_.alone && options_.port) return;
    if (samples()) port_queues("sampled", *sampled_, options_.workers);
    if (options_.port) {
      alone("bare", [this](Time) { return rig_->bare().turn(); });
      alone("bare_best", [this](Time) { return rig_->best().turn(); });
    }
    alone("engine_only", [this](Time now) { return engine_->turn(now); });
    if (options_.workers > 1) port_queues("one_worker", *rig_, 1);
    if (compares_few()) port_queues("few_qps", *few_, options_.workers);
  }

  const Environment* environment_;
  CraftOptions options_;
  dataplane::TscClock clock_;
  std::unique_ptr<board::PayloadSource> payload_;
  std::vector<std::uint8_t> arena_;  ///< memory for the payload; used only without a port
  std::optional<test::DpdkRig> dpdk_;
  std::unique_ptr<CraftRig> rig_;
  std::unique_ptr<board::PayloadSource> few_payload_;
  std::unique_ptr<CraftRig> few_;
  std::unique_ptr<board::PayloadSource> sampled_payload_;
  std::unique_ptr<CraftRig> sampled_;
  std::unique_ptr<EngineLoop> engine_;
  std::vector<Contestant> all_;
};

}  // namespace

Json bench_craft(const Environment* environment, const CraftOptions& options) {
  CraftContest contest(environment, options);
  contest.run();
  return contest.result();
}

}  // namespace softfeb::bench
