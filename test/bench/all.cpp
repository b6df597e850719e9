// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks.hpp"
#include "craft_check.hpp"
#include "dataplane/error.hpp"

#include <algorithm>

namespace softfeb::bench {

namespace {

Time scaled(Time t, double scale) { return static_cast<Time>(static_cast<double>(t) * scale); }

std::string name_of(const CraftOptions& o) {
  return std::string(o.transport == roce::Transport::kRc ? "rc" : "uc") + "_" + std::to_string(o.pmtu) + "_" +
         (o.known_crc ? "known" : "full") + "_" + std::to_string(o.qps) + "_qps" +
         (o.active == Activity::kRandom ? "_random" : "") + (o.mixed_rates ? "_mixed_rates" : "") +
         (o.workers > 1 ? "_" + std::to_string(o.workers) + "_workers" : "");
}

/// Options of the craft benchmarks whose results are in the documentation.
std::vector<CraftOptions> crafts() {
  using roce::Transport;
  CraftOptions rc;
  CraftOptions full = rc, uc = rc, p1024 = rc, p256 = rc, many = rc, mixed = rc, two = rc;
  full.known_crc = false;
  uc.transport = Transport::kUc;
  p1024.pmtu = 1024;
  p256.pmtu = 256;
  many.qps = 100'000;
  many.active = Activity::kRandom;
  many.duration = kSecond;  // long enough for several quanta per queue pair
  mixed.qps = 10'000;
  mixed.mixed_rates = true;
  two.workers = 2;
  return {rc, full, uc, p1024, p256, many, mixed, two};
}

Json all_crafts(const Environment& environment, double scale) {
  Json out;
  for (CraftOptions o : crafts()) {
    o.runs = 5;
    o.duration = scaled(o.duration, scale);
    out[name_of(o)] = bench_craft(&environment, o);
  }
  out["ratio_100000_random_to_64"] = out["rc_4096_known_100000_qps_random"]["ratio_to_few_qps"];
  return out;
}

Json all_pacing(const Environment& environment, double scale) {
  PacingOptions o;
  o.rate = 12'500'000'000;
  o.qps = 10'000;
  o.duration = scaled(kSecond, scale);
  return bench_pacing(environment, o);
}

Json all_reaction(const Environment& environment, double scale) {
  ReactionOptions o;
  o.duration = scaled(kSecond, scale);
  return bench_reaction(environment, o);
}

}  // namespace

Json bench_all(const Environment& environment, double scale) {
  Json out{{"benchmark", "all"}, {"scale", scale}, {"skipped", Json::object()}};
  CraftOptions link;
  link.runs = 5;
  link.duration = scaled(link.duration, scale);
  PartOptions parts;
  parts.duration = scaled(parts.duration, scale);
  SrpOptions srp;
  srp.runs = 3;
  srp.accesses = std::max(100U, static_cast<unsigned>(srp.accesses * scale));
  srp.stream_bytes = std::max<std::uint64_t>(1U << 20, scaled(srp.stream_bytes, scale / 4));
  LatencyOptions latency;
  latency.duration = scaled(latency.duration, scale);
  out["craft"] = all_crafts(environment, scale);
  out["responder"] = bench_responder(link);
  out["loop"] = bench_loop(environment, link);
  out["pacing"] = all_pacing(environment, scale);
  out["reaction"] = all_reaction(environment, scale);
  out["latency"] = bench_latency(environment, latency);
  out["crc"] = bench_crc(environment, parts);
  out["dcqcn"] = bench_dcqcn(parts);
  out["srp"] = bench_srp(srp);
  try {
    ReferenceOptions o;
    o.seconds = scale < 0.5 ? 1 : 3;
    o.cpus = environment.cpus();
    out["references"] = bench_references(o);
  } catch (const dataplane::EnvironmentError& e) {
    out["skipped"]["references"] = e.what();
  }
  out["machine"] = machine_facts(&environment);
  return out;
}

std::string failed_in(const Json& all) {
  if (!all["loop"]["held"].get<bool>()) return "loop: something was lost, wrong or refused";
  if (!all["pacing"]["never_ahead"].get<bool>()) return "pacing: a queue pair was ahead of its rate";
  for (const auto& [name, craft] : all["craft"].items()) {
    const std::string failure = craft.is_object() ? craft_failure(craft) : "";
    if (!failure.empty()) return "craft " + name + ": " + failure;
  }
  return {};
}

}  // namespace softfeb::bench
